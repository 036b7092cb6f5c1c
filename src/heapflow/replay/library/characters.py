"""ctype: classes of characters and their cases, in the C locale.

The functions are terms over their argument, so that they decide something also where it is not known.
The tables behind the macros (`__ctype_b_loc` and its like) are objects with known contents, -128 … 255.
"""

from __future__ import annotations

import string

from heapflow.replay.library.call import Computed, LibraryCall
from heapflow.replay.memory import Ground, Kind
from heapflow.replay.term import Value, mask, signed

_UPPER = frozenset(string.ascii_uppercase.encode())
_LOWER = frozenset(string.ascii_lowercase.encode())
_DIGIT = frozenset(string.digits.encode())
_HEX = frozenset(string.hexdigits.encode())
_SPACE = frozenset(b" \t\n\v\f\r")
_BLANK = frozenset(b" \t")
_GRAPH = frozenset(range(33, 127))
_CONTROL = frozenset((*range(32), 127))
_ALNUM = _UPPER | _LOWER | _DIGIT

# Bits of a class in the table of a little-endian machine, as <ctype.h> numbers them.
_CLASSES: tuple[tuple[str, frozenset[int], int], ...] = (
    ("isupper", _UPPER, 1 << 8),
    ("islower", _LOWER, 1 << 9),
    ("isalpha", _UPPER | _LOWER, 1 << 10),
    ("isdigit", _DIGIT, 1 << 11),
    ("isxdigit", _HEX, 1 << 12),
    ("isspace", _SPACE, 1 << 13),
    ("isprint", _GRAPH | {32}, 1 << 14),
    ("isgraph", _GRAPH, 1 << 15),
    ("isblank", _BLANK, 1 << 0),
    ("iscntrl", _CONTROL, 1 << 1),
    ("ispunct", _GRAPH - _ALNUM, 1 << 2),
    ("isalnum", _ALNUM, 1 << 3),
)
_FIRST, _LAST = -128, 255


def _entry(byte: int) -> int:
    """What a table of cases has for a byte that is no letter: negative ones are read as unsigned."""
    return byte + 256 if -128 <= byte < -1 else byte


def _upper(byte: int) -> int:
    return byte - 32 if byte in _LOWER else _entry(byte)


def _lower(byte: int) -> int:
    return byte + 32 if byte in _UPPER else _entry(byte)


def _ranges(members: frozenset[int]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for byte in sorted(members):
        if found and found[-1][1] == byte - 1:
            found[-1] = (found[-1][0], byte)
        else:
            found.append((byte, byte))
    return found


def is_one_of(call: LibraryCall, value: Value, width: int, members: frozenset[int]) -> Value:
    """Whether a value is one of some characters."""
    terms = call.executor.terms
    holds: Value = 0
    for first, last in _ranges(members):
        inside = terms.ult(width, terms.sub(width, value, first), last - first + 1)
        holds = terms.binary("or", 1, holds, inside)
    return holds


def _class(members: frozenset[int], bit: int) -> Computed:
    def run(call: LibraryCall) -> Value | None:
        width = call.width(0)
        holds = is_one_of(call, call.value(0), width, members)
        return call.executor.terms.ite(call.instr.width or 32, holds, bit, 0)

    return run


def _case(members: frozenset[int], difference: int) -> Computed:
    def run(call: LibraryCall) -> Value | None:
        width, value, terms = call.width(0), call.value(0), call.executor.terms
        if isinstance(value, int):
            value = _entry(signed(value, width)) & mask(width)
        holds = is_one_of(call, value, width, members)
        changed = terms.add(width, value, difference & mask(width))
        return terms.ite(width, holds, changed, value)

    return run


def _isascii(call: LibraryCall) -> Value | None:
    terms = call.executor.terms
    return terms.zext(32, terms.ult(call.width(0), call.value(0), 128), 1)


def _toascii(call: LibraryCall) -> Value | None:
    return call.executor.terms.binary("and", call.width(0), call.value(0), 127)


# Tables ------------------------------------------------------------------------------------------


def _table(name: str, entry: list[int], size: int) -> Computed:
    """A function that returns the address of a pointer into a table."""
    data = b"".join(number.to_bytes(size, "little", signed=number < 0) for number in entry)

    def run(call: LibraryCall) -> Value | None:
        state = call.state
        holder = state.tables.get(name)
        if holder is None:
            table = state.make(Kind.TABLE, f"table of {name}")
            table.ground, table.data, table.size = Ground.ZERO, data, len(data)
            pointer = state.make(Kind.TABLE, name)
            pointer.ground, pointer.size = Ground.ZERO, 8
            call.executor.memory.write(pointer, 0, 8, table.base - _FIRST * size)
            holder = pointer.base
            state.tables = {**state.tables, name: holder}
        return holder

    return run


def _classes_of(byte: int) -> int:
    found = 0
    for _, members, bit in _CLASSES:
        if byte in members:
            found |= bit
    return found


_RANGE = range(_FIRST, _LAST + 1)
CHARACTERS: dict[str, Computed] = {
    **{name: _class(members, bit) for name, members, bit in _CLASSES},
    "toupper": _case(_LOWER, -32),
    "tolower": _case(_UPPER, 32),
    "isascii": _isascii,
    "toascii": _toascii,
    "__ctype_b_loc": _table("__ctype_b_loc", [_classes_of(byte) for byte in _RANGE], 2),
    "__ctype_toupper_loc": _table("__ctype_toupper_loc", [_upper(byte) for byte in _RANGE], 4),
    "__ctype_tolower_loc": _table("__ctype_tolower_loc", [_lower(byte) for byte in _RANGE], 4),
}
