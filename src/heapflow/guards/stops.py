"""Which functions come back to their callers on all ways, from control flow alone.

Most functions always return. To know that, their conditions need not be computed: only where control
stops on some way (`if (!p) abort();`) can the condition matter to callers.
"""

from __future__ import annotations

from collections.abc import Callable

from heapflow.guards.context import GuardContext
from heapflow.guards.returning import Stop


class Stops:
    """Computed on demand, callees first; recursion counts as returning, if it may return at all."""

    def __init__(self, context: GuardContext, tells_callers: Callable[[int], bool]) -> None:
        self._context = context
        self._tells_callers = tells_callers  # whether a function's condition is worth carrying
        self._known: dict[int, Stop] = {}

    def of(self, func: int) -> Stop:
        """For a function with a body."""
        known = self._known.get(func)
        if known is None:
            returning = self._context.returning
            if not returning.may_return(func):
                known = self._known[func] = Stop.NEVER_RETURNS
                return known
            self._known[func] = Stop.ALWAYS_RETURNS  # recursion
            _, depends = returning.walk(func, self._at_call)
            known = self._known[func] = Stop.DEPENDS if depends else Stop.ALWAYS_RETURNS
        return known

    def _at_call(self, instr: int) -> Stop:
        context = self._context
        stop = context.returning.of_external(instr)
        if stop is not None:
            return stop
        func = context.callee(instr)
        if context.is_declared[func]:
            stops = {self.of(other) for other in context.alternatives(func)}
            return stops.pop() if len(stops) == 1 else Stop.DEPENDS
        stop = self.of(func)
        if stop is Stop.DEPENDS and not self._tells_callers(func):
            return Stop.ALWAYS_RETURNS
        return stop
