"""Values that are new blocks: results of allocators and of functions that return nothing else.

What is written into a new block is not written into anything that existed before the call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from heapflow.ir.codes import FUNC_RESULT_NO_ALIAS, OP_PHI, OP_RET, OP_SELECT
from heapflow.ir.ids import NO_FUNC, FuncId, ValueId
from heapflow.ir.kinds import COPIES, ValueKind

if TYPE_CHECKING:
    from heapflow.guards.context import GuardContext

_NOTHING: Final = frozenset({ValueKind.NULL, ValueKind.UNDEF})


class FreshValues:
    """Found from the instructions alone, when asked for."""

    def __init__(self, context: GuardContext) -> None:
        self._context = context
        self._functions: dict[int, bool] = {}

    def is_fresh(self, value: ValueId) -> bool:
        """Whether a value is a new block (or NULL) whatever happened."""
        while (missing := self._first_missing([value])) >= 0:
            self._find(missing)
        return self._all_fresh([value])

    def _first_missing(self, values: list[ValueId]) -> FuncId:
        """A function to be looked at before it is known whether all values are new; -1: none."""
        missing: list[FuncId] = []
        self._all_fresh(values, missing)
        return missing[0] if missing else NO_FUNC

    def _find(self, func: FuncId) -> None:
        """Whether a function gives new blocks only: callees first, recursion gives none."""
        waiting = [func]
        self._functions[func] = False
        while waiting:
            values = returned_values(self._context, waiting[-1])
            missing = self._first_missing(list(values))
            if missing >= 0:
                self._functions[missing] = False
                waiting.append(missing)
            else:
                self._functions[waiting.pop()] = self._all_fresh(values)

    def _all_fresh(self, values: list[ValueId], missing: list[FuncId] | None = None) -> bool:
        context = self._context
        code = context.code
        seen: set[int] = set()
        found = False
        while values:
            value = values.pop()
            if value in seen or code.value_kind[value] in _NOTHING:
                continue
            seen.add(value)
            instr = code.instr_of(value)
            if instr < 0:
                return False
            if len(seen) > context.limits.farthest_fresh:
                context.limits_hit["values that may be new blocks"] += 1
                return False
            op = code.op[instr]
            if op == OP_PHI or op in COPIES:
                values += code.operands(instr)
            elif op == OP_SELECT:
                values += code.operands(instr)[1:]
            elif op in code.call_ops and self._gives_fresh(code.callee(instr), missing):
                found = True
            else:
                return False
        return found

    def _gives_fresh(self, func: FuncId, missing: list[FuncId] | None) -> bool:
        context = self._context
        code = context.code
        if func < 0:
            return False
        if code.func_flags[func] & FUNC_RESULT_NO_ALIAS:
            return True
        if code.is_declared[func]:
            return context.externals.of(func).fresh
        known = self._functions.get(func)
        if known is None and missing is not None:
            missing.append(func)
        return bool(known)


def returned_values(context: GuardContext, func: FuncId) -> list[ValueId]:
    """The operands of a function's returns."""
    found: list[ValueId] = []
    for block in range(context.code.block_start[func], context.code.block_start[func + 1]):
        last = context.code.instr_start[block + 1] - 1
        if context.code.op[last] == OP_RET:
            found += context.code.operands(last)
    return found
