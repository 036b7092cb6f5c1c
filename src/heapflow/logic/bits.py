"""Words of flags: what is known of single bits.

    call(s, flags | QUIET)   … callee: if (!(flags & QUIET)) …    the bit is set, whatever `flags` is

A mask looks through the operations that set and clear other bits, so that tests of the same bit are the
same comparison, and tests of bits that were set or cleared are decided.
"""

from __future__ import annotations

from typing import Final

from heapflow.ir.kinds import Op
from heapflow.logic.compare import constant_of
from heapflow.logic.term import FALSE, Int, Operation, Term

_ALL: Final = -1
_WORDS: Final = (Op.AND, Op.OR)


def operation(op: Op, left: Term, right: Term) -> Term:
    """The term of an operation, simplified as far as bits tell."""
    number = constant_of(right)
    if op in _WORDS and number is None and constant_of(left) is not None:
        left, right, number = right, left, constant_of(left)
    if number is None or op not in _WORDS:
        return Operation(op, left, right)
    if op is Op.AND:
        return _masked(left, number)
    return _with_bits(left, number)


def sure_bits(term: Term) -> int:
    """Bits that are set in any case."""
    return _bits(term, 0)


def possible_bits(term: Term) -> int:
    """Bits that may be set."""
    return _bits(term, _ALL)


def _bits(term: Term, of_unknown: int) -> int:
    number = constant_of(term)
    if number is not None:
        return number
    match term:
        case Operation(Op.OR, left, right):
            return _bits(left, of_unknown) | _bits(right, of_unknown)
        case Operation(Op.AND, left, right):
            return _bits(left, of_unknown) & _bits(right, of_unknown)
    return of_unknown


def _masked(term: Term, mask: int) -> Term:
    """The term without bits outside of the mask."""
    if not possible_bits(term) & mask:
        return FALSE
    if sure_bits(term) & mask == mask:
        return Int(mask)
    match term:
        case Operation(Op.AND, inner, Int(other)):
            return _masked(inner, mask & other)
        case Operation(Op.OR, left, right):
            if not possible_bits(right) & mask:
                return _masked(left, mask)
            if not possible_bits(left) & mask:
                return _masked(right, mask)
    return Operation(Op.AND, term, Int(mask))


def _with_bits(term: Term, bits: int) -> Term:
    """The term with these bits set."""
    if sure_bits(term) & bits == bits:
        return term
    match term:
        case Operation(Op.OR, inner, Int(other)):
            return Operation(Op.OR, inner, Int(bits | other))
    return Operation(Op.OR, term, Int(bits))
