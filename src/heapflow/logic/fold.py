"""Arithmetic on terms that are numbers."""

from __future__ import annotations

from typing import Final

from heapflow.ir.kinds import Op
from heapflow.logic.compare import constant_of
from heapflow.logic.term import Int, Term

_FOLDABLE: Final = {
    Op.ADD: lambda a, b: a + b,
    Op.SUB: lambda a, b: a - b,
    Op.MUL: lambda a, b: a * b,
    Op.AND: lambda a, b: a & b,
    Op.OR: lambda a, b: a | b,
    Op.XOR: lambda a, b: a ^ b,
}


def fold(op: Op, left: Term, right: Term) -> Term | None:
    """A number, if both operands are numbers."""
    function = _FOLDABLE.get(op)
    a, b = constant_of(left), constant_of(right)
    if function is None or a is None or b is None:
        return None
    number = function(a, b) & 0xFFFF_FFFF_FFFF_FFFF
    return Int(number - (1 << 64) if number >> 63 else number)
