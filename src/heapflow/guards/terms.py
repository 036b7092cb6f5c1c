"""What a condition talks about, and what is known of comparisons without running anything.

A term is a hashable tuple. Equal terms have equal values on any one run through the function (loops
bounded), so equal comparisons share one Boolean variable.
"""

from __future__ import annotations

from typing import Final

from heapflow.guards.bdd import Guard
from heapflow.guards.codes import CMP_EQ, CMP_NE, CMP_SGT, CMP_SLT, CMP_UGE, CMP_UGT, CMP_ULT
from heapflow.ir.compare import compare_numbers
from heapflow.ir.kinds import CmpPredicate

Term = tuple[object, ...]
Case = tuple[Guard, Term]  # under this condition, the value is this term
NULL: Final[Term] = ("null",)
TRUE: Final[Term] = ("int", 1)
FALSE: Final[Term] = ("int", 0)

_SWAPPED: Final = {
    CmpPredicate.EQ: CmpPredicate.EQ,
    CmpPredicate.NE: CmpPredicate.NE,
    CmpPredicate.UGT: CmpPredicate.ULT,
    CmpPredicate.UGE: CmpPredicate.ULE,
    CmpPredicate.ULT: CmpPredicate.UGT,
    CmpPredicate.ULE: CmpPredicate.UGE,
    CmpPredicate.SGT: CmpPredicate.SLT,
    CmpPredicate.SGE: CmpPredicate.SLE,
    CmpPredicate.SLT: CmpPredicate.SGT,
    CmpPredicate.SLE: CmpPredicate.SGE,
}
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


def int_term(number: int) -> Term:
    return ("int", number)


def constant_of(term: Term) -> int | None:
    """The number that a term is, NULL counting as 0."""
    if term[0] == "int":
        number = term[1]
        assert isinstance(number, int)
        return number
    return 0 if term[0] == "null" else None


def is_object_address(term: Term) -> bool:
    """An address that is not NULL and differs from every other object's."""
    return term[0] == "object"


def decide(predicate: CmpPredicate, left: Term, right: Term) -> bool | None:
    """The truth of a comparison if the terms alone decide it."""
    if left == right:
        return predicate in _REFLEXIVE
    a, b = constant_of(left), constant_of(right)
    if a is not None and b is not None:
        return compare_numbers(predicate, a, b)
    if predicate in (CMP_EQ, CMP_NE):
        distinct = (is_object_address(left) and (b == 0 or is_object_address(right))) or (
            is_object_address(right) and a == 0
        )
        if distinct:
            return predicate == CMP_NE
    if b == 0 and predicate in (CMP_ULT, CMP_UGE):
        return predicate == CMP_UGE
    return None


def _clear_bit(term: Term) -> Term | None:
    """`~x & 4` is not zero exactly if `x & 4` is: that term, if the one given is of this shape."""
    match term:
        case ("op", "AND", ("op", "XOR", tuple(word), ("int", -1)), ("int", int(bit))):
            if bit > 0 and bit & (bit - 1) == 0:
                return ("op", "AND", word, ("int", bit))
    return None


def _comes_after(left: Term, right: Term) -> bool:
    """An order of terms; most differ in their kind, and spelling terms out takes long."""
    kind, other = left[0], right[0]
    if kind != other and isinstance(kind, str) and isinstance(other, str):
        return kind > other
    return repr(left) > repr(right)


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
    if left_constant is not None or (right_constant is None and _comes_after(left, right)):
        predicate, left, right = _SWAPPED[predicate], right, left
        right_constant = left_constant
    # x <u 1 and x >u 0 test against zero
    if predicate == CMP_ULT and right_constant == 1:
        predicate, right = CMP_EQ, int_term(0)
    elif predicate == CMP_UGT and right_constant == 0:
        predicate = CMP_NE
    negated = predicate in _NEGATED
    predicate = _NEGATED.get(predicate, predicate)
    if right_constant is not None and predicate in (CMP_SGT, CMP_UGT):
        below = CMP_SLT if predicate == CMP_SGT else CMP_ULT
        return below, left, int_term((constant_of(right) or 0) + 1), not negated
    if right == NULL:
        right = int_term(0)
    return predicate, left, right, negated
