"""Floating-point numbers as exact fractions, for formats that Python has no type for.

In:    bits and the width of their format.     Out: a fraction, or that it is none; and back, rounded to
the nearest, halves to even.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from heapflow.replay.term import mask


class Special(Enum):
    """What is not a number that has a value."""

    INFINITE = "inf"
    NOT_A_NUMBER = "nan"


INFINITE, NOT_A_NUMBER = Special.INFINITE, Special.NOT_A_NUMBER


@dataclass(frozen=True, slots=True)
class Format:
    """Widths of a binary format; `explicit`: the first bit of the mantissa is written (x87)."""

    exponent: int
    fraction: int  # bits behind the point
    explicit: bool = False

    @property
    def bias(self) -> int:
        return mask(self.exponent - 1)


FORMATS = {
    16: Format(5, 10),
    32: Format(8, 23),
    64: Format(11, 52),
    80: Format(15, 63, explicit=True),
    128: Format(15, 112),
}


def exact_value(bits: int, width: int) -> Fraction | Special:
    """The number that some bits stand for; the sign of zero is lost."""
    form = FORMATS[width]
    stored = form.fraction + form.explicit
    exponent = bits >> stored & mask(form.exponent)
    fraction = bits & mask(form.fraction)
    if exponent == mask(form.exponent):
        return NOT_A_NUMBER if fraction else INFINITE
    if form.explicit:
        fraction = bits & mask(stored)
    elif exponent:
        fraction |= 1 << form.fraction
    power = max(exponent, 1) - form.bias - form.fraction
    value = Fraction(fraction) * Fraction(2) ** power
    return -value if bits >> (width - 1) & 1 else value


def rounded_bits(value: Fraction | int, width: int, negative_zero: bool = False) -> int:
    """The bits of the nearest number of a format."""
    form = FORMATS[width]
    sign = 1 << (width - 1) if value < 0 or (value == 0 and negative_zero) else 0
    value = abs(Fraction(value))
    if value == 0:
        return sign
    exponent = value.numerator.bit_length() - value.denominator.bit_length()
    if value < Fraction(2) ** exponent:
        exponent -= 1
    exponent = max(exponent, 1 - form.bias)
    whole = round(value * Fraction(2) ** (form.fraction - exponent))
    if whole >> (form.fraction + 1):
        whole >>= 1
        exponent += 1
    if exponent > form.bias:
        return sign | infinity(width)
    biased = exponent + form.bias if whole >> form.fraction else 0
    stored = form.fraction + form.explicit
    return sign | biased << stored | (whole & mask(stored))


def infinity(width: int) -> int:
    form = FORMATS[width]
    stored = form.fraction + form.explicit
    return mask(form.exponent) << stored | (1 << form.fraction if form.explicit else 0)


def not_a_number(width: int) -> int:
    """The one that the machine makes: quiet, negative."""
    form = FORMATS[width]
    return 1 << (width - 1) | infinity(width) | 1 << (form.fraction - 1)
