"""Which functions come back to their callers, from control flow alone.

Most functions always return. To know that, their conditions need not be computed: only where control
stops on some way (`if (!p) abort();`) can the condition matter to callers.
A function comes back if some way through it leads to its end over calls that come back. Functions that
call each other do only if one of them does so by itself: `error() { finish(); }` does not, though
`finish() { if (fclose(f)) error(); exit(0); }` calls it.
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
    """Whether functions return at all is found for all of them, the rest on demand."""

    def __init__(self, context: GuardContext, tells_callers: Callable[[int], bool]) -> None:
        self._context = context
        self._tells_callers = tells_callers  # whether a function's condition is worth carrying
        self._known: dict[int, Stop] = {}
        self._returning: set[int] = set()  # functions that may return
        self._find_returning()

    def of(self, func: int) -> Stop:
        """For a function with a body."""
        known = self._known.get(func)
        if known is None:
            if func not in self._returning:
                known = self._known[func] = Stop.NEVER_RETURNS
                return known
            self._known[func] = Stop.ALWAYS_RETURNS  # recursion
            _, depends = self._walk(func, self._at_call)
            known = self._known[func] = Stop.DEPENDS if depends else Stop.ALWAYS_RETURNS
        return known

    def may_return(self, func: int) -> bool:
        """Whether some way leads through a function with a body."""
        return func in self._returning

    def _find_returning(self) -> None:
        """The least set of functions of which one returns if those that it needs do."""
        context = self._context
        callers: dict[int, set[int]] = {}
        first = [f for f, declared in enumerate(context.is_declared) if not declared]
        for instr, op in enumerate(context.op):
            if op in context.call_ops and (callee := context.callee(instr)) >= 0:
                func = context.block_func[context.instr_block[instr]]
                for called in (callee, *context.alternatives(callee)):
                    callers.setdefault(called, set()).add(func)
        waiting = first[::-1]
        while waiting:
            func = waiting.pop()
            if func not in self._returning and self._walk(func, self._passes)[0]:
                self._returning.add(func)
                waiting += [f for f in sorted(callers.get(func, ())) if f not in self._returning]

    def _passes(self, instr: int) -> Stop:
        """A call, as far as it is known which functions return."""
        context = self._context
        stop = self._of_external(instr)
        if stop is None:
            func = context.callee(instr)
            others = context.alternatives(func) if context.is_declared[func] else [func]
            passes = any(other in self._returning for other in others)
            stop = Stop.ALWAYS_RETURNS if passes else Stop.NEVER_RETURNS
        return stop

    def _walk(self, func: int, at_call: Callable[[int], Stop]) -> tuple[bool, bool]:
        """Whether a way leads to the function's end, and whether control may stop on some way."""
        context = self._context
        edge_start = context.edge_start
        entry = context.block_start[func]
        seen, stack = {entry}, [entry]
        returns = depends = False
        while stack:
            block = stack.pop()
            stop = self._in_block(block, at_call)
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
        return returns, depends

    def _in_block(self, block: int, at_call: Callable[[int], Stop]) -> Stop:
        context, found = self._context, Stop.ALWAYS_RETURNS
        for instr in range(context.instr_start[block], context.instr_start[block + 1]):
            if context.op[instr] in context.call_ops:
                stop = at_call(instr)
                if stop is Stop.NEVER_RETURNS:
                    return stop
                found = found if stop is Stop.ALWAYS_RETURNS else stop
        return found

    def _at_call(self, instr: int) -> Stop:
        context = self._context
        stop = self._of_external(instr)
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

    def _of_external(self, instr: int) -> Stop | None:
        """Of a call that enters no body of this program; None if it does."""
        context = self._context
        func = context.callee(instr)
        if context.aux[instr] & _CALL_NO_RETURN:
            return Stop.NEVER_RETURNS
        if func < 0:
            return Stop.ALWAYS_RETURNS
        if context.func_flags[func] & _NO_RETURN:
            return Stop.NEVER_RETURNS
        if not context.is_declared[func] or context.alternatives(func):
            return None
        ends = context.externals.of(func).ends
        if not ends:
            return Stop.ALWAYS_RETURNS
        return Stop.DEPENDS if all(ends) else Stop.NEVER_RETURNS
