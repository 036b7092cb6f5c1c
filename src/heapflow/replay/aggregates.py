"""Structures, arrays and vectors: read, written, taken apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heapflow.replay.addresses import load_at, store_at
from heapflow.replay.term import Aggregate as Aggregate
from heapflow.replay.term import Term, Value

if TYPE_CHECKING:
    from heapflow.replay.executor import Executor
    from heapflow.replay.state import State


def load_typed(executor: Executor, state: State, address: Value, type_id: int) -> Value:
    """Read a value of any type."""
    types = executor.types
    width = types.width(type_id)
    if width:
        return load_at(executor, state, address, width, types.is_pointer(type_id))
    if types.is_bits(type_id):
        return _load_bits(executor, state, address, type_id)
    parts: dict[int, Value] = {}
    for offset, part in types.parts(type_id):
        at = executor.terms.add(64, address, offset)
        parts[offset] = load_at(executor, state, at, types.width(part), types.is_pointer(part))
    return Aggregate(parts)


def store_typed(
    executor: Executor, state: State, address: Value, type_id: int, value: Value
) -> None:
    """Write a value of any type."""
    types = executor.types
    width = types.width(type_id)
    if width:
        store_at(executor, state, address, width, value)
        return
    if types.is_bits(type_id):
        count = types.count[type_id]
        store_at(executor, state, address, count, joined_bits(executor, value, type_id))
        return
    for offset, part in types.parts(type_id):
        at = executor.terms.add(64, address, offset)
        store_at(executor, state, at, types.width(part), part_of(executor, value, offset, part))


def _load_bits(executor: Executor, state: State, address: Value, type_id: int) -> Value:
    """A vector of bits lies in memory as one number."""
    count = executor.types.count[type_id]
    word = load_at(executor, state, address, count, False)
    return Aggregate({lane: executor.terms.extract(1, word, lane) for lane in range(count)})


def joined_bits(executor: Executor, value: Value, type_id: int) -> Value:
    """The lanes of a vector as one number, the first lane lowest."""
    types, terms = executor.types, executor.terms
    bits: Value = 0
    total = 0
    for offset, part in types.parts(type_id):
        width = types.width(part)
        piece = part_of(executor, value, offset, part)
        bits = terms.concat(piece, width, bits, total) if total else piece
        total += width
    return bits


def part_of(executor: Executor, value: Value, offset: int, type_id: int) -> Value:
    """A scalar of an aggregate; of an unset or zero one as well."""
    if isinstance(value, Aggregate):
        return value.parts.get(offset, 0)
    width = executor.types.width(type_id)
    if isinstance(value, Term):
        return executor.terms.var(f"part:{value.number}:{offset}", width)
    return value
