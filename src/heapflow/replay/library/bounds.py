"""Results that are not known, within what the C library guarantees of them.

In:    a call whose result the model leaves open.     Out: what to require of the result afterwards.
- `snprintf` and its like return the length of the text: directives for numbers have a longest form, and
  a text that lies in an array is shorter than the array.
- What `strchr` and its like found is the character that they looked for.
"""

from __future__ import annotations

import re

from heapflow.replay.contents import element, has_pointers
from heapflow.replay.decisions import require
from heapflow.replay.library.call import LibraryCall
from heapflow.replay.library.copying import ALLOCATING, Afterwards, Refined
from heapflow.replay.library.formats import DIRECTIVE, WIDTHS
from heapflow.replay.library.made import measure
from heapflow.replay.library.printing import Listed, Passed
from heapflow.replay.term import Term, Value, mask, signed

_LONGEST_DOUBLE, _LONGEST_LONG_DOUBLE = 312, 4940  # without the digits behind the point
_USUAL_PRECISION = 6
_ENDLESS = 1 << 40  # more than fits into a result
_ADDRESS = 18  # of %p


def printed(template: int, is_list: bool, room: int = -1) -> Refined:
    """printf's result, and the text that it made; `room`: the argument that says how much there is."""

    def run(call: LibraryCall) -> Afterwards | None:
        text = call.text(call.value(template))
        if call.output is not None or not call.instr.width:
            return None
        limits = None
        if text is not None:
            source = Listed(call, template + 1) if is_list else Passed(call, template + 1)
            limits = _limits(call, text, source)
        low, high = limits or (0, _ENDLESS)

        def bound(result: Value) -> None:
            terms, width = call.executor.terms, call.instr.width
            measure(call, result, -1 if room < 0 else call.value(room), low)
            if not isinstance(result, Term):
                return
            call.executor.printed |= result.atoms
            is_short = terms.slt(width, result, low)
            if high >= 1 << (width - 1):
                fails = terms.slt(width, result, 0)
                _hardly_fails(call, result)
                is_long = terms.binary("or", 1, fails, terms.negate(is_short))
                require(call.executor, call.state, is_long)
                return
            require(call.executor, call.state, terms.negate(is_short))
            require(call.executor, call.state, terms.negate(terms.slt(width, high, result)))

        return bound

    return run


def printed_to_block(is_list: bool) -> Refined:
    """asprintf: -1, or the length of a text that is not shorter than its format says."""

    def run(call: LibraryCall) -> Afterwards | None:
        text = call.text(call.value(1))
        if call.output is not None or text is None:
            return None
        limits = _limits(call, text, Listed(call, 2) if is_list else Passed(call, 2))

        def bound(result: Value) -> None:
            if not isinstance(result, Term) or limits is None:
                return
            terms, width = call.executor.terms, result.width
            fails = terms.eq(width, result, mask(width))
            is_short = terms.slt(width, result, limits[0])
            long_enough = terms.negate(is_short)
            require(call.executor, call.state, terms.binary("or", 1, fails, long_enough))

        return bound

    return run


def _either(first: Refined, second: Refined) -> Refined:
    """The first that says something."""
    return lambda call: first(call) or second(call)


def _hardly_fails(call: LibraryCall, result: Value) -> None:
    """For want of memory, or by a character that has no bytes."""
    executor, width = call.executor, call.instr.width
    fails = executor.terms.slt(width, result, 0)
    if isinstance(fails, Term):
        executor.unlikely.add(fails.number)


def _limits(call: LibraryCall, template: bytes, source: Passed) -> tuple[int, int] | None:
    """The shortest and the longest text of a format; None: it is not understood."""
    low = high = at = 0
    while (start := template.find(b"%", at)) >= 0:
        match = DIRECTIVE.match(template, start)
        if match is None or b"*" in (match["width"], match["precision"]):
            return None
        found = _of_directive(call, match, source)
        if found is None:
            return None
        least = int(match["width"] or 0)
        low += start - at + max(found[0], least)
        high += start - at + max(found[1], least)
        at = match.end()
    rest = len(template) - at
    return low + rest, high + rest


def _of_directive(
    call: LibraryCall, match: re.Match[bytes], source: Passed
) -> tuple[int, int] | None:
    kind, length = match["kind"], match["length"] or b""
    precision = -1 if match["precision"] is None else int(match["precision"] or 0)
    if kind == b"%":
        return 1, 1
    if kind in b"diouxX" and b"'" not in match["flags"]:
        low, high = _of_number(kind, WIDTHS[length], precision, source)
        return low, high + (2 if b"#" in match["flags"] else 0)
    if kind == b"c" and not length:
        source.integer(32)
        return 1, 1
    if kind == b"p":
        source.integer(64)
        return 1, _ADDRESS
    if kind in b"fFeEgG":
        source.floating(80 if length == b"L" else 64)
        longest = _LONGEST_LONG_DOUBLE if length == b"L" else _LONGEST_DOUBLE
        return 1, longest + max(precision, _USUAL_PRECISION)
    if kind == b"s" and not length:
        return _of_text(call, source.integer(64), precision)
    return None


def _of_number(kind: bytes, width: int, precision: int, source: Passed) -> tuple[int, int]:
    value = source.integer(max(width, 32))
    form = {b"o": "o", b"x": "x", b"X": "x"}.get(kind, "d")
    is_signed = kind in b"di"
    largest = mask(width - 1) + 1 if is_signed else mask(width)
    low = min(1, abs(precision))
    if isinstance(value, int):
        value &= mask(width)
        largest = abs(signed(value, width)) if is_signed else value
        low = max(len(format(largest, form)), precision)
    return low, max(len(format(largest, form)), precision) + int(is_signed)


def _of_text(call: LibraryCall, address: Value | None, precision: int) -> tuple[int, int]:
    if address is not None:
        known, ended = call.prefix(address, precision)
        if ended:
            return len(known), len(known)
        place = call.place(address)
        size = call.executor.settled(call.state, place[0].size) if place is not None else -1
        if place is not None and isinstance(size, int) and size > place[1] >= 0:
            longest = size - place[1] - 1
            return 0, longest if precision < 0 else min(longest, precision)
    return 0, _ENDLESS if precision < 0 else precision


def found_character(call: LibraryCall) -> Afterwards | None:
    """strchr, strrchr, memchr: where they found something lies what they looked for."""
    wanted = call.number(1)
    place = None if wanted is None else call.unknown_place(0)
    if wanted is None or place is None:
        return None

    def agree(result: Value) -> None:
        executor, state = call.executor, call.state
        result = executor.settled(state, result)
        obj = state.objects[place[0].id]
        if not isinstance(result, Term) or has_pointers(executor, state, obj):
            return
        offset = executor.terms.sub(64, result, obj.base)
        if isinstance(offset, Term):
            byte = element(executor, state, obj, offset, 8)
            require(executor, state, executor.terms.eq(8, byte, wanted & 0xFF))

    return agree


BOUNDED: dict[str, Refined] = {
    "sprintf": printed(1, False),
    "vsprintf": printed(1, True),
    "snprintf": printed(2, False, 1),
    "vsnprintf": printed(2, True, 1),
    "asprintf": _either(ALLOCATING["asprintf"], printed_to_block(False)),
    "vasprintf": _either(ALLOCATING["vasprintf"], printed_to_block(True)),
    "__sprintf_chk": printed(3, False),
    "__snprintf_chk": printed(4, False, 1),
    "strchr": found_character,
    "index": found_character,
    "strrchr": found_character,
    "rindex": found_character,
    "memchr": found_character,
}
