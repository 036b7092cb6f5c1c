"""Which functions come back to their callers on all ways, from control flow alone.

Most functions always return. To know that, their conditions need not be computed: only where control
stops on some way (`if (!p) abort();`) can the condition matter to callers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from heapflow.guards.context import GuardContext
from heapflow.guards.returning import Stop
from heapflow.ir.ids import NO_FUNC, FuncId, InstrId

_MOST_NESTED: Final = 8  # functions that are asked for each other; beyond, callees come first


class Stops:
    """Computed on demand, callees first; recursion counts as returning, if it may return at all."""

    def __init__(self, context: GuardContext, tells_callers: Callable[[FuncId], bool]) -> None:
        self._context = context
        self._tells_callers = tells_callers  # whether a function's condition is worth carrying
        self._known: dict[int, Stop] = {}
        self._nested = 0

    def of(self, func: FuncId) -> Stop:
        """For a function with a body."""
        known = self._known.get(func)
        if known is not None:
            return known
        if not self._context.returning.may_return(func):
            known = self._known[func] = Stop.NEVER_RETURNS
            return known
        waiting = [func]
        self._known[func] = Stop.ALWAYS_RETURNS  # recursion
        self._nested += 1
        try:
            while waiting:
                callee = self._not_known(waiting[-1]) if self._nested > _MOST_NESTED else NO_FUNC
                if callee >= 0:
                    self._known[callee] = Stop.ALWAYS_RETURNS
                    waiting.append(callee)
                else:
                    self._known[waiting[-1]] = self._walked(waiting[-1])
                    waiting.pop()
        except BaseException:
            for other in waiting:
                del self._known[other]
            raise
        finally:
            self._nested -= 1
        return self._known[func]

    def _walked(self, func: FuncId) -> Stop:
        _, depends = self._context.returning.walk(func, self._at_call)
        return Stop.DEPENDS if depends else Stop.ALWAYS_RETURNS

    def _not_known(self, func: FuncId) -> FuncId:
        """A callee that comes first, or -1."""
        context = self._context
        code = context.code
        for block in code.blocks_of(func):
            for instr in context.returning.calls(block):
                if context.returning.of_external(instr) is not None:
                    continue
                callee = code.callee(instr)
                others = code.alternatives(callee) if code.is_declared[callee] else [callee]
                for other in others:
                    if other not in self._known and context.returning.may_return(other):
                        return other
        return NO_FUNC

    def _at_call(self, instr: InstrId) -> Stop:
        context = self._context
        code = context.code
        stop = context.returning.of_external(instr)
        if stop is not None:
            return stop
        func = code.callee(instr)
        if code.is_declared[func]:
            stops = {self.of(other) for other in code.alternatives(func)}
            return stops.pop() if len(stops) == 1 else Stop.DEPENDS
        stop = self.of(func)
        if stop is Stop.DEPENDS and not self._tells_callers(func):
            return Stop.ALWAYS_RETURNS
        return stop
