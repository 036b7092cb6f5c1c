"""Structures, arrays and vectors as values."""

from __future__ import annotations

from heapflow.replay.executor import Executor
from heapflow.replay.state import State
from heapflow.replay.terms import Term, Value


class Aggregate:
    """A structure, array or vector as a value: scalars by byte offset."""

    __slots__ = ("parts",)

    def __init__(self, parts: dict[int, Value]) -> None:
        self.parts = parts


def load_typed(executor: Executor, state: State, address: Value, type_id: int) -> Value:
    """Read a value of any type."""
    types = executor.types
    width = types.width(type_id)
    if width:
        return executor.load(state, address, width, types.is_pointer(type_id))
    parts: dict[int, Value] = {}
    for offset, part in types.parts(type_id):
        at = executor.terms.add(64, address, offset)
        parts[offset] = executor.load(state, at, types.width(part), types.is_pointer(part))
    return Aggregate(parts)  # type: ignore[return-value]


def store_typed(
    executor: Executor, state: State, address: Value, type_id: int, value: Value
) -> None:
    """Write a value of any type."""
    types = executor.types
    width = types.width(type_id)
    if width:
        executor.store(state, address, width, value)
        return
    for offset, part in types.parts(type_id):
        at = executor.terms.add(64, address, offset)
        executor.store(state, at, types.width(part), part_of(executor, value, offset, part))


def part_of(executor: Executor, value: Value, offset: int, type_id: int) -> Value:
    """A scalar of an aggregate; of an unset or zero one as well."""
    if isinstance(value, Aggregate):
        return value.parts.get(offset, 0)
    width = executor.types.width(type_id)
    if isinstance(value, Term):
        return executor.terms.var(f"part:{value.number}:{offset}", width)
    return value
