"""Comparisons of numbers, as the program's instructions make them."""

from __future__ import annotations

from heapflow.ir.kinds import CmpPredicate

_MASK = 0xFFFF_FFFF_FFFF_FFFF


def compare_numbers(predicate: CmpPredicate, left: int, right: int) -> bool:
    """The truth of a comparison; unsigned ones on the 64-bit patterns."""
    if predicate in (
        CmpPredicate.UGT,
        CmpPredicate.UGE,
        CmpPredicate.ULT,
        CmpPredicate.ULE,
    ):
        left, right = left & _MASK, right & _MASK
    match predicate:
        case CmpPredicate.EQ:
            return left == right
        case CmpPredicate.NE:
            return left != right
        case CmpPredicate.UGT | CmpPredicate.SGT:
            return left > right
        case CmpPredicate.UGE | CmpPredicate.SGE:
            return left >= right
        case CmpPredicate.ULT | CmpPredicate.SLT:
            return left < right
        case _:
            return left <= right
