"""Which functions come back to their callers, from control flow alone.

Most functions always return. To know that, their conditions need not be computed: only where control
stops on some way (`if (!p) abort();`) can the condition matter to callers.
Not modelled: a function that returns or loops for ever counts as returning.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto

from heapflow.guards.context import GuardContext
from heapflow.ir.kinds import CallFlag, EdgeKind, FuncFlag, Op

# As numbers: combining with an enum member is slow.
_CALL_NO_RETURN, _NO_RETURN = int(CallFlag.NO_RETURN), int(FuncFlag.NO_RETURN)


class Stop(Enum):
    """Whether control comes back from a function."""

    ALWAYS_RETURNS = auto()
    DEPENDS = auto()  # on conditions
    NEVER_RETURNS = auto()


class Stops:
    """Computed on demand, callees first; recursion counts as returning."""

    def __init__(self, context: GuardContext, tells_callers: Callable[[int], bool]) -> None:
        self._context = context
        self._tells_callers = tells_callers  # whether a function's condition is worth carrying
        self._known: dict[int, Stop] = {}

    def of(self, func: int) -> Stop:
        """For a function with a body."""
        known = self._known.get(func)
        if known is None:
            self._known[func] = Stop.ALWAYS_RETURNS
            known = self._known[func] = self._find(func)
        return known

    def _find(self, func: int) -> Stop:
        context = self._context
        edge_start = context.edge_start
        entry = context.block_start[func]
        seen, stack = {entry}, [entry]
        returns = depends = False
        while stack:
            block = stack.pop()
            stop = self._in_block(block)
            depends = depends or stop is not Stop.ALWAYS_RETURNS
            if stop is Stop.NEVER_RETURNS:
                continue
            if context.op[context.instr_start[block + 1] - 1] in (Op.RET, Op.RESUME):
                returns = True
            for edge in range(edge_start[block], edge_start[block + 1]):
                target = context.edge_target[edge]
                if target not in seen and context.edge_kind[edge] != EdgeKind.UNWIND:
                    seen.add(target)
                    stack.append(target)
        if not returns:
            return Stop.NEVER_RETURNS
        return Stop.DEPENDS if depends else Stop.ALWAYS_RETURNS

    def _in_block(self, block: int) -> Stop:
        context, found = self._context, Stop.ALWAYS_RETURNS
        for instr in range(context.instr_start[block], context.instr_start[block + 1]):
            if context.op[instr] in context.call_ops:
                stop = self._at_call(instr)
                if stop is Stop.NEVER_RETURNS:
                    return stop
                found = found if stop is Stop.ALWAYS_RETURNS else stop
        return found

    def _at_call(self, instr: int) -> Stop:
        context = self._context
        func = context.callee(instr)
        if context.aux[instr] & _CALL_NO_RETURN:
            return Stop.NEVER_RETURNS
        if func < 0:
            return Stop.ALWAYS_RETURNS
        if context.func_flags[func] & _NO_RETURN:
            return Stop.NEVER_RETURNS
        if context.is_declared[func]:
            if others := context.alternatives(func):
                stops = {self.of(other) for other in others}
                return stops.pop() if len(stops) == 1 else Stop.DEPENDS
            ends = context.externals.of(func).ends
            if not ends:
                return Stop.ALWAYS_RETURNS
            return Stop.DEPENDS if all(ends) else Stop.NEVER_RETURNS
        stop = self.of(func)
        if stop is Stop.DEPENDS and not self._tells_callers(func):
            return Stop.ALWAYS_RETURNS
        return stop
