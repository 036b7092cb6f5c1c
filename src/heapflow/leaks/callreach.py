"""Which functions call which, directly or not.

In:    the callees of every call.     Out: `CallReach`. Sets of functions are integers used as bitsets.
"""

from __future__ import annotations

from collections.abc import Mapping

from heapflow.ir.ids import FuncId, InstrId
from heapflow.ir.program import Program
from heapflow.support.bitset import from_members
from heapflow.support.scc import strong_components


class CallReach:
    """Answers from tables."""

    def __init__(self, program: Program, callees: Mapping[InstrId, tuple[FuncId, ...]]) -> None:
        self.count = len(program.functions)
        self.func_of: list[FuncId] = program.blocks.func[program.instrs.block].tolist()
        called: dict[FuncId, set[FuncId]] = {}
        for call, functions in callees.items():
            called.setdefault(self.func_of[call], set()).update(functions)
        self._called = {func: sorted(others) for func, others in called.items()}
        self._above: dict[FuncId, frozenset[FuncId]] = {}
        self.below = self._find_below()
        self.callers = self._find_callers()

    def _find_below(self) -> list[int]:
        """By function: those that it calls, directly or not; itself only if it is recursive."""
        called = self._called
        below = [0] * self.count
        order = strong_components(
            map(FuncId, range(self.count)), lambda f: called.get(f, ()), self.count
        )
        for component in order:
            others = {other for func in component for other in called.get(func, ())}
            found = from_members(component) if others.intersection(component) else 0
            for other in others.difference(component):
                found |= below[other] | 1 << other
            for func in component:
                below[func] = found
        return below

    def _find_callers(self) -> dict[FuncId, set[FuncId]]:
        """By function: those that call it."""
        found: dict[FuncId, set[FuncId]] = {}
        for func, others in self._called.items():
            for other in others:
                found.setdefault(other, set()).add(func)
        return found

    def above(self, func: FuncId) -> frozenset[FuncId]:
        """Functions that may be waiting for one to return; itself only if it is recursive."""
        known = self._above.get(func)
        if known is None:
            bit = 1 << func
            known = frozenset(f for f in self._called if self.below[f] & bit)
            self._above[func] = known
        return known

    def is_above(self, upper: FuncId, func: FuncId) -> bool:
        """Whether `upper` may be waiting for `func` to return."""
        return bool(self.below[upper] >> func & 1)
