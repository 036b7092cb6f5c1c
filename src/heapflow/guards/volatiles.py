"""Volatile variables that are volatile for setjmp's sake only.

    volatile int code = 0;  if (nested) code = setjmp(top);  if (code == 0) run(s);

In:    one function's guards, a pointer.     Out: whether loads from it see what was stored last.
A local variable whose address is only loaded from and stored to is changed by nobody else. A jump back
to setjmp brings what was stored after its first return; if that is nothing but setjmp's own result, the
variable is as control flow says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from heapflow.guards.cfg import leads_to
from heapflow.ir.kinds import Op

if TYPE_CHECKING:
    from heapflow.guards.function import FunctionGuards


class Volatiles:
    """Volatile locals of one function, looked at when first asked for."""

    def __init__(self, guards: FunctionGuards) -> None:
        self.guards, self.context = guards, guards.context
        self._known: dict[int, bool] = {}
        self._twice: list[int] | None = None

    def is_plain(self, pointer: int) -> bool:
        """Whether a pointer is a volatile variable that only this function's control flow changes."""
        base, offset = self.guards.root(pointer)
        if base[0] != "object" or base[1] != "ALLOCA" or offset != 0:
            return False
        variable = base[2]
        assert isinstance(variable, int)
        if variable not in self._known:
            self._known[variable] = self._look_at(variable)
        return self._known[variable]

    def _look_at(self, variable: int) -> bool:
        context = self.context
        first, last = (context.block_start[self.guards.func + i] for i in (0, 1))
        for instr in range(context.instr_start[first], context.instr_start[last]):
            operands = context.operands(instr)
            if variable not in operands or context.op[instr] == Op.LOAD:
                continue
            if context.op[instr] != Op.STORE or operands[1] == variable:
                return False
            if any(not self._survives(instr, call) for call in self._setjmps()):
                return False
        return True

    def _survives(self, store: int, call: int) -> bool:
        """Whether a jump back to a setjmp finds nothing of a store that control flow does not show."""
        context = self.context
        if context.operands(store)[1] == context.result[call]:
            return True
        stored, jumped = context.instr_block[store], context.instr_block[call]
        if stored == jumped:
            return store < call
        if self._dominates(stored, jumped):
            return True
        return not leads_to(self.guards.cfg, context.edge_target, jumped, (stored,))

    def _setjmps(self) -> list[int]:
        if self._twice is None:
            context = self.context
            first, last = (context.block_start[self.guards.func + i] for i in (0, 1))
            self._twice = [
                instr
                for instr in range(context.instr_start[first], context.instr_start[last])
                if context.op[instr] in context.call_ops and self.guards.returns_twice(instr)
            ]
        return self._twice

    def _dominates(self, block: int, other: int) -> bool:
        above = self.guards.cfg.above
        while other != block and other in above:
            other = above[other]
        return other == block
