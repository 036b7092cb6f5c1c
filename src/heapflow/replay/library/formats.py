"""printf's formats: directives, and numbers as text.

In:    a format, a source of arguments.     Out: bytes; None where an argument is not known.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from heapflow.replay.exact import NOT_A_NUMBER, Special, exact_value
from heapflow.replay.term import Value, signed

DIRECTIVE = re.compile(
    rb"%(?P<flags>[-+ #0']*)(?P<width>\d+|\*)?(?:\.(?P<precision>\d*|\*))?"
    rb"(?P<length>hh|h|ll|l|q|j|z|Z|t|L)?(?P<kind>[diouxXeEfFgGaAcspnmCS%])"
)
WIDTHS = {b"hh": 8, b"h": 16, b"l": 64, b"ll": 64, b"q": 64, b"j": 64, b"z": 64, b"Z": 64}
WIDTHS |= {b"t": 64, b"L": 64, b"": 32}


class Source(Protocol):
    """Where arguments come from: a call, or a va_list."""

    def integer(self, width: int) -> Value | None: ...
    def floating(self, width: int) -> Value | None: ...
    def text(self, address: Value, most: int) -> bytes | None: ...
    def count(self, address: Value, width: int, number: int) -> None: ...


@dataclass(slots=True)
class _Directive:
    flags: bytes
    width: int
    precision: int  # -1 none
    length: bytes
    kind: bytes


class NotKnown(Exception):
    """Something that a format needs is not known."""


def formatted(template: bytes, source: Source) -> bytes | None:
    """The text; None: it is not known."""
    found = bytearray()
    at = 0
    try:
        while True:
            start = template.find(b"%", at)
            if start < 0:
                return bytes(found + template[at:])
            found += template[at:start]
            match = DIRECTIVE.match(template, start)
            if match is None:
                return None
            found += _one(_directive(match, source), source, len(found))
            at = match.end()
    except NotKnown:
        return None


def _known(value: Value | None) -> int:
    if not isinstance(value, int):
        raise NotKnown
    return value


def _directive(match: re.Match[bytes], source: Source) -> _Directive:
    flags, kind = match["flags"], match["kind"]
    width = precision = -1
    if match["width"] == b"*":
        width = signed(_known(source.integer(32)), 32)
        if width < 0:
            flags, width = flags + b"-", -width
    elif match["width"]:
        width = int(match["width"])
    if match["precision"] == b"*":
        precision = max(signed(_known(source.integer(32)), 32), -1)
    elif match["precision"] is not None:
        precision = int(match["precision"] or 0)
    length = match["length"] or b""
    return _Directive(flags, max(width, 0), precision, length, kind)


def _one(directive: _Directive, source: Source, so_far: int) -> bytes:
    kind = directive.kind
    if kind == b"%":
        return b"%"
    if kind in b"di":
        width = WIDTHS[directive.length]
        number = signed(_known(source.integer(max(width, 32))) & ((1 << width) - 1), width)
        return _integer(directive, number)
    if kind in b"ouxX":
        width = WIDTHS[directive.length]
        return _integer(directive, _known(source.integer(max(width, 32))) & ((1 << width) - 1))
    if kind in b"eEfFgGaA":
        bits = 80 if directive.length == b"L" else 64
        return _floating(directive, _known(source.floating(bits)), bits)
    if kind == b"c" and not directive.length:
        return _padded(directive, bytes([_known(source.integer(32)) & 0xFF]))
    if kind == b"s" and not directive.length:
        return _padded(directive, _string(directive, source))
    if kind == b"p":
        address = _known(source.integer(64))
        return _padded(directive, b"0x%x" % address if address else b"(nil)")
    if kind == b"n":
        width = WIDTHS[directive.length]
        source.count(_known(source.integer(64)), width, so_far)
        return b""
    raise NotKnown


def _string(directive: _Directive, source: Source) -> bytes:
    address = _known(source.integer(64))
    if address == 0:
        return b"(null)" if directive.precision < 0 or directive.precision >= 6 else b""
    found = source.text(address, directive.precision)
    if found is None:
        raise NotKnown
    return found


def _padded(directive: _Directive, text: bytes) -> bytes:
    if b"-" in directive.flags:
        return text.ljust(directive.width)
    return text.rjust(directive.width)


def _sign(directive: _Directive, is_negative: bool) -> bytes:
    if is_negative:
        return b"-"
    return b"+" if b"+" in directive.flags else b" " if b" " in directive.flags else b""


def _integer(directive: _Directive, number: int) -> bytes:
    kind, flags = directive.kind, directive.flags
    sign = _sign(directive, number < 0) if kind in b"di" else b""
    size = abs(number)
    digits = {b"o": b"%o", b"x": b"%x", b"X": b"%X"}.get(kind, b"%d") % size
    if size == 0 and directive.precision == 0:
        digits = b""
    digits = digits.rjust(max(directive.precision, 0), b"0")
    if b"#" in flags and kind == b"o" and not digits.startswith(b"0"):
        digits = b"0" + digits
    if b"#" in flags and kind in b"xX" and size:
        sign = b"0" + kind
    return _numeral(directive, sign, digits, b"0" in flags and directive.precision < 0)


def _numeral(directive: _Directive, sign: bytes, digits: bytes, zeros: bool) -> bytes:
    if zeros and b"-" not in directive.flags:
        digits = digits.rjust(directive.width - len(sign), b"0")
    return _padded(directive, sign + digits)


# Floating point ----------------------------------------------------------------------------------


def _floating(directive: _Directive, bits: int, width: int) -> bytes:
    value = exact_value(bits, width)
    is_negative = bool(bits >> (width - 1) & 1)
    sign = _sign(directive, is_negative)
    upper = directive.kind.isupper()
    if isinstance(value, Special):
        word = b"nan" if value is NOT_A_NUMBER else b"inf"
        return _padded(directive, sign + (word.upper() if upper else word))
    precision = directive.precision
    keep = b"#" in directive.flags
    match directive.kind.lower():
        case b"f":
            digits = _fixed(abs(value), 6 if precision < 0 else precision, keep)
        case b"e":
            digits = _scientific(abs(value), 6 if precision < 0 else precision, keep)
        case b"g":
            digits = _general(abs(value), 6 if precision < 0 else precision or 1, keep)
        case _:
            digits, sign = _hexadecimal(abs(value), width, precision, keep), sign + b"0x"
    if upper:
        digits, sign = digits.upper(), sign.upper()
    return _numeral(directive, sign, digits, b"0" in directive.flags)


def _rounded(value: Fraction) -> int:
    """To the nearest whole number, halves to even."""
    return round(value)


def _fixed(value: Fraction, precision: int, keep: bool) -> bytes:
    digits = b"%d" % _rounded(value * 10**precision)
    digits = digits.rjust(precision + 1, b"0")
    if precision == 0:
        return digits + b"." if keep else digits
    return digits[:-precision] + b"." + digits[-precision:]


def _decimal(value: Fraction, precision: int) -> tuple[bytes, int]:
    """The first precision + 1 digits, and the exponent of the first one."""
    if value == 0:
        return b"0" * (precision + 1), 0
    exponent = len(str(value.numerator)) - len(str(value.denominator))
    if value < Fraction(10) ** exponent:
        exponent -= 1
    digits = b"%d" % _rounded(value * Fraction(10) ** (precision - exponent))
    if len(digits) > precision + 1:
        digits, exponent = digits[:-1], exponent + 1
    return digits, exponent


def _scientific(value: Fraction, precision: int, keep: bool) -> bytes:
    digits, exponent = _decimal(value, precision)
    point = b"." if precision or keep else b""
    sign = b"-" if exponent < 0 else b"+"
    return digits[:1] + point + digits[1:] + b"e" + sign + b"%02d" % abs(exponent)


def _general(value: Fraction, precision: int, keep: bool) -> bytes:
    _, exponent = _decimal(value, precision - 1)
    if -4 <= exponent < precision:
        text = _fixed(value, precision - 1 - exponent, keep)
        return text if keep or b"." not in text else text.rstrip(b"0").rstrip(b".")
    text = _scientific(value, precision - 1, keep)
    if keep or b"." not in text:
        return text
    digits, _, power = text.partition(b"e")
    return digits.rstrip(b"0").rstrip(b".") + b"e" + power


def _hexadecimal(value: Fraction, width: int, precision: int, keep: bool) -> bytes:
    """%a: one digit in front of the point (a nibble of the mantissa for long double)."""
    if value == 0:
        point = b"." if precision > 0 or keep else b""
        return b"0" + point + b"0" * max(precision, 0) + b"p+0"
    exponent = value.numerator.bit_length() - value.denominator.bit_length()
    if value < Fraction(2) ** exponent:
        exponent -= 1
    lowest = {64: -1022, 80: -16382}[width]
    exponent = max(exponent, lowest)
    if width == 80:
        exponent -= 3
    places = {64: 13, 80: 15}[width] if precision < 0 else precision
    digits = b"%x" % _rounded(value * Fraction(2) ** (4 * places - exponent))
    digits = digits.rjust(places + 1, b"0")
    head, rest = digits[: len(digits) - places], digits[len(digits) - places :]
    if precision < 0:
        rest = rest.rstrip(b"0")
    point = b"." if rest or keep else b""
    return head + point + rest + b"p%+d" % exponent
