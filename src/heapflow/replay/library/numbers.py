"""Numbers: read from texts, absolute values, quotients.

Not modelled: `errno` after a number that does not fit, in anything but a concrete run.
"""

from __future__ import annotations

import re
from fractions import Fraction

from heapflow.replay.exact import infinity, not_a_number, rounded_bits
from heapflow.replay.floats import to_bits
from heapflow.replay.library.call import Computed, LibraryCall
from heapflow.replay.library.errors import set_error
from heapflow.replay.term import Aggregate, Value, mask, signed

_DIGITS = b"0123456789abcdefghijklmnopqrstuvwxyz"
_SPACES = b" \t\n\v\f\r"
_RANGE_ERROR, _INVALID = 34, 22
_FLOAT = re.compile(
    rb"[ \t\n\v\f\r]*(?P<sign>[-+]?)(?:(?P<hex>0x(?:[0-9a-f]+\.?[0-9a-f]*|\.[0-9a-f]+)(?:p[-+]?\d+)?)"
    rb"|(?P<number>(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)|(?P<inf>inf(?:inity)?)|(?P<nan>nan(?:\(\w*\))?))",
    re.IGNORECASE,
)


def parsed_integer(text: bytes, base: int) -> tuple[int, int] | None:
    """The number at the beginning of a text, and the bytes that it takes; None: there is none."""
    at = len(text) - len(text.lstrip(_SPACES))
    negative = text[at : at + 1] == b"-"
    if text[at : at + 1] in (b"-", b"+"):
        at += 1
    lower = text.lower()
    is_hex = lower[at : at + 2] == b"0x" and lower[at + 2 : at + 3] in _hex_digits()
    if base in (0, 16) and is_hex:
        at, base = at + 2, 16
    elif base == 0:
        base = 8 if text[at : at + 1] == b"0" else 10
    start, value = at, 0
    while at < len(text):
        digit = _DIGITS.find(lower[at])
        if digit < 0 or digit >= base:
            break
        value = value * base + digit
        at += 1
    return None if at == start else (-value if negative else value, at)


def _hex_digits() -> tuple[bytes, ...]:
    return tuple(_DIGITS[i : i + 1] for i in range(16))


def _to_integer(is_signed: bool, base_at: int | None, width: int) -> Computed:
    """strtol and its like; `base_at` None: atoi, which has no further arguments."""

    def run(call: LibraryCall) -> Value | None:
        base = 10 if base_at is None else call.number(base_at)
        text = _read_number(call)
        end = None if base_at is None else call.number(1)
        if base is None or text is None or (base_at is not None and end is None):
            return None
        found = parsed_integer(text, base)
        if end:
            start = call.number(0)
            assert start is not None
            call.store(end, 64, start + (found[1] if found else 0))
        if found is None:
            return 0
        value = found[0]
        least, most = (-(1 << (width - 1)), mask(width - 1)) if is_signed else (0, mask(width))
        if (value > most or value < least) and (is_signed or abs(value) > most):
            set_error(call, _RANGE_ERROR)
            value = (most if value > 0 else least) if is_signed else most
        return call.result(value)

    return run


def _read_number(call: LibraryCall) -> bytes | None:
    """A text that begins with a number; what comes after it need not be known."""
    text, ended = call.prefix(call.value(0))
    if ended:
        return text
    rest = text.lstrip(_SPACES).lstrip(b"+-")
    digits = len(rest) - len(rest.lstrip(b"0123456789"))
    is_plain = digits < len(rest) and not rest[digits : digits + 1].isalnum()
    return text if rest and is_plain else None


def parsed_float(text: bytes, width: int) -> tuple[int, int] | None:
    """The bits of the number at the beginning of a text, and the bytes that it takes."""
    match = _FLOAT.match(text)
    if match is None:
        return None
    sign = 1 << (width - 1) if match["sign"] == b"-" else 0
    if match["inf"]:
        return sign | infinity(width), match.end()
    if match["nan"]:
        return sign | not_a_number(width) & mask(width - 1), match.end()
    if match["number"]:
        value = Fraction(match["number"].decode())
    else:
        value = _hexadecimal(match["hex"].lower())
    return sign | rounded_bits(value, width), match.end()


def _hexadecimal(text: bytes) -> Fraction:
    digits, _, power = text[2:].partition(b"p")
    whole, _, fraction = digits.partition(b".")
    value = Fraction(int(whole + fraction, 16), 16 ** len(fraction))
    return value * Fraction(2) ** int(power or 0)


def _to_float(width: int, has_end: bool) -> Computed:
    def run(call: LibraryCall) -> Value | None:
        text = call.text(call.value(0))
        end = call.number(1) if has_end else 0
        if text is None or end is None:
            return None
        found = parsed_float(text, width)
        if end:
            start = call.number(0)
            assert start is not None
            call.store(end, 64, start + (found[1] if found else 0))
        return found[0] if found else to_bits(0.0, width)

    return run


def _absolute(call: LibraryCall) -> Value | None:
    width, value, terms = call.width(0), call.value(0), call.executor.terms
    negative = terms.slt(width, value, 0)
    return terms.ite(width, negative, terms.sub(width, 0, value), value)


def _divided(width: int) -> Computed:
    """div: a structure of quotient and remainder; of ints it comes as one number."""

    def run(call: LibraryCall) -> Value | None:
        a, b = call.number(0), call.number(1)
        if a is None or not b:
            return None
        x, y = signed(a, width), signed(b, width)
        quotient = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
        remainder = x - quotient * y
        low, high = quotient & mask(width), remainder & mask(width)
        if call.instr.width:
            return low | high << width
        return Aggregate({0: low, width // 8: high})

    return run


def _first_bit(call: LibraryCall) -> Value | None:
    value = call.number(0)
    return None if value is None else (value & -value).bit_length()


def _swapped(size: int) -> Computed:
    """htonl and its like, on a little-endian machine."""

    def run(call: LibraryCall) -> Value | None:
        value = call.number(0)
        if value is None:
            return None
        return int.from_bytes((value & mask(size * 8)).to_bytes(size, "little"), "big")

    return run


_LONG, _INT = 64, 32
NUMBERS: dict[str, Computed] = {
    "atoi": _to_integer(True, None, _LONG),
    "atol": _to_integer(True, None, _LONG),
    "atoll": _to_integer(True, None, _LONG),
    **{
        name: _to_integer(True, 2, _LONG)
        for name in ("strtol", "strtoll", "strtoq", "strtoimax", "__isoc23_strtol")
    },
    **{
        name: _to_integer(False, 2, _LONG)
        for name in ("strtoul", "strtoull", "strtouq", "strtoumax", "__isoc23_strtoul")
    },
    "atof": _to_float(64, False),
    "strtod": _to_float(64, True),
    "strtof": _to_float(32, True),
    "strtold": _to_float(80, True),
    "abs": _absolute,
    "labs": _absolute,
    "llabs": _absolute,
    "imaxabs": _absolute,
    "div": _divided(_INT),
    "ldiv": _divided(_LONG),
    "lldiv": _divided(_LONG),
    "ffs": _first_bit,
    "ffsl": _first_bit,
    "ffsll": _first_bit,
    "htonl": _swapped(4),
    "ntohl": _swapped(4),
    "htons": _swapped(2),
    "ntohs": _swapped(2),
}
