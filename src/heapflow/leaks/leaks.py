"""The door of the room: candidates, and what the rooms behind ask about them.

`prepare_detector(...)` gives the detector, whose run ends in a `Detection`: a `Verdict` for every block
that leaks, or that a limit kept from being followed. For replay: `edges_not_taken`, which way a leak's
condition goes, and `handed_up`, blocks that only callers lose.
"""

from __future__ import annotations

from heapflow.leaks.detect import Detection
from heapflow.leaks.hint import edges_not_taken
from heapflow.leaks.prepare import prepare_detector
from heapflow.leaks.secondlook import handed_up
from heapflow.leaks.verdict import Verdict

__all__ = [
    "Detection",
    "Verdict",
    "edges_not_taken",
    "handed_up",
    "prepare_detector",
]
