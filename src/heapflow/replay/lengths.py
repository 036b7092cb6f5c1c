"""Lengths of texts that are not known, in agreement with their bytes.

In:    an object, where the text begins.     Out: a term for its length.
An object remembers the lengths that were asked for; a write to it forgets them. A byte of such an
object that is looked at is tied to them: not zero before the length, zero at it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from heapflow.replay.decisions import require
from heapflow.replay.memory import Object
from heapflow.replay.term import Value

if TYPE_CHECKING:
    from heapflow.replay.executor import Executor
    from heapflow.replay.state import State


def length_of(executor: Executor, state: State, obj: Object, offset: int) -> Value:
    """The length of the text at an offset."""
    obj = state.own(obj.id)
    if obj.lengths is not None and offset in obj.lengths:
        return executor.settled(state, obj.lengths[offset])
    length = (obj.measured or {}).get(offset)
    if length is None:
        length = _anything(executor, state, obj, offset)
    obj.lengths = {**(obj.lengths or {}), offset: length}
    near = [at for at, (count, _) in obj.cells.items() if at >= offset and count == 1]
    most = executor.config.most_tied
    if len(near) > most:
        executor.left_out.add("bytes of a text")
    for at in sorted(near)[:most]:
        tie(executor, state, obj, at, obj.cells[at][1])
    return executor.settled(state, length)


def _anything(executor: Executor, state: State, obj: Object, offset: int) -> Value:
    """A text of which nothing is known ends within its object."""
    terms = executor.terms
    length = terms.var(f"strlen:{identity(executor, state, obj, offset)}", 64)
    size = executor.settled(state, obj.size)
    room: Value = executor.config.longest_text
    if not (isinstance(size, int) and size < 0):
        room = terms.sub(64, size, offset)
    require(executor, state, terms.ult(64, length, room))
    return length


def known_length(obj: Object, offset: int) -> Value | None:
    """The length of a text, if somebody asked for it or made it."""
    found = (obj.lengths or {}).get(offset)
    return (obj.measured or {}).get(offset) if found is None else found


def set_length(state: State, obj: Object, offset: int, length: Value) -> None:
    """A text that was made is so long."""
    obj = state.own(obj.id)
    obj.measured = {**(obj.measured or {}), offset: length}


def identity(executor: Executor, state: State, obj: Object, offset: int) -> str:
    """A name for the text: the same as long as nothing was written where it lies."""
    origins = executor.memory.origins
    untouched = not obj.layers and not obj.data
    for at, (_, value) in obj.cells.items():
        if isinstance(value, int) or origins.get(value.number) != (obj.name, at):
            untouched = False
    return f"{obj.name}+{offset}" if untouched else f"{obj.name}+{offset}:{state.steps}"


def linked_byte(executor: Executor, state: State, obj: Object, offset: int) -> Value:
    """A byte of a text, tied to the lengths that are known of it."""
    obj = state.own(obj.id)
    byte = executor.settled(state, executor.memory.read(obj, offset, 1))
    if obj.lengths:
        tie(executor, state, obj, offset, byte)
        byte = executor.settled(state, byte)
    return byte


def tie(executor: Executor, state: State, obj: Object, offset: int, byte: Value) -> None:
    """What a byte says about the lengths of the texts that it is part of, and the other way round."""
    terms = executor.terms
    byte = executor.settled(state, byte)
    is_end = terms.eq(8, byte, 0)
    for start, length in sorted((obj.lengths or {}).items()):
        if start > offset:
            continue
        here: Value = offset - start
        at_end = terms.eq(64, length, here)
        behind = terms.ult(64, length, here)
        as_it_is = terms.ite(1, at_end, is_end, terms.negate(is_end))
        require(executor, state, terms.binary("or", 1, behind, as_it_is))
