"""Texts: measured, compared, searched.

What is known is computed. Of other texts, results are terms that agree with each other and with the
bytes:
- `strlen` is an unknown, below the size of its object; every byte that anybody looks at is zero at that
  length and not zero before it (`lengths`);
- a comparison with a known text is a condition on the bytes, so that different literals exclude each
  other.
"""

from __future__ import annotations

from collections.abc import Callable

from heapflow.replay.decisions import require
from heapflow.replay.lengths import identity, length_of, linked_byte
from heapflow.replay.library.call import Computed, LibraryCall
from heapflow.replay.memory import Object
from heapflow.replay.term import Term, Value

# Lengths -----------------------------------------------------------------------------------------


def _strlen(call: LibraryCall) -> Value | None:
    text = call.text(call.value(0))
    if text is not None:
        return len(text)
    place = call.unknown_place(0)
    return None if place is None else length_of(call.executor, call.state, *place)


def _strnlen(call: LibraryCall) -> Value | None:
    most = call.number(1)
    if most is None:
        return None
    found, ended = call.prefix(call.value(0), most)
    if ended or len(found) == most:
        return len(found)
    place = call.unknown_place(0)
    if place is None:
        return None
    length, terms = length_of(call.executor, call.state, *place), call.executor.terms
    return terms.ite(64, terms.ult(64, length, most), length, most)


# Comparisons -------------------------------------------------------------------------------------

_Same = Callable[[LibraryCall, Value, int], Value]


def _equal(call: LibraryCall, byte: Value, wanted: int) -> Value:
    return call.executor.terms.eq(8, byte, wanted)


def _equal_in_any_case(call: LibraryCall, byte: Value, wanted: int) -> Value:
    lower, upper = bytes([wanted]).lower()[0], bytes([wanted]).upper()[0]
    terms = call.executor.terms
    return terms.binary("or", 1, terms.eq(8, byte, lower), terms.eq(8, byte, upper))


def _comparison(counted: bool, fold: Callable[[bytes], bytes], same: _Same) -> Computed:
    """strcmp and its like; `counted`: the third argument says how much is compared."""

    def run(call: LibraryCall) -> Value | None:
        count = call.number(2) if counted else 1 << 62
        if count is None:
            return None
        first, second = (call.prefix(call.value(i), count) for i in (0, 1))
        known = _difference((fold(first[0]), first[1]), (fold(second[0]), second[1]), count)
        if known is not None:
            return call.result(known)
        for whole, other in ((first, 1), (second, 0)):
            if whole[1] or len(whole[0]) == count:
                literal = (whole[0] + b"\0" if whole[1] else whole[0])[:count]
                return _against(call, other, literal, same)
        return None if counted else _of_unknowns(call, fold(b"A") == b"A")

    return run


def _of_unknowns(call: LibraryCall, exact: bool) -> Value | None:
    """Two texts that are not known: asked again while both are as they were, the answer is the same."""
    first, second = call.unknown_place(0), call.unknown_place(1)
    if first is None or second is None:
        return None
    texts = sorted(identity(call.executor, call.state, *place) for place in (first, second))
    if texts[0] == texts[1]:
        return call.result(0)
    terms, width = call.executor.terms, call.instr.width or 32
    found = []
    for kind in ("", " in any case"):
        name = f"order{kind}:{texts[0]}:{texts[1]}"
        call.executor.related[name] = (first[0].name, second[0].name)
        found.append(terms.var(name, width))
    differ = terms.negate(terms.eq(width, found[0], 0))
    alike = terms.eq(width, found[1], 0)
    require(call.executor, call.state, terms.binary("or", 1, differ, alike))
    return found[0] if exact else found[1]


def _difference(first: tuple[bytes, bool], second: tuple[bytes, bool], count: int) -> int | None:
    """The order of two texts, as far as it is decided by what is known."""
    a = first[0] + b"\0" if first[1] else first[0]
    b = second[0] + b"\0" if second[1] else second[0]
    for x, y in zip(a[:count], b[:count], strict=False):
        if x != y:
            return x - y
        if x == 0:
            return 0
    return 0 if min(len(a), len(b)) >= count else None


def _against(call: LibraryCall, position: int, literal: bytes, same: _Same) -> Value | None:
    """A text that is not known, compared with one that is."""
    place = call.unknown_place(position)
    longest = call.executor.config.longest_comparison
    if place is None or call.is_beyond(len(literal), longest):
        return None
    obj, offset = place
    size = call.executor.settled(call.state, obj.size)
    if isinstance(size, int) and 0 <= size < offset + len(literal):
        return _unequal(call, 0)
    bytes_there = [
        linked_byte(call.executor, call.state, obj, offset + i) for i in range(len(literal))
    ]
    holds = call.executor.terms.conjunction(
        same(call, byte, wanted) for byte, wanted in zip(bytes_there, literal, strict=True)
    )
    return _unequal(call, holds)


def _unequal(call: LibraryCall, holds: Value) -> Value:
    """0 if a condition holds, something else otherwise."""
    terms, width = call.executor.terms, call.instr.width or 32
    name = "order" if isinstance(holds, Term) else f"order:{call.instr.id}"
    other = terms.opaque(name, width, holds)
    require(call.executor, call.state, terms.negate(terms.eq(width, other, 0)))
    return terms.ite(width, holds, 0, other)


def _memcmp(call: LibraryCall) -> Value | None:
    count = call.number(2)
    if count is None:
        return None
    first, second = (call.bytes_at(call.value(i), count) for i in (0, 1))
    if first is not None and second is not None:
        pairs = zip(first, second, strict=True)
        return call.result(next((x - y for x, y in pairs if x != y), 0))
    places = [call.unknown_place(i) for i in (0, 1)]
    if places[0] is None or places[1] is None:
        return None
    if call.is_beyond(count, call.executor.config.longest_comparison):
        return None
    terms = call.executor.terms
    return _unequal(
        call,
        terms.conjunction(
            terms.eq(8, _byte(call, places[0], i), _byte(call, places[1], i)) for i in range(count)
        ),
    )


def _byte(call: LibraryCall, place: tuple[Object, int], index: int) -> Value:
    return linked_byte(call.executor, call.state, place[0], place[1] + index)


# Searches ----------------------------------------------------------------------------------------


def _strchr(call: LibraryCall) -> Value | None:
    return _first(call, missing_is_end=False)


def _strchrnul(call: LibraryCall) -> Value | None:
    return _first(call, missing_is_end=True)


def _first(call: LibraryCall, missing_is_end: bool) -> Value | None:
    start, wanted = call.number(0), call.number(1)
    if start is None or wanted is None:
        return None
    found, ended = call.prefix(start)
    at = (found + b"\0" if ended else found).find(wanted & 0xFF)
    if at >= 0:
        return start + at
    if not ended:
        return None
    return start + len(found) if missing_is_end else 0


def _strrchr(call: LibraryCall) -> Value | None:
    start, wanted = call.number(0), call.number(1)
    text = None if start is None else call.text(start)
    if text is None or wanted is None or start is None:
        return None
    at = (text + b"\0").rfind(wanted & 0xFF)
    return start + at if at >= 0 else 0


def _memchr(call: LibraryCall) -> Value | None:
    start, wanted, count = call.number(0), call.number(1), call.number(2)
    if start is None or wanted is None or count is None:
        return None
    data = call.bytes_at(start, count)
    if data is None:
        return None
    at = data.find(wanted & 0xFF)
    return start + at if at >= 0 else 0


def _memrchr(call: LibraryCall) -> Value | None:
    start, wanted, count = call.number(0), call.number(1), call.number(2)
    if start is None or wanted is None or count is None:
        return None
    data = call.bytes_at(start, count)
    at = -1 if data is None else data.rfind(wanted & 0xFF)
    return None if data is None else start + at if at >= 0 else 0


def _strstr(fold: Callable[[bytes], bytes]) -> Computed:
    def run(call: LibraryCall) -> Value | None:
        start = call.number(0)
        text, wanted = (call.text(call.value(i)) for i in (0, 1))
        if start is None or text is None or wanted is None:
            return None
        at = fold(text).find(fold(wanted))
        return start + at if at >= 0 else 0

    return run


def _memmem(call: LibraryCall) -> Value | None:
    start, count, length = call.number(0), call.number(1), call.number(3)
    if start is None or count is None or length is None:
        return None
    data, wanted = call.bytes_at(start, count), call.bytes_at(call.value(2), length)
    if data is None or wanted is None:
        return None
    at = data.find(wanted)
    return start + at if at >= 0 else 0


def span(text: bytes, members: bytes, inside: bool) -> int:
    """Bytes at the beginning that are (not) among the members."""
    count = 0
    for byte in text:
        if (byte in members) != inside:
            break
        count += 1
    return count


def _span(inside: bool) -> Computed:
    def run(call: LibraryCall) -> Value | None:
        (text, ended), members = call.prefix(call.value(0)), call.text(call.value(1))
        if members is None:
            return None
        count = span(text, members, inside)
        return count if ended or count < len(text) else None

    return run


def _strpbrk(call: LibraryCall) -> Value | None:
    start, members = call.number(0), call.text(call.value(1))
    if start is None or members is None:
        return None
    text, ended = call.prefix(start)
    count = span(text, members, False)
    if count < len(text):
        return start + count
    return 0 if ended else None


def _same_bytes(data: bytes) -> bytes:
    return data


TEXT: dict[str, Computed] = {
    "strlen": _strlen,
    "strnlen": _strnlen,
    "strcmp": _comparison(False, _same_bytes, _equal),
    "strcoll": _comparison(False, _same_bytes, _equal),
    "strncmp": _comparison(True, _same_bytes, _equal),
    "strcasecmp": _comparison(False, bytes.lower, _equal_in_any_case),
    "strncasecmp": _comparison(True, bytes.lower, _equal_in_any_case),
    "memcmp": _memcmp,
    "bcmp": _memcmp,
    "__memcmpeq": _memcmp,
    "strchr": _strchr,
    "index": _strchr,
    "strchrnul": _strchrnul,
    "strrchr": _strrchr,
    "rindex": _strrchr,
    "memchr": _memchr,
    "memrchr": _memrchr,
    "strstr": _strstr(_same_bytes),
    "strcasestr": _strstr(bytes.lower),
    "memmem": _memmem,
    "strspn": _span(True),
    "strcspn": _span(False),
    "strpbrk": _strpbrk,
}
