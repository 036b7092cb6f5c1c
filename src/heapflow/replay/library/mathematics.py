"""Functions of <math.h> on known numbers, in doubles."""

from __future__ import annotations

import math
from collections.abc import Callable

from heapflow.replay.arithmetic import away_from_zero, fused
from heapflow.replay.floats import to_bits, to_float
from heapflow.replay.library.call import Computed, LibraryCall
from heapflow.replay.term import Value, mask


def _of(function: Callable[..., float], count: int) -> Computed:
    """A function of so many numbers; outside of its domain it is not a number."""

    def run(call: LibraryCall) -> Value | None:
        numbers = [call.number(position) for position in range(count)]
        width = call.width(0)
        values = [to_float(one, width) for one in numbers if one is not None]
        if len(values) < count:
            return None
        try:
            return to_bits(function(*values), width)
        except OverflowError:
            return to_bits(math.inf, width)
        except ValueError:
            return to_bits(math.nan, width)

    return run


def _whole(function: Callable[[float], float]) -> Callable[[float], float]:
    def run(number: float) -> float:
        return math.copysign(float(function(number)), number) if math.isfinite(number) else number

    return run


def _log(number: float) -> float:
    return -math.inf if number == 0 else math.log(number)


def _to_whole(function: Callable[[float], float]) -> Computed:
    """lround, lrint."""

    def run(call: LibraryCall) -> Value | None:
        bits = call.number(0)
        if bits is None:
            return None
        number = function(to_float(bits, call.width(0)))
        return int(number) & mask(64) if math.isfinite(number) else 1 << 63

    return run


def _scaled(call: LibraryCall) -> Value | None:
    bits, power = call.number(0), call.number(1)
    if bits is None or power is None:
        return None
    exponent = power - (1 << 32) if power >> 31 & 1 else power
    try:
        return to_bits(math.ldexp(to_float(bits, call.width(0)), exponent), call.width(0))
    except OverflowError:
        return to_bits(math.inf, call.width(0))


def _frexp(call: LibraryCall) -> Value | None:
    bits, target = call.number(0), call.number(1)
    if bits is None or target is None:
        return None
    fraction, exponent = math.frexp(to_float(bits, call.width(0)))
    call.store(target, 32, exponent & mask(32))
    return to_bits(fraction, call.width(0))


def _modf(call: LibraryCall) -> Value | None:
    bits, target = call.number(0), call.number(1)
    if bits is None or target is None:
        return None
    width = call.width(0)
    fraction, whole = math.modf(to_float(bits, width))
    call.store(target, width, to_bits(whole, width))
    return to_bits(fraction, width)


_PLAIN: dict[str, tuple[Callable[..., float], int]] = {
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
    "log": (_log, 1),
    "log2": (lambda x: -math.inf if x == 0 else math.log2(x), 1),
    "log10": (lambda x: -math.inf if x == 0 else math.log10(x), 1),
    "log1p": (math.log1p, 1),
    "expm1": (math.expm1, 1),
    "fabs": (math.fabs, 1),
    "floor": (_whole(math.floor), 1),
    "ceil": (_whole(math.ceil), 1),
    "trunc": (_whole(math.trunc), 1),
    "round": (away_from_zero, 1),
    "rint": (_whole(round), 1),
    "nearbyint": (_whole(round), 1),
    "pow": (math.pow, 2),
    "atan2": (math.atan2, 2),
    "hypot": (math.hypot, 2),
    "fmod": (math.fmod, 2),
    "fmin": (lambda a, b: b if math.isnan(a) else a if math.isnan(b) else min(a, b), 2),
    "fmax": (lambda a, b: b if math.isnan(a) else a if math.isnan(b) else max(a, b), 2),
    "copysign": (math.copysign, 2),
    "fma": (fused, 3),
    "fdim": (lambda a, b: a - b if a > b else 0.0, 2),
}
MATHEMATICS: dict[str, Computed] = {
    name + suffix: _of(function, count)
    for name, (function, count) in _PLAIN.items()
    for suffix in ("", "f", "l")
}
for _suffix in ("", "f", "l"):
    MATHEMATICS["ldexp" + _suffix] = MATHEMATICS["scalbn" + _suffix] = _scaled
    MATHEMATICS["frexp" + _suffix], MATHEMATICS["modf" + _suffix] = _frexp, _modf
    for _name, _function in (("round", away_from_zero), ("rint", _whole(round))):
        MATHEMATICS["l" + _name + _suffix] = MATHEMATICS["ll" + _name + _suffix] = _to_whole(
            _function
        )
