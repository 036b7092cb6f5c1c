"""Floating point: numbers are kept as their bits; what is known is computed, the rest is opaque.

Not modelled: the x87 format is computed with the precision of a double.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable

from heapflow.ir.kinds import Op
from heapflow.replay.terms import Terms, Value, mask, signed

_FORMATS = {16: "<e", 32: "<f", 64: "<d"}
_NAN = {16: 0x7E00, 32: 0x7FC00000, 64: 0x7FF8000000000000}
_NAMES = {Op.FADD: "fadd", Op.FSUB: "fsub", Op.FMUL: "fmul", Op.FDIV: "fdiv", Op.FREM: "frem"}


def to_float(bits: int, width: int) -> float:
    """The number that some bits stand for."""
    if width == 80:
        sign, exponent, fraction = bits >> 79, bits >> 64 & 0x7FFF, bits & mask(64)
        if exponent == 0x7FFF:
            number = math.inf if fraction << 1 & mask(64) == 0 else math.nan
        else:
            number = math.ldexp(fraction, exponent - 16383 - 63) if fraction else 0.0
        return -number if sign else number
    if width == 128:
        sign, exponent, fraction = bits >> 127, bits >> 112 & 0x7FFF, bits & mask(112)
        if exponent == 0x7FFF:
            number = math.inf if not fraction else math.nan
        else:
            whole = fraction | (1 << 112 if exponent else 0)
            number = math.ldexp(whole, (exponent or 1) - 16383 - 112)
        return -number if sign else number
    number = struct.unpack(_FORMATS[width], bits.to_bytes(width // 8, "little"))[0]
    return float(number)


def to_bits(number: float, width: int) -> int:
    """The bits of a number, rounded to the format."""
    if width == 80:
        sign = 1 << 79 if math.copysign(1, number) < 0 else 0
        if math.isnan(number):
            return sign | 0x7FFFC000000000000000
        if math.isinf(number):
            return sign | 0x7FFF8000000000000000
        fraction, exponent = math.frexp(abs(number))
        if fraction == 0:
            return sign
        return sign | (exponent - 1 + 16383) << 64 | int(math.ldexp(fraction, 64))
    if width == 128:
        sign = 1 << 127 if math.copysign(1, number) < 0 else 0
        if math.isnan(number) or math.isinf(number):
            return sign | 0x7FFF << 112 | (1 << 111 if math.isnan(number) else 0)
        fraction, exponent = math.frexp(abs(number))
        if fraction == 0:
            return sign
        return sign | (exponent - 1 + 16383) << 112 | int(math.ldexp(fraction, 113)) & mask(112)
    try:
        return int.from_bytes(struct.pack(_FORMATS[width], number), "little")
    except OverflowError:
        infinite = math.copysign(math.inf, number)
        return int.from_bytes(struct.pack(_FORMATS[width], infinite), "little")
    except ValueError:
        return _NAN[width]


def _divided(a: float, b: float) -> float:
    if b == 0:
        if a == 0 or math.isnan(a):
            return math.nan
        return math.copysign(math.inf, a) * math.copysign(1, b)
    return a / b


def _remainder(a: float, b: float) -> float:
    return math.nan if b == 0 or math.isinf(a) else math.fmod(a, b)


_COMPUTE: dict[int, Callable[[float, float], float]] = {
    Op.FADD: lambda a, b: a + b,
    Op.FSUB: lambda a, b: a - b,
    Op.FMUL: lambda a, b: a * b,
    Op.FDIV: _divided,
    Op.FREM: _remainder,
}


def float_binary(terms: Terms, op: int, width: int, a: Value, b: Value) -> Value:
    """FADD … FREM."""
    if isinstance(a, int) and isinstance(b, int):
        number = _COMPUTE[op](to_float(a, width), to_float(b, width))
        return to_bits(number, width)
    return terms.opaque(_NAMES[Op(op)], width, a, b)


def float_negate(terms: Terms, width: int, a: Value) -> Value:
    return terms.binary("xor", width, a, 1 << (width - 1))


def float_compare(terms: Terms, predicate: int, width: int, a: Value, b: Value) -> Value:
    """FCMP; predicates as LLVM numbers them: bits for =, >, <, unordered."""
    if not (isinstance(a, int) and isinstance(b, int)):
        return terms.opaque(f"fcmp{predicate}", 1, a, b)
    x, y = to_float(a, width), to_float(b, width)
    if math.isnan(x) or math.isnan(y):
        return predicate >> 3 & 1
    return (
        (predicate & 1 and x == y)
        or (predicate & 2 and x > y)
        or ((predicate & 4 and x < y) and 1)
        or 0
    )


def float_cast(terms: Terms, op: int, a: Value, from_width: int, to_width: int) -> Value:
    """Casts from, to and between floating point."""
    if not isinstance(a, int):
        return terms.opaque(Op(op).name.lower(), to_width, a)
    match op:
        case Op.FP_TRUNC | Op.FP_EXT:
            return to_bits(to_float(a, from_width), to_width)
        case Op.UI_TO_FP:
            return to_bits(_rounded(a, to_width), to_width)
        case Op.SI_TO_FP:
            return to_bits(_rounded(signed(a, from_width), to_width), to_width)
        case _:
            number = to_float(a, from_width)
            if math.isnan(number) or math.isinf(number):
                return 0
            return int(number) & mask(to_width)


def _rounded(number: int, width: int) -> float:
    """An integer as a number of a format: rounding twice would be wrong for a float."""
    if width != 32 or abs(number) < 1 << 53:
        return float(number)
    shift = number.bit_length() - 53 if number > 0 else (-number).bit_length() - 53
    sticky = 1 if number & mask(shift) else 0
    return math.ldexp(float((number >> shift) | sticky), shift)
