"""Functions of <math.h> on known numbers, in doubles."""

from __future__ import annotations

import math
from collections.abc import Callable

from heapflow.replay.floats import to_bits, to_float
from heapflow.replay.library.call import Computed, LibraryCall
from heapflow.replay.numeric import FUNCTIONS, away_from_zero, in_bits, nearest
from heapflow.replay.term import Value, mask


def _of(function: Callable[..., float], count: int) -> Computed:
    """A function of so many numbers; outside of its domain it is not a number."""

    def run(call: LibraryCall) -> Value | None:
        numbers = [call.number(position) for position in range(count)]
        width = call.width(0)
        known = [one for one in numbers if one is not None]
        return in_bits(function, known, width) if len(known) == count else None

    return run


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


MATHEMATICS: dict[str, Computed] = {
    name + suffix: _of(function, count)
    for name, (function, count) in FUNCTIONS.items()
    for suffix in ("", "f", "l")
}
for _suffix in ("", "f", "l"):
    MATHEMATICS["ldexp" + _suffix] = MATHEMATICS["scalbn" + _suffix] = _scaled
    MATHEMATICS["frexp" + _suffix], MATHEMATICS["modf" + _suffix] = _frexp, _modf
    for _name, _function in (("round", away_from_zero), ("rint", nearest)):
        MATHEMATICS["l" + _name + _suffix] = MATHEMATICS["ll" + _name + _suffix] = _to_whole(
            _function
        )
