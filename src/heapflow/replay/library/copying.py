"""Texts and memory that are copied: contents of what is written and of what is allocated."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from heapflow.replay.lengths import length_of
from heapflow.replay.library.call import Computed, LibraryCall
from heapflow.replay.library.printing import prepared_text
from heapflow.replay.memory import Kind
from heapflow.replay.term import Value

Afterwards: TypeAlias = Callable[[Value], "Value | None"]
Refined: TypeAlias = Callable[[LibraryCall], "Afterwards | None"]


def _copied(call: LibraryCall, position: int, source: int, limit: int) -> bytes | None:
    """A known text, if the place that it goes to is known as well."""
    if call.place(call.value(position)) is None:
        return None
    found, ended = call.prefix(call.value(source), limit)
    return found if ended or len(found) == limit else None


def _strcpy(at_end: bool) -> Computed:
    """strcpy and stpcpy."""

    def run(call: LibraryCall) -> Value | None:
        text = _copied(call, 0, 1, -1)
        target = call.number(0)
        if text is None or target is None:
            return None
        call.write(target, text + b"\0")
        return target + len(text) if at_end else target

    return run


def _strncpy(at_end: bool) -> Computed:
    def run(call: LibraryCall) -> Value | None:
        target, count = call.number(0), call.number(2)
        text = None if count is None else _copied(call, 0, 1, count)
        if text is None or target is None or count is None:
            return None
        if call.is_beyond(count, call.executor.config.most_padding):
            return None
        call.write(target, text.ljust(count, b"\0"))
        return target + len(text) if at_end else target

    return run


def _strcat(counted: bool) -> Computed:
    def run(call: LibraryCall) -> Value | None:
        target, count = call.number(0), call.number(2) if counted else -1
        before = None if target is None else call.text(target)
        if before is None or target is None or count is None:
            return None
        text = _copied(call, 0, 1, count)
        if text is None:
            return None
        call.write(target + len(before), text + b"\0")
        return target

    return run


def _strlcpy(call: LibraryCall) -> Value | None:
    target, room = call.number(0), call.number(2)
    text = call.text(call.value(1))
    if target is None or room is None or text is None:
        return None
    if room and call.place(target) is not None:
        call.write(target, text[: room - 1] + b"\0")
    return len(text)


def _strlcat(call: LibraryCall) -> Value | None:
    target, room = call.number(0), call.number(2)
    text = call.text(call.value(1))
    before = None if target is None else call.text(target)
    if target is None or room is None or text is None or before is None:
        return None
    if len(before) < room:
        call.write(target + len(before), text[: room - 1 - len(before)] + b"\0")
    return min(len(before), room) + len(text)


def _memccpy(call: LibraryCall) -> Value | None:
    target, wanted, count = call.number(0), call.number(2), call.number(3)
    if target is None or wanted is None or count is None or call.place(target) is None:
        return None
    data = call.bytes_at(call.value(1), count)
    if data is None:
        return None
    at = data.find(wanted & 0xFF)
    call.write(target, data if at < 0 else data[: at + 1])
    return 0 if at < 0 else target + at + 1


# What is allocated -------------------------------------------------------------------------------


def _duplicated(limit: int | None) -> Refined:
    """strdup, strndup: the model allocates, then the text is put there."""

    def prepare(call: LibraryCall) -> Afterwards | None:
        most = -1 if limit is None else call.number(limit)
        if most is None:
            return None
        text, ended = call.prefix(call.value(0), most)
        if ended or len(text) == most:
            return lambda block: _put(call, block, text + b"\0")
        place = call.unknown_place(0) if limit is None else None
        if place is None:
            return None
        obj, offset = place
        length = length_of(call.executor, call.state, obj, offset)
        size = call.executor.terms.add(64, length, 1)
        return lambda block: _copy_unknown(call, block, (obj.id, offset), size)

    return prepare


def _put(call: LibraryCall, block: Value, data: bytes) -> Value | None:
    place = call.place(block)
    if place is not None and place[0].kind is Kind.HEAP and place[1] == 0:
        call.state.own(place[0].id).size = len(data)
        call.write(block, data)
    return None


def _copy_unknown(
    call: LibraryCall, block: Value, source: tuple[int, int], size: Value
) -> Value | None:
    """A copy of a text that is not known: the same unknowns, and the same length."""
    place = call.place(block)
    if place is None or place[0].kind is not Kind.HEAP:
        return None
    state, memory = call.state, call.executor.memory
    target, origin = state.own(place[0].id), state.own(source[0])
    target.size = size
    lengths = origin.lengths or {}
    room = origin.size if isinstance(origin.size, int) and origin.size >= 0 else 1 << 20
    memory.copy(target, 0, origin, source[1], max(room - source[1], 1))
    if source[1] in lengths:
        target.lengths = {0: lengths[source[1]]}
    return None


def _asprintf(is_list: bool) -> Refined:
    """The model allocates what *arg1 leads to."""

    def prepare(call: LibraryCall) -> Afterwards | None:
        holder = call.number(0)
        prepared = None if holder is None else prepared_text(call, 1, is_list)
        if prepared is None or holder is None:
            return None
        text, leave = prepared

        def afterwards(result: Value) -> Value | None:
            block = call.load(holder, 64)
            if result == call.result(-1) or call.place(block) is None:
                return None
            leave()
            _put(call, block, text + b"\0")
            return call.result(len(text))

        return afterwards

    return prepare


def _print_to_block(is_list: bool) -> Computed:
    """asprintf in a concrete run; elsewhere the model allocates."""

    def run(call: LibraryCall) -> Value | None:
        holder = call.number(0)
        prepared = prepared_text(call, 1, is_list) if call.output is not None else None
        if prepared is None or holder is None:
            return None
        text, leave = prepared
        leave()
        size = len(text) + 1
        block = call.executor.new_block(call.state, call.instr, size, "malloc")
        call.write(block.base, text + b"\0")
        call.store(holder, 64, block.base)
        return len(text)

    return run


COPYING: dict[str, Computed] = {
    "strcpy": _strcpy(False),
    "stpcpy": _strcpy(True),
    "__strcpy_chk": _strcpy(False),
    "strncpy": _strncpy(False),
    "stpncpy": _strncpy(True),
    "strcat": _strcat(False),
    "__strcat_chk": _strcat(False),
    "strncat": _strcat(True),
    "strlcpy": _strlcpy,
    "strlcat": _strlcat,
    "memccpy": _memccpy,
    "asprintf": _print_to_block(False),
    "vasprintf": _print_to_block(True),
}

ALLOCATING: dict[str, Refined] = {
    "strdup": _duplicated(None),
    "strndup": _duplicated(1),
    "asprintf": _asprintf(False),
    "vasprintf": _asprintf(True),
}
