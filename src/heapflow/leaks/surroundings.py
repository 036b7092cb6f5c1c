"""What is known of the whole program's objects and calls, as one value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from heapflow.ir.ids import FuncId, InstrId, ObjectId
from heapflow.ir.program import Program
from heapflow.leaks.callreach import CallReach
from heapflow.memssa.facts import MemoryFacts


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Made once (`leaks.prepare`); nothing in it changes."""

    program: Program
    memory: MemoryFacts
    calls: CallReach
    long_lived: frozenset[ObjectId]  # objects that global variables lead to
    stack_owner: Mapping[ObjectId, FuncId]  # stack object -> its function
    object_chain: Mapping[ObjectId, tuple[InstrId, ...]]  # to calls that make it, innermost first

    def params(self, func: FuncId) -> range:
        """Rows of a function's parameters."""
        start = self.program.functions.param_start
        return range(int(start[func]), int(start[func + 1]))
