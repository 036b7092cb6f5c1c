"""Functions of real numbers, as <math.h> and the intrinsics of LLVM have them, in doubles."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

from heapflow.replay.floats import to_bits, to_float


def in_bits(function: Callable[..., float], values: Sequence[int], width: int) -> int:
    """A function of numbers that are given as bits; outside of its domain it is not a number."""
    try:
        return to_bits(function(*(to_float(one, width) for one in values)), width)
    except OverflowError:
        return to_bits(math.inf, width)
    except ValueError:
        return to_bits(math.nan, width)


def _whole(function: Callable[[float], float]) -> Callable[[float], float]:
    def run(number: float) -> float:
        return math.copysign(float(function(number)), number) if math.isfinite(number) else number

    return run


def away_from_zero(number: float) -> float:
    """round: halves away from zero."""
    if not math.isfinite(number):
        return number
    whole = math.floor(abs(number))
    return math.copysign(whole + (1.0 if abs(number) - whole >= 0.5 else 0.0), number)


def _largest(a: float, b: float) -> float:
    return b if math.isnan(a) else a if math.isnan(b) else max(a, b)


def _smallest(a: float, b: float) -> float:
    return b if math.isnan(a) else a if math.isnan(b) else min(a, b)


def _log(function: Callable[[float], float]) -> Callable[[float], float]:
    return lambda number: -math.inf if number == 0 else function(number)


def fused(a: float, b: float, c: float) -> float:
    """x·y + z, rounded once."""
    if not (math.isfinite(a) and math.isfinite(b) and math.isfinite(c)) or a * b == 0:
        return a * b + c
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    return float(exact) if exact else a * b + c


nearest = _whole(round)

FUNCTIONS: dict[str, tuple[Callable[..., float], int]] = {
    "sqrt": (math.sqrt, 1),
    "cbrt": (math.cbrt, 1),
    "sin": (math.sin, 1),
    "cos": (math.cos, 1),
    "tan": (math.tan, 1),
    "asin": (math.asin, 1),
    "acos": (math.acos, 1),
    "atan": (math.atan, 1),
    "sinh": (math.sinh, 1),
    "cosh": (math.cosh, 1),
    "tanh": (math.tanh, 1),
    "exp": (math.exp, 1),
    "exp2": (math.exp2, 1),
    "log": (_log(math.log), 1),
    "log2": (_log(math.log2), 1),
    "log10": (_log(math.log10), 1),
    "log1p": (math.log1p, 1),
    "expm1": (math.expm1, 1),
    "fabs": (math.fabs, 1),
    "floor": (_whole(math.floor), 1),
    "ceil": (_whole(math.ceil), 1),
    "trunc": (_whole(math.trunc), 1),
    "round": (away_from_zero, 1),
    "rint": (nearest, 1),
    "nearbyint": (nearest, 1),
    "pow": (math.pow, 2),
    "atan2": (math.atan2, 2),
    "hypot": (math.hypot, 2),
    "fmod": (math.fmod, 2),
    "fmin": (_smallest, 2),
    "fmax": (_largest, 2),
    "copysign": (math.copysign, 2),
    "fma": (fused, 3),
    "fdim": (lambda a, b: a - b if a > b else 0.0, 2),
}
