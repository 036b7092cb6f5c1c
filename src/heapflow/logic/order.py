"""An order of terms, so that `a == b` and `b == a` are one comparison."""

from __future__ import annotations

from typing import Final, assert_never

from heapflow.logic.term import (
    At,
    Callee,
    Contents,
    Function,
    Global,
    Indexed,
    Inside,
    Int,
    Later,
    Load,
    Local,
    Met,
    Moved,
    Null,
    Operation,
    Pure,
    Term,
    Turn,
    Undefined,
    Val,
)

# Any order will do, as long as it is always the same. What callers can say something about (values,
# memory) is compared with what they cannot.
_RANK: Final[dict[type[Term], int]] = {
    At: 0,
    Callee: 1,
    Moved: 2,
    Indexed: 2,
    Int: 3,
    Load: 4,
    Later: 4,
    Met: 4,
    Null: 5,
    Local: 6,
    Function: 6,
    Global: 6,
    Inside: 6,
    Operation: 7,
    Pure: 8,
    Turn: 9,
    Undefined: 10,
    Val: 11,
    Contents: 12,
}
_Key = tuple[object, ...]


def comes_after(left: Term, right: Term) -> bool:
    """Whether one term stands on the right of another in a comparison."""
    rank, other = _RANK[type(left)], _RANK[type(right)]
    if rank != other:
        return rank > other
    return _key(left) > _key(right)


def _key(term: Term) -> _Key:
    """Numbers in an order of their own: those of one rank have the same shape."""
    rank = _RANK[type(term)]
    match term:
        case Null():
            return (rank,)
        case Int(number) | Val(number) | Undefined(number) | Contents(number):
            return (rank, number)
        case Local(number):
            return (rank, 0, number, 0)
        case Function(number):
            return (rank, 1, number, 0)
        case Global(number):
            return (rank, 2, number, 0)
        case Inside(base, offset):
            return (*_key(base)[:3], offset)
        case Moved(base, offset):
            return (rank, _key(base), offset, ())
        case Indexed(base, offset, indices):
            return (rank, _key(base), offset, tuple((_key(i), stride) for i, stride in indices))
        case Load(address, size):
            return (rank, _key(address), size, 0, 0)
        case Later(address, size, instr):
            return (rank, _key(address), size, 1, instr)
        case Met(address, size, block):
            return (rank, _key(address), size, 2, block)
        case Operation(op, left, right):
            return (rank, int(op), _key(left), _key(right))
        case Pure(func, parts):
            return (rank, func, tuple(_key(part) for part in parts))
        case At(number, inner) | Turn(number, inner):
            return (rank, number, _key(inner))
        case Callee(inner):
            return (rank, _key(inner))
        case _:
            assert_never(term)
