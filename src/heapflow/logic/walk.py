"""Terms within terms."""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

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


def parts_of(term: Term) -> tuple[Term, ...]:
    """The terms that a term is made of. An address in a variable counts as one."""
    match term:
        case Moved():
            return (term.base,)
        case Indexed():
            return (term.base, *(index for index, _ in term.indices))
        case Load() | Later() | Met():
            return (term.address,)
        case Operation():
            return (term.left, term.right)
        case Pure():
            return term.parts
        case At() | Callee() | Turn():
            return (term.inner,)
        case Int() | Null() | Val() | Global() | Function() | Local():
            return ()
        case Inside() | Undefined() | Contents():
            return ()
        case _:
            assert_never(term)


def rebuilt(term: Term, change: Callable[[Term], Term]) -> Term:
    """The same term made of other parts."""
    match term:
        case Moved(base, offset):
            return Moved(change(base), offset)
        case Indexed(base, offset, indices):
            others = tuple((change(index), stride) for index, stride in indices)
            return Indexed(change(base), offset, others)
        case Load(address, size):
            return Load(change(address), size)
        case Later(address, size, instr):
            return Later(change(address), size, instr)
        case Met(address, size, block):
            return Met(change(address), size, block)
        case Operation(op, left, right):
            return Operation(op, change(left), change(right))
        case Pure(func, parts):
            return Pure(func, tuple(change(part) for part in parts))
        case At(site, inner):
            return At(site, change(inner))
        case Callee(inner):
            return Callee(change(inner))
        case Turn(number, inner):
            return Turn(number, change(inner))
        case Int() | Null() | Val() | Global() | Function() | Local():
            return term
        case Inside() | Undefined() | Contents():
            return term
        case _:
            assert_never(term)
