"""Shapes of addresses that need no guards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heapflow.ir.codes import (
    OP_ALLOCA,
    OP_GEP,
    VALUE_CONST_EXPR,
    VALUE_FUNCTION,
    VALUE_GLOBAL,
    VALUE_INSTR,
    VALUE_INT,
)
from heapflow.ir.ids import NO_VALUE, ValueId
from heapflow.ir.kinds import POINTER_COPIES
from heapflow.logic.term import Function, Global, Local, Term, Val

if TYPE_CHECKING:
    from heapflow.guards.context import GuardContext


def root_of(context: GuardContext, value: ValueId) -> tuple[Term, int | None]:
    """Like `place_of` of a pointer's term, from the instructions alone.

    Guards of later blocks need not exist; what is no plain address is the value itself.
    """
    code = context.code
    offset: int | None = 0
    for _ in range(context.limits.farthest_root):
        kind = code.value_kind[value]
        index = code.value_index[value]
        if kind == VALUE_CONST_EXPR:
            exprs = context.program.const_exprs
            op, start = int(exprs.op[index]), int(exprs.operand_start[index])
            count = int(exprs.operand_start[index + 1]) - start
            aux = int(exprs.aux[index] + exprs.aux2[index])
            inner = ValueId(int(exprs.operand[start]) if count else -1)
        elif kind == VALUE_INSTR:
            op, operands = code.op[index], code.operands(index)
            count, inner = len(operands), operands[0] if operands else NO_VALUE
            aux = code.aux[index] + code.aux2[index]
        else:
            break
        if op == OP_GEP:
            offset = None if offset is None or count > 1 else offset + aux
        elif op not in POINTER_COPIES:
            break
        value = inner
    else:
        context.limits_hit["steps to the root of an address"] += 1
    kind, index = code.value_kind[value], code.value_index[value]
    if kind == VALUE_GLOBAL:
        return Global(index), offset
    if kind == VALUE_FUNCTION:
        return Function(index), offset
    if kind == VALUE_INSTR and code.op[index] == OP_ALLOCA:
        return Local(value), offset
    return Val(value), offset


def number_of(context: GuardContext, value: ValueId) -> int | None:
    """The number that a constant pointer is, as in `(char *)1`; None if it is none."""
    if context.code.value_kind[value] != VALUE_CONST_EXPR:
        return None
    root, offset = root_of(context, value)
    if not isinstance(root, Val) or offset is None:
        return None
    if context.code.value_kind[root.value] != VALUE_INT:
        return None
    return context.code.value_number[root.value] + offset
