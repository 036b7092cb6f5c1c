"""Abstract numbers: a few constants, or signs.

In:    abstract operands, widths.     Out: abstract results.
A value is a frozenset of at most `most` numbers (signed), or a mask of signs; addresses are positive.
Nothing at all (the empty set) is a value that nobody computed yet, or that nobody can read.
Guarantees: every operation grows with its operands, so iteration ends.
Not modelled: a counter that wraps around (steps by small constants do not); addresses that are equal.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from heapflow.ir.kinds import MIRRORED, ArithFlag, CmpPredicate, Op

NEGATIVE: Final = 1
ZERO: Final = 2
POSITIVE: Final = 4
ANY: Final = 7

Abstract: TypeAlias = frozenset[int] | int
NOTHING: Final[Abstract] = frozenset()
BOTH: Final[Abstract] = frozenset((0, 1))

_EQ, _NE = int(CmpPredicate.EQ), int(CmpPredicate.NE)
_TRUE: Final = frozenset((1,))
_FALSE: Final = frozenset((0,))
_MIRRORED = {int(a): int(b) for a, b in MIRRORED.items()}
_NEGATED = {
    int(a): int(b)
    for a, b in (
        (CmpPredicate.EQ, CmpPredicate.NE),
        (CmpPredicate.NE, CmpPredicate.EQ),
        (CmpPredicate.UGT, CmpPredicate.ULE),
        (CmpPredicate.UGE, CmpPredicate.ULT),
        (CmpPredicate.ULT, CmpPredicate.UGE),
        (CmpPredicate.ULE, CmpPredicate.UGT),
        (CmpPredicate.SGT, CmpPredicate.SLE),
        (CmpPredicate.SGE, CmpPredicate.SLT),
        (CmpPredicate.SLT, CmpPredicate.SGE),
        (CmpPredicate.SLE, CmpPredicate.SGT),
    )
}
# Numbers are not compared with more than there is room for (`if (SIZE_MAX / 16 < count) return -1`):
# such a guard is one against want of memory.
_LEAST_BEYOND: Final = 1 << 40
_MOST_BEYOND: Final = 1 << 62
_BEYOND = {
    int(CmpPredicate.UGT): _FALSE,
    int(CmpPredicate.UGE): _FALSE,
    int(CmpPredicate.ULT): _TRUE,
    int(CmpPredicate.ULE): _TRUE,
}


def mirrored(predicate: int) -> int:
    """The predicate with its sides exchanged."""
    return _MIRRORED[predicate]


def negated(predicate: int) -> int:
    return _NEGATED[predicate]


def signed(number: int, width: int) -> int:
    number &= (1 << width) - 1
    return number - (1 << width) if width and number >> (width - 1) else number


def sign(number: int) -> int:
    return ZERO if number == 0 else POSITIVE if number > 0 else NEGATIVE


def signs(value: Abstract) -> int:
    """The signs that a value may have."""
    if isinstance(value, int):
        return value
    found = 0
    for number in value:
        found |= sign(number)
    return found


def join(one: Abstract, other: Abstract, most: int) -> Abstract:
    """What is one or the other."""
    if isinstance(one, frozenset) and isinstance(other, frozenset):
        if other <= one:
            return one
        both = one | other
        return both if len(both) <= most else signs(both)
    return signs(one) | signs(other)


# Comparisons -------------------------------------------------------------------------------------


def holds(predicate: int, one: int, other: int, width: int) -> bool:
    """Whether a comparison of two numbers holds."""
    if predicate in _UNSIGNED:
        bits = (1 << width) - 1
        one, other, predicate = one & bits, other & bits, _UNSIGNED[predicate]
    match predicate:
        case CmpPredicate.EQ:
            return one == other
        case CmpPredicate.NE:
            return one != other
        case CmpPredicate.SGT:
            return one > other
        case CmpPredicate.SGE:
            return one >= other
        case CmpPredicate.SLT:
            return one < other
        case _:
            return one <= other


_UNSIGNED = {
    int(CmpPredicate.UGT): int(CmpPredicate.SGT),
    int(CmpPredicate.UGE): int(CmpPredicate.SGE),
    int(CmpPredicate.ULT): int(CmpPredicate.SLT),
    int(CmpPredicate.ULE): int(CmpPredicate.SLE),
}


def compared(predicate: int, one: Abstract, other: Abstract, width: int) -> Abstract:
    """What a comparison may say: 0, 1, or both."""
    if not one or not other:
        return NOTHING
    if isinstance(one, frozenset) and isinstance(other, frozenset):
        said = {holds(predicate, a, b, width) for a in one for b in other}
        return _TRUE if said == {True} else _FALSE if said == {False} else BOTH
    if isinstance(one, frozenset):
        one, other, predicate = other, one, _MIRRORED[predicate]
    if not isinstance(other, frozenset) or len(other) != 1:
        return _by_signs(predicate, one, other)
    (number,) = other
    if one == ANY and _LEAST_BEYOND <= number <= _MOST_BEYOND and predicate in _BEYOND:
        return _BEYOND[predicate]
    if not narrowed(one, predicate, number, width):
        return _FALSE
    if not narrowed(one, _NEGATED[predicate], number, width):
        return _TRUE
    return BOTH


def _by_signs(predicate: int, one: Abstract, other: Abstract) -> Abstract:
    if signs(one) & signs(other):
        return BOTH
    return _FALSE if predicate == _EQ else _TRUE if predicate == _NE else BOTH


def narrowed(value: Abstract, predicate: int, number: int, width: int) -> Abstract:
    """What is left of a value where `value predicate number` holds."""
    if isinstance(value, frozenset):
        return frozenset(one for one in value if holds(predicate, one, number, width))
    if predicate == _EQ:
        return frozenset((number,)) if sign(number) & value else NOTHING
    # A sign is possible if its outermost numbers are.
    found = 0
    half = 1 << (width - 1)
    for mask, ends in ((NEGATIVE, (-half, -1)), (ZERO, (0,)), (POSITIVE, (1, half - 1))):
        if value & mask and any(holds(predicate, end, number, width) for end in ends):
            found |= mask
    return found or NOTHING


# Arithmetic --------------------------------------------------------------------------------------

_FOLDED = {
    int(Op.ADD): lambda a, b: a + b,
    int(Op.SUB): lambda a, b: a - b,
    int(Op.MUL): lambda a, b: a * b,
    int(Op.AND): lambda a, b: a & b,
    int(Op.OR): lambda a, b: a | b,
    int(Op.XOR): lambda a, b: a ^ b,
}
_ADD, _SUB, _MUL, _AND, _OR = map(int, (Op.ADD, Op.SUB, Op.MUL, Op.AND, Op.OR))
_NO_WRAP = int(ArithFlag.NO_SIGNED_WRAP)
_DIVISIONS = frozenset(map(int, (Op.UDIV, Op.SDIV, Op.LSHR, Op.ASHR)))
_REMAINDERS = frozenset(map(int, (Op.UREM, Op.SREM)))


def calculated(
    op: int, flags: int, width: int, one: Abstract, other: Abstract, most: int, step: int
) -> Abstract:
    """The result of integer arithmetic; steps of at most `step` do not wrap."""
    if not one or not other:
        return NOTHING
    fold = _FOLDED.get(op)
    if fold is not None and isinstance(one, frozenset) and isinstance(other, frozenset):
        both = frozenset(signed(fold(a, b), width) for a in one for b in other)
        return both if len(both) <= most else _counted(op, flags, one, other, step)
    return _counted(op, flags, one, other, step)


def _counted(op: int, flags: int, one: Abstract, other: Abstract, step: int) -> int:
    left, right = signs(one), signs(other)
    positive = not (left | right) & NEGATIVE
    if op in (_ADD, _SUB):
        is_counter = _is_step(other, step) or (op == _ADD and _is_step(one, step))
        if not (flags & _NO_WRAP or is_counter):
            return ANY
        if op == _SUB:
            if other == _TRUE and left == POSITIVE:
                return ZERO | POSITIVE
            right = _turned(right)
        return _sum(left, right)
    if op == _AND:
        return ZERO | POSITIVE if not left & NEGATIVE or not right & NEGATIVE else ANY
    if op == _OR and positive:
        return POSITIVE if POSITIVE in (left, right) else left | right
    if op == _MUL and flags & _NO_WRAP and positive:
        return POSITIVE if left == right == POSITIVE else ZERO | POSITIVE
    if (op in _DIVISIONS or op in _REMAINDERS) and positive:
        return ZERO | POSITIVE
    return ANY


def _is_step(value: Abstract, step: int) -> bool:
    return isinstance(value, frozenset) and all(abs(number) <= step for number in value)


def _turned(mask: int) -> int:
    return (
        (mask & ZERO) | (POSITIVE if mask & NEGATIVE else 0) | (NEGATIVE if mask & POSITIVE else 0)
    )


def _sum(left: int, right: int) -> int:
    if left & (NEGATIVE | POSITIVE) and right & (NEGATIVE | POSITIVE):
        if (left | right) & NEGATIVE and (left | right) & POSITIVE:
            return ANY
        found = (left | right) & ~ZERO
        return found | ZERO if left & right & ZERO else found
    if not right & ~ZERO:
        return left
    return right


def widened(value: Abstract, width: int) -> Abstract:
    """A zero extension."""
    if isinstance(value, frozenset):
        return frozenset(number & ((1 << width) - 1) for number in value)
    return (value & ~NEGATIVE) | (POSITIVE if value & NEGATIVE else 0)


def cut(value: Abstract, width: int) -> Abstract:
    """A truncation."""
    if isinstance(value, frozenset):
        return frozenset(signed(number, width) for number in value)
    return ANY


def text_of(value: Abstract) -> str:
    """For people: `0, 1, 4`, or the signs."""
    if isinstance(value, frozenset):
        return ", ".join(map(str, sorted(value)))
    named = ((NEGATIVE, "negative"), (ZERO, "zero"), (POSITIVE, "positive"))
    return " or ".join(name for mask, name in named if value & mask)
