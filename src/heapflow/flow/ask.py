"""What a run asks of the functions that are called."""

from __future__ import annotations

from typing import Protocol

from heapflow.flow.engine import FlowEngine
from heapflow.flow.outcome import Summary
from heapflow.ir.ids import LocationSetId, NodeId


class Summaries(Protocol):
    """`SummaryBook`, or a stand-in."""

    engine: FlowEngine

    def of(self, formal: NodeId, held: LocationSetId) -> Summary:
        """What a function does with an object that enters at a formal node, in a location set."""
        ...
