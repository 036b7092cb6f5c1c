"""Floating point: numbers are kept as their bits; what is known is computed, the rest is opaque.

Formats that Python has (16, 32, 64 bits) are computed in doubles, which is exact once rounded; x87's
and quadruple numbers as fractions (`exact`).
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from fractions import Fraction

from heapflow.ir.kinds import Op
from heapflow.replay.codes import OP_FP_EXT, OP_FP_TO_SI, OP_FP_TRUNC, OP_SI_TO_FP, OP_UI_TO_FP
from heapflow.replay.exact import (
    FORMATS,
    INFINITE,
    NOT_A_NUMBER,
    Special,
    exact_value,
    infinity,
    not_a_number,
    rounded_bits,
)
from heapflow.replay.term import Value, mask, signed
from heapflow.replay.terms import Terms

_PACKED = {16: struct.Struct("<e"), 32: struct.Struct("<f"), 64: struct.Struct("<d")}
_NAMES = {int(op): op.name.lower() for op in (Op.FADD, Op.FSUB, Op.FMUL, Op.FDIV, Op.FREM)}


def to_float(bits: int, width: int) -> float:
    """The number that some bits stand for, as a double."""
    packed = _PACKED.get(width)
    if packed is not None:
        number: float = packed.unpack(bits.to_bytes(width // 8, "little"))[0]
        return number
    value = exact_value(bits, width)
    sign = -1.0 if bits >> (width - 1) & 1 else 1.0
    if value is NOT_A_NUMBER:
        return math.nan
    if value is INFINITE:
        return sign * math.inf
    assert isinstance(value, Fraction)
    return math.copysign(float(abs(value)), sign)


def to_bits(number: float, width: int) -> int:
    """The bits of a double, rounded to the format."""
    if math.isnan(number):
        return not_a_number(width)
    sign = 1 << (width - 1) if math.copysign(1, number) < 0 else 0
    if math.isinf(number):
        return sign | infinity(width)
    packed = _PACKED.get(width)
    if packed is None:
        return rounded_bits(Fraction(number), width, sign != 0)
    try:
        return int.from_bytes(packed.pack(number), "little")
    except OverflowError:
        return sign | infinity(width)


def is_nan(bits: int, width: int) -> bool:
    return (
        exact_value(bits, width) is NOT_A_NUMBER
        if width not in _PACKED
        else math.isnan(to_float(bits, width))
    )


# Arithmetic --------------------------------------------------------------------------------------


def _divided(a: float, b: float) -> float:
    if b == 0:
        if a == 0 or math.isnan(a):
            return math.nan
        return math.copysign(math.inf, a) * math.copysign(1, b)
    return a / b


def _remainder(a: float, b: float) -> float:
    return math.nan if b == 0 or math.isinf(a) else math.fmod(a, b)


_COMPUTE: dict[int, Callable[[float, float], float]] = {
    int(Op.FADD): lambda a, b: a + b,
    int(Op.FSUB): lambda a, b: a - b,
    int(Op.FMUL): lambda a, b: a * b,
    int(Op.FDIV): _divided,
    int(Op.FREM): _remainder,
}


def float_binary(terms: Terms, op: int, width: int, a: Value, b: Value) -> Value:
    """FADD … FREM."""
    if not (isinstance(a, int) and isinstance(b, int)):
        return terms.opaque(_NAMES[op], width, a, b)
    for one in (a, b):
        if is_nan(one, width):
            return one | 1 << (FORMATS[width].fraction - 1)  # the operand, made quiet
    if width in _PACKED:
        number = _COMPUTE[op](to_float(a, width), to_float(b, width))
        return to_bits(number, width)
    return _exact_binary(op, width, a, b)


def _exact_binary(op: int, width: int, a: int, b: int) -> int:
    x, y = exact_value(a, width), exact_value(b, width)
    # Infinities and zeros behave alike in all formats: doubles stand in for them.
    small = isinstance(x, Special) or isinstance(y, Special) or x == 0 or y == 0
    if small:
        return _by_signs(op, width, a, b, x, y)
    assert isinstance(x, Fraction) and isinstance(y, Fraction)
    if op == Op.FADD:
        result = x + y
    elif op == Op.FSUB:
        result = x - y
    elif op == Op.FMUL:
        result = x * y
    elif op == Op.FDIV:
        result = x / y
    else:
        quotient = abs(x) // abs(y)
        result = x - (quotient if (x < 0) == (y < 0) else -quotient) * y
        return rounded_bits(result, width, x < 0)
    negative = (x < 0) != (y < 0) if op in (Op.FMUL, Op.FDIV) else False
    return rounded_bits(result, width, negative)


def _by_signs(
    op: int, width: int, a: int, b: int, x: Fraction | Special, y: Fraction | Special
) -> int:
    """An infinity or a zero takes part: what comes out is one of the operands, or special as well."""

    def stand_in(bits: int, value: Fraction | Special) -> float:
        size = math.inf if value is INFINITE else 0.0 if value == 0 else 1.0
        return -size if bits >> (width - 1) & 1 else size

    number = _COMPUTE[op](stand_in(a, x), stand_in(b, y))
    if abs(number) == 1:  # a number and a zero: the number, or its negative
        chosen = b if x == 0 else a
        sign = 1 << (width - 1)
        return chosen & ~sign | (sign if number < 0 else 0)
    return to_bits(number, width)


def float_negate(terms: Terms, width: int, a: Value) -> Value:
    return terms.binary("xor", width, a, 1 << (width - 1))


def float_compare(terms: Terms, predicate: int, width: int, a: Value, b: Value) -> Value:
    """FCMP; predicates as LLVM numbers them: bits for =, >, <, unordered."""
    if predicate == 15 or predicate == 0:
        return predicate & 1
    if not (isinstance(a, int) and isinstance(b, int)):
        return terms.opaque(f"fcmp{predicate}", 1, a, b)
    if is_nan(a, width) or is_nan(b, width):
        return predicate >> 3 & 1
    x, y = _ordered(a, width), _ordered(b, width)
    bit = 1 if x == y else 2 if x > y else 4
    return int(predicate & bit != 0)


def _ordered(bits: int, width: int) -> int:
    """A number that is ordered as what the bits stand for."""
    sign = 1 << (width - 1)
    return -(bits ^ sign) if bits & sign else bits


# Casts -------------------------------------------------------------------------------------------


def float_cast(terms: Terms, op: int, a: Value, from_width: int, to_width: int) -> Value:
    """Casts from, to and between floating point."""
    if not isinstance(a, int):
        return terms.opaque(Op(op).name.lower(), to_width, a)
    if op in (OP_FP_TRUNC, OP_FP_EXT):
        return _converted(a, from_width, to_width)
    if op == OP_UI_TO_FP:
        return rounded_bits(a, to_width)
    if op == OP_SI_TO_FP:
        return rounded_bits(signed(a, from_width), to_width)
    return _to_integer(exact_value(a, from_width), to_width, op == OP_FP_TO_SI) & mask(to_width)


def _to_integer(value: Fraction | Special, width: int, is_signed: bool) -> int:
    """What does not fit is open in C; x86-64 has one value for all of it."""
    if width > 64:
        return 0 if isinstance(value, Special) else int(value)
    if is_signed or width <= 32:
        return _machine_integer(value, 32 if width <= (32 if is_signed else 16) else 64)
    low = _machine_integer(value, 64)
    if low >= 0:
        return low
    rest = value if isinstance(value, Special) else value - (1 << 63)
    return low | _machine_integer(rest, 64)


def _machine_integer(value: Fraction | Special, width: int) -> int:
    least = -(1 << (width - 1))
    if isinstance(value, Special):
        return least
    number = int(value)
    return number if least <= number < -least else least


def _converted(bits: int, from_width: int, to_width: int) -> int:
    value = exact_value(bits, from_width)
    sign = bits >> (from_width - 1) << (to_width - 1)
    if value is INFINITE:
        return sign | infinity(to_width)
    if isinstance(value, Special):
        source, target = FORMATS[from_width], FORMATS[to_width]
        payload = bits & mask(source.fraction)
        shift = target.fraction - source.fraction
        payload = payload << shift if shift >= 0 else payload >> -shift
        return sign | infinity(to_width) | payload | 1 << (target.fraction - 1)
    return rounded_bits(value, to_width, sign != 0)
