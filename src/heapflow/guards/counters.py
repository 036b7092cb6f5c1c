"""Numbers that only grow: what a loop's counter is at least.

    n = 0; while (…) { …; n++; }      n is at least 0
Found from the instructions alone: a header's φ that starts with a constant and to which every turn adds
nothing or a positive constant. Wrap-around does not count.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from heapflow.ir.codes import OP_PHI, OP_SELECT, VALUE_INT
from heapflow.ir.ids import ValueId
from heapflow.ir.kinds import COPIES, WIDENINGS, Op

if TYPE_CHECKING:
    from heapflow.guards.context import GuardContext

_COPIES: Final = COPIES | WIDENINGS


class Counters:
    """Lower bounds of loop variables, found when asked for."""

    def __init__(self, context: GuardContext) -> None:
        self._context = context
        self._lowest: dict[int, int | None] = {}

    def lowest_of(self, value: ValueId) -> int | None:
        """The smallest number that a loop's counter is, if it only grows."""
        if value not in self._lowest:
            self._lowest[value] = self._find(value)
        return self._lowest[value]

    def _find(self, phi: ValueId) -> int | None:
        """The smallest constant that flows in, if all else is the φ itself and what was added."""
        context = self._context
        code = context.code
        if not self._is(phi, OP_PHI) or code.is_pointer(phi):
            return None
        low: int | None = None
        found_itself = False
        seen: set[int] = set()
        todo = list(code.operands(code.value_index[phi]))
        while todo:
            value = todo.pop()
            if value == phi:
                found_itself = True
                continue
            if value in seen:
                continue
            seen.add(value)
            if len(seen) > context.limits.farthest_counter:
                context.limits_hit["values of a counter"] += 1
                return None
            if code.value_kind[value] == VALUE_INT:
                number = code.value_number[value]
                low = number if low is None else min(low, number)
                continue
            instr = code.instr_of(value)
            operands = code.operands(instr) if instr >= 0 else []
            op = code.op[instr] if instr >= 0 else -1
            if op == OP_PHI or op in _COPIES:
                todo += operands
            elif op == OP_SELECT:
                todo += operands[1:]
            elif op == Op.ADD and self._is_positive(operands[1]):
                todo.append(operands[0])
            else:
                return None
        return low if found_itself or seen else None

    def _is(self, value: ValueId, op: int) -> bool:
        instr = self._context.code.instr_of(value)
        return instr >= 0 and self._context.code.op[instr] == op

    def _is_positive(self, value: ValueId) -> bool:
        code = self._context.code
        return code.value_kind[value] == VALUE_INT and code.value_number[value] > 0
