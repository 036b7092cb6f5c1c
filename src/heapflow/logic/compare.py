"""What is known of comparisons of terms without running anything, and one spelling for each."""

from __future__ import annotations

from typing import Final

from heapflow.ir.codes import CMP_EQ, CMP_NE, CMP_SGT, CMP_SLT, CMP_UGE, CMP_UGT, CMP_ULT
from heapflow.ir.compare import compare_numbers
from heapflow.ir.kinds import MIRRORED, CmpPredicate, Op
from heapflow.logic.address import is_in_variable
from heapflow.logic.order import comes_after
from heapflow.logic.space import Guard
from heapflow.logic.term import NULL, Int, Null, Operation, Term

Case = tuple[Guard, Term]  # under this condition, the value is this term

_NEGATED: Final = {
    CmpPredicate.NE: CmpPredicate.EQ,
    CmpPredicate.UGE: CmpPredicate.ULT,
    CmpPredicate.ULE: CmpPredicate.UGT,
    CmpPredicate.SGE: CmpPredicate.SLT,
    CmpPredicate.SLE: CmpPredicate.SGT,
}
_OPPOSITE: Final = {CmpPredicate.EQ: CmpPredicate.NE, CmpPredicate.NE: CmpPredicate.EQ}
_REFLEXIVE: Final = frozenset(
    {CmpPredicate.EQ, CmpPredicate.UGE, CmpPredicate.ULE, CmpPredicate.SGE, CmpPredicate.SLE}
)


def constant_of(term: Term) -> int | None:
    """The number that a term is, NULL counting as 0."""
    if isinstance(term, Int):
        return term.number
    return 0 if isinstance(term, Null) else None


def decide(predicate: CmpPredicate, left: Term, right: Term) -> bool | None:
    """The truth of a comparison if the terms alone decide it."""
    if left == right:
        return predicate in _REFLEXIVE
    a, b = constant_of(left), constant_of(right)
    if a is not None and b is not None:
        return compare_numbers(predicate, a, b)
    if predicate in (CMP_EQ, CMP_NE):
        distinct = (is_in_variable(left) and (b == 0 or is_in_variable(right))) or (
            is_in_variable(right) and a == 0
        )
        if distinct:
            return predicate == CMP_NE
    if b == 0 and predicate in (CMP_ULT, CMP_UGE):
        return predicate == CMP_UGE
    return None


def _clear_bit(term: Term) -> Term | None:
    """`~x & 4` is not zero exactly if `x & 4` is: that term, if the one given is of this shape."""
    match term:
        case Operation(Op.AND, Operation(Op.XOR, word, Int(-1)), Int(bit)):
            if bit > 0 and bit & (bit - 1) == 0:
                return Operation(Op.AND, word, Int(bit))
    return None


def canonical(
    predicate: CmpPredicate, left: Term, right: Term
) -> tuple[CmpPredicate, Term, Term, bool]:
    """(predicate, left, right, negated): one spelling for equivalent comparisons.

    Constants stand on the right; only EQ, ULT/UGT and SLT/SGT remain, and on constants only the
    less-than forms (x > c is not x < c + 1).
    """
    left_constant, right_constant = constant_of(left), constant_of(right)
    if right_constant == 0 and (bit := _clear_bit(left)) is not None:
        predicate, left = _OPPOSITE.get(predicate, predicate), bit
    if left_constant is not None or (right_constant is None and comes_after(left, right)):
        predicate, left, right = MIRRORED[predicate], right, left
        right_constant = left_constant
    # x <u 1 and x >u 0 test against zero
    if predicate == CMP_ULT and right_constant == 1:
        predicate, right = CMP_EQ, Int(0)
    elif predicate == CMP_UGT and right_constant == 0:
        predicate = CMP_NE
    negated = predicate in _NEGATED
    predicate = _NEGATED.get(predicate, predicate)
    if right_constant is not None and predicate in (CMP_SGT, CMP_UGT):
        below = CMP_SLT if predicate == CMP_SGT else CMP_ULT
        return below, left, Int((constant_of(right) or 0) + 1), not negated
    if right == NULL:
        right = Int(0)
    return predicate, left, right, negated
