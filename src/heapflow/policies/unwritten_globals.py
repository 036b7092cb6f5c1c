"""The policy `unwritten-globals`: a global variable that no analysed file writes keeps its first value.

    int verbose = 0;  …  if (verbose) log_open();        nobody here sets it, and no other program does
Acts in: `guards/memory.py`, where a load of a global variable is read. `guards/initial.py` finds what
nobody writes.
"""

from __future__ import annotations

from typing import Final

from heapflow.ir.ids import ValueId
from heapflow.policies.inforce import Policies
from heapflow.policies.policy import Policy, Shape

UNWRITTEN_GLOBALS: Final = Policy(
    "unwritten-globals",
    Shape.DECIDES,
    "A global variable that no analysed file writes has its initial value, also if it is "
    "visible elsewhere.",
    "what happens where a file that is not given sets it",
    "leaks/global_flags.c",
    "decision 53",
)


def still_there(policies: Policies, initial: ValueId | None) -> ValueId | None:
    """What a load sees, given the initial value at a place that nobody writes."""
    return initial if initial is not None and policies.acts(UNWRITTEN_GLOBALS) else None
