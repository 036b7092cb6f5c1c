"""Texts that a function of the library made or copied: how long they are, and what they begin with.

In:    a call whose text is not known.     Out: what to require of memory afterwards.
- `snprintf` and its like: the text is as long as the result says, if there was room.
- `strcpy` and its like: the copy is as long as the text, where somebody asked for that, and holds the
  same bytes, where it is known how much there is room for; `strcat`: what was there is there still.
- `scanf` and its like: what `%s` reads is not empty.
- `fgets`, `getline`: who read something has read at least one character.
Not modelled: a character 0 in what is read.
"""

from __future__ import annotations

from collections.abc import Callable

from heapflow.replay.contents import has_pointers
from heapflow.replay.decisions import require
from heapflow.replay.lengths import known_length, linked_byte, set_length
from heapflow.replay.library.call import LibraryCall
from heapflow.replay.library.copying import Afterwards, Refined
from heapflow.replay.library.scanning import conversions, scanning_names
from heapflow.replay.memory import Kind, Object
from heapflow.replay.term import Value

_Length = Callable[[LibraryCall, Value], Value]


def measure(call: LibraryCall, result: Value, room: Value, least: int) -> None:
    """The text in the first argument is as long as the result says; -1: there was room for all. If the
    call fails, the text is taken to be as long as it can be: what it is nobody says."""
    place = call.place(call.value(0))
    width = call.instr.width
    if place is None or not width or room == 0:
        return
    terms = call.executor.terms
    length: Value = terms.zext(64, result, width) if width < 64 else result
    if room != -1:
        length = terms.ite(64, terms.ult(64, length, room), length, terms.sub(64, room, 1))
    set_length(call.state, *place, length)
    if least > 0 and room != 1:
        _require_some(call, place)


def _end(call: LibraryCall, position: int, obj: Object) -> int:
    """Where the array ends into which an argument leads; -1: nobody knows."""
    stretch = call.executor.stretch(call.state, call.frame, call.instr.operands[1 + position])
    if stretch is not None and stretch[0] >> 32 == obj.id:
        return stretch[1] - obj.base if stretch[1] >= 0 else -1
    size = call.executor.settled(call.state, obj.size)
    return size if isinstance(size, int) and size >= 0 else -1


def _copied(most: int | None, length: _Length | None) -> Refined:
    """`most`: the argument that says how many bytes at most."""

    def prepare(call: LibraryCall) -> Afterwards | None:
        if call.output is not None or call.unknown_place(0) is None:
            return None
        place = call.unknown_place(1)
        count = -1 if most is None else call.number(most)
        if place is None or count is None:
            return None
        source, start = place

        def afterwards(result: Value) -> None:
            target, origin = call.place(call.value(0)), call.state.objects[source.id]
            if target is None or target[0].id == source.id:
                return
            _copy(call, target, (source.id, start), count)
            found = known_length(origin, start)
            if length is not None and found is not None:
                set_length(call.state, *target, length(call, found))

        return afterwards

    return prepare


def _copy(
    call: LibraryCall, target: tuple[Object, int], source: tuple[int, int], count: int
) -> None:
    """The same bytes, where both ends are known and nothing but text lies there."""
    state, executor = call.state, call.executor
    origin, (obj, at), start = state.own(source[0]), target, source[1]
    end = _end(call, 0, obj)
    if end < at or obj.kind is Kind.WORLD or has_pointers(executor, state, origin):
        return
    last = _end(call, 1, origin)
    size = end - at if last < 0 else min(end - at, last - start)
    size = size if count < 0 else min(size, count)
    if size > 0:
        executor.memory.copy(state.own(obj.id), at, origin, start, size)


def _same(call: LibraryCall, length: Value) -> Value:
    return length


def _cut(call: LibraryCall, length: Value) -> Value:
    """strlcpy."""
    room, terms = call.value(2), call.executor.terms
    return terms.ite(64, terms.ult(64, length, room), length, terms.sub(64, room, 1))


def _appended(call: LibraryCall) -> Afterwards | None:
    """strcat: what was there is there still."""
    place = None if call.output is not None else call.unknown_place(0)
    if place is None:
        return None
    before, _ = call.known_text(*place)

    def afterwards(result: Value) -> None:
        target = call.place(call.value(0))
        if target is not None and before:
            call.executor.memory.write_bytes(call.state.own(target[0].id), target[1], before)

    return afterwards


def _has_read(call: LibraryCall) -> Afterwards | None:
    """fgets."""
    if call.output is not None:
        return None

    def afterwards(result: Value) -> None:
        place = call.place(result)
        if place is not None:
            _require_some(call, place)

    return afterwards


def _has_read_line(call: LibraryCall) -> Afterwards | None:
    """getline: the text is in *arg1."""
    if call.output is not None:
        return None

    def afterwards(result: Value) -> None:
        holder = call.number(0)
        place = None if holder is None else call.place(call.load(holder, 64))
        terms, width = call.executor.terms, call.instr.width
        if place is not None and width:
            _require_some(call, place, terms.slt(width, result, 1))

    return afterwards


def _require_some(call: LibraryCall, place: tuple[Object, int], unless: Value = 0) -> None:
    """A text is not empty."""
    executor, terms = call.executor, call.executor.terms
    first = linked_byte(executor, call.state, *place)
    some = terms.negate(terms.eq(8, first, 0))
    require(executor, call.state, terms.binary("or", 1, unless, some))


def _converted(template: int) -> Refined:
    """scanf and its like: what `%s` and `%[` read is not empty. `template`: which argument it is."""

    def prepare(call: LibraryCall) -> Afterwards | None:
        known = None if call.output is not None else call.text(call.value(template))
        if known is None:
            return None
        counted = [kind for kind in conversions(known) if kind != b"n"]

        def afterwards(result: Value) -> None:
            terms, width = call.executor.terms, call.instr.width
            for number, kind in enumerate(counted):
                place = call.place(call.value(template + 1 + number)) if width else None
                if place is not None and kind[:1] in (b"s", b"["):
                    _require_some(call, place, terms.slt(width, result, number + 1))

        # After `%n` arguments and conversions are not counted alike.
        return afterwards if len(counted) == len(conversions(known)) else None

    return prepare


MADE: dict[str, Refined] = {
    **{name: _converted(1) for one in ("sscanf", "fscanf") for name in scanning_names(one)},
    **{name: _converted(0) for name in scanning_names("scanf")},
    "strcpy": _copied(None, _same),
    "stpcpy": _copied(None, _same),
    "__strcpy_chk": _copied(None, _same),
    "strncpy": _copied(2, None),
    "stpncpy": _copied(2, None),
    "__strncpy_chk": _copied(2, None),
    "strlcpy": _copied(None, _cut),
    "strcat": _appended,
    "__strcat_chk": _appended,
    "fgets": _has_read,
    "fgets_unlocked": _has_read,
    "getline": _has_read_line,
    "getdelim": _has_read_line,
}
