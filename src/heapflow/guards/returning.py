"""Which functions come back at all, from control flow alone.

A function comes back if some way through it leads to its end over calls that come back. Functions that
call each other do only if one of them does so by itself: `error() { finish(); }` does not, though
`finish() { if (fclose(f)) error(); exit(0); }` calls it.
Not modelled: a function that returns or loops for ever counts as returning.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto
from typing import TYPE_CHECKING

from heapflow.ir.codes import CALL_NO_RETURN, EDGE_UNWIND, FUNC_NO_RETURN, OP_RESUME, OP_RET
from heapflow.ir.ids import NO_FUNC, BlockId, FuncId, InstrId

if TYPE_CHECKING:
    from heapflow.guards.context import GuardContext


class Stop(Enum):
    """Whether control comes back from a function."""

    ALWAYS_RETURNS = auto()
    DEPENDS = auto()  # on conditions
    NEVER_RETURNS = auto()


class Returning:
    """The functions with a body that may return."""

    def __init__(self, context: GuardContext) -> None:
        self._context = context
        self._functions: set[FuncId] = set()
        self._externals: dict[int, Stop | None] = {}
        self._calls = self._find_calls()
        self._find()
        never = Stop.NEVER_RETURNS
        self._stuck = {b for b in self._calls if self._in_block(b, self._at_call) is never}

    def may_return(self, func: FuncId) -> bool:
        """Whether some way leads through a function with a body."""
        return func in self._functions

    def comes_back(self, block: int) -> bool:
        """Whether control may come back from all calls of a block."""
        return block not in self._stuck

    def calls(self, block: BlockId) -> list[InstrId]:
        """The calls in a block."""
        return self._calls.get(block, [])

    def of_external(self, instr: int) -> Stop | None:
        """Of a call that enters no body of this program; None if it does."""
        code = self._context.code
        func = code.callee(instr)
        if code.aux[instr] & CALL_NO_RETURN:
            return Stop.NEVER_RETURNS
        if func < 0:
            return Stop.ALWAYS_RETURNS
        if code.func_flags[func] & FUNC_NO_RETURN:
            return Stop.NEVER_RETURNS
        if not code.is_declared[func]:
            return None
        if func not in self._externals:
            self._externals[func] = self._external(func)
        return self._externals[func]

    def _external(self, func: FuncId) -> Stop | None:
        context = self._context
        if context.code.alternatives(func):
            return None
        ends = context.externals.of(func).ends
        if not ends:
            return Stop.ALWAYS_RETURNS
        return Stop.DEPENDS if all(ends) else Stop.NEVER_RETURNS

    def walk(self, func: FuncId, at_call: Callable[[InstrId], Stop]) -> tuple[bool, bool]:
        """Whether a way leads to the function's end, and whether control may stop on some way."""
        code = self._context.code
        edge_start = code.edge_start
        entry = BlockId(code.block_start[func])
        seen, stack = {entry}, [entry]
        returns = depends = False
        while stack:
            block = stack.pop()
            if block in self._calls:
                stop = self._in_block(block, at_call)
                depends = depends or stop is not Stop.ALWAYS_RETURNS
                if stop is Stop.NEVER_RETURNS:
                    continue
            if code.op[code.instr_start[block + 1] - 1] in (OP_RET, OP_RESUME):
                returns = True
            for edge in range(edge_start[block], edge_start[block + 1]):
                target = code.edge_target[edge]
                if target not in seen and code.edge_kind[edge] != EDGE_UNWIND:
                    seen.add(target)
                    stack.append(target)
        return returns, depends

    def _in_block(self, block: BlockId, at_call: Callable[[InstrId], Stop]) -> Stop:
        found = Stop.ALWAYS_RETURNS
        for instr in self._calls.get(block, ()):
            stop = at_call(instr)
            if stop is Stop.NEVER_RETURNS:
                return stop
            found = found if stop is Stop.ALWAYS_RETURNS else stop
        return found

    def _find_calls(self) -> dict[BlockId, list[InstrId]]:
        context, found = self._context, dict[BlockId, list[InstrId]]()
        code = context.code
        for instr, op in enumerate(code.op):
            if op in code.call_ops:
                found.setdefault(code.instr_block[instr], []).append(InstrId(instr))
        return found

    def _find(self) -> None:
        """The least set of functions of which one returns if those that it needs do."""
        code = self._context.code
        callers: dict[FuncId, set[FuncId]] = {}
        for block, instrs in self._calls.items():
            func = code.block_func[block]
            for callee in {code.callee(instr) for instr in instrs} - {NO_FUNC}:
                for called in (callee, *code.alternatives(callee)):
                    callers.setdefault(called, set()).add(func)
        waiting = [FuncId(f) for f, declared in enumerate(code.is_declared) if not declared][::-1]
        while waiting:
            func = waiting.pop()
            if func not in self._functions and self.walk(func, self._at_call)[0]:
                self._functions.add(func)
                waiting += [f for f in sorted(callers.get(func, ())) if f not in self._functions]

    def _at_call(self, instr: InstrId) -> Stop:
        """A call, as far as it is known which functions return."""
        stop = self.of_external(instr)
        if stop is None:
            code = self._context.code
            func = code.callee(instr)
            others = code.alternatives(func) if code.is_declared[func] else [func]
            passes = any(other in self._functions for other in others)
            stop = Stop.ALWAYS_RETURNS if passes else Stop.NEVER_RETURNS
        return stop
