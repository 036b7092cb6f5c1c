"""Addresses as base and offset."""

from __future__ import annotations

from typing import TypeGuard

from heapflow.logic.term import (
    Function,
    Global,
    Indexed,
    Inside,
    Int,
    Local,
    Moved,
    Null,
    Object,
    Term,
)


def place_of(address: Term) -> tuple[Term, int | None]:
    """(base, constant offset); None if the offset is computed."""
    if isinstance(address, Inside | Moved):
        return address.base, address.offset
    if isinstance(address, Indexed):
        return address.base, None
    return address, 0


def moved(address: Term, offset: int) -> Term:
    """An address some bytes further."""
    if not offset:
        return address
    if isinstance(address, Indexed):
        return Indexed(address.base, address.offset + offset, address.indices)
    base, known = place_of(address)
    assert known is not None
    offset += known
    if not offset:
        return base
    return Inside(base, offset) if is_variable(base) else Moved(base, offset)


def is_variable(base: Term) -> TypeGuard[Object]:
    """Whether a term is the address of a variable or function: not NULL, and no other's."""
    return isinstance(base, Global | Function | Local)


def is_in_variable(term: Term) -> bool:
    """The same, some bytes into it included."""
    return isinstance(term, Global | Function | Local | Inside)


def is_constant(term: Term) -> bool:
    """Whether a term is the same on every run: a number, or an address in a variable."""
    return isinstance(term, Int | Null | Global | Function | Local | Inside)
