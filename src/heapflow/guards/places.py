"""Addresses as base and offset, and the shapes of addresses that need no guards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heapflow.guards.codes import (
    OP_ALLOCA,
    OP_GEP,
    VALUE_CONST_EXPR,
    VALUE_FUNCTION,
    VALUE_GLOBAL,
    VALUE_INSTR,
    VALUE_INT,
)
from heapflow.guards.terms import Term
from heapflow.ir.kinds import POINTER_COPIES, ValueKind

if TYPE_CHECKING:
    from heapflow.guards.context import GuardContext


def place_of(address: Term) -> tuple[Term, int | None]:
    """(base, constant offset); None if the offset is computed."""
    if address[0] == "object":
        return address[:3], _int(address[3]) if len(address) > 3 else 0
    if address[0] == "gep":
        base = address[1]
        assert isinstance(base, tuple)
        return base, _int(address[2]) if len(address) == 3 else None
    return address, 0


def moved(address: Term, offset: int) -> Term:
    """An address some bytes further."""
    if not offset:
        return address
    if address[0] == "gep" and len(address) > 3:
        return ("gep", address[1], _int(address[2]) + offset, *address[3:])
    base, known = place_of(address)
    assert known is not None
    offset += known
    if not offset:
        return base
    return (*base, offset) if base[0] == "object" else ("gep", base, offset)


def is_object(base: Term) -> bool:
    return base[0] == "object"


def root_of(context: GuardContext, value: int) -> tuple[Term, int | None]:
    """Like `place_of` of a pointer's term, from the instructions alone.

    Guards of later blocks need not exist; what is no plain address is ("val", value).
    """
    offset: int | None = 0
    for _ in range(context.limits.farthest_root):
        kind = context.value_kind[value]
        index = context.value_index[value]
        if kind == VALUE_CONST_EXPR:
            exprs = context.program.const_exprs
            op, start = int(exprs.op[index]), int(exprs.operand_start[index])
            count = int(exprs.operand_start[index + 1]) - start
            aux = int(exprs.aux[index] + exprs.aux2[index])
            inner = int(exprs.operand[start]) if count else -1
        elif kind == VALUE_INSTR:
            op, operands = context.op[index], context.operands(index)
            count, inner = len(operands), operands[0] if operands else -1
            aux = context.aux[index] + context.aux2[index]
        else:
            break
        if op == OP_GEP:
            offset = None if offset is None or count > 1 else offset + aux
        elif op not in POINTER_COPIES:
            break
        value = inner
    else:
        context.limits_hit["steps to the root of an address"] += 1
    kind, index = context.value_kind[value], context.value_index[value]
    if kind in (VALUE_GLOBAL, VALUE_FUNCTION):
        return ("object", ValueKind(kind).name, index), offset
    if kind == VALUE_INSTR and context.op[index] == OP_ALLOCA:
        return ("object", "ALLOCA", value), offset
    return ("val", value), offset


def number_of(context: GuardContext, value: int) -> int | None:
    """The number that a constant pointer is, as in `(char *)1`; None if it is none."""
    if context.value_kind[value] != VALUE_CONST_EXPR:
        return None
    root, offset = root_of(context, value)
    if root[0] != "val" or offset is None or not isinstance(inner := root[1], int):
        return None
    if context.value_kind[inner] != VALUE_INT:
        return None
    return context.value_number[inner] + offset


def _int(part: object) -> int:
    assert isinstance(part, int)
    return part
