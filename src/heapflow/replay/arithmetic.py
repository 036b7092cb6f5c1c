"""Arithmetic that LLVM has as functions; of vectors element by element.

In:    the function's name, its arguments.     Out: the result; None: not computed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal

from heapflow.ir.kinds import Op
from heapflow.replay.aggregates import Aggregate, part_of
from heapflow.replay.exact import FORMATS, INFINITE, NOT_A_NUMBER, exact_value
from heapflow.replay.executor import Executor
from heapflow.replay.floats import float_binary, is_nan
from heapflow.replay.instr import Instr
from heapflow.replay.numeric import FUNCTIONS, in_bits
from heapflow.replay.term import Binary, Term, Value, mask
from heapflow.replay.terms import Terms

_Of = Callable[[Terms, int, list[Value]], "Value | None"]


def arithmetic(executor: Executor, instr: Instr, name: str, values: list[Value]) -> Value | None:
    """The value of an arithmetic function of LLVM."""
    words = name.split(".")
    if "overflow" in words:
        return _with_overflow(executor, instr, words[1], values)
    if words[1] == "vector" and len(words) > 3 and words[2] == "reduce":
        return _reduced(executor, instr, words[3], values)
    if words[1:3] == ["is", "fpclass"]:
        width = executor.types.width(executor.knowledge.value_type[instr.operands[1]])
        return _is_of_class(executor.terms, width, values)
    special = _SPECIAL.get(words[1])
    if special is not None and instr.width:
        return special(executor.terms, instr.width, values)
    function = _ON_SCALARS.get(".".join(words[1:3])) or _ON_SCALARS.get(words[1])
    if function is None:
        return None
    if instr.width:
        return function(executor.terms, instr.width, values)
    return _by_lane(executor, instr, function, values)


def _by_lane(executor: Executor, instr: Instr, function: _Of, values: list[Value]) -> Value | None:
    types = executor.types
    parts: dict[int, Value] = {}
    vectors = [
        not types.width(executor.knowledge.value_type[operand])
        for operand in instr.operands[1 : 1 + len(values)]
    ]
    for offset, part in types.parts(instr.type):
        lanes = [
            part_of(executor, value, offset, part) if is_vector else value
            for value, is_vector in zip(values, vectors, strict=True)
        ]
        found = function(executor.terms, types.width(part), lanes)
        if found is None:
            return None
        parts[offset] = found
    return Aggregate(parts)


# Integers ----------------------------------------------------------------------------------------


def _extreme(is_signed: bool, largest: bool) -> _Of:
    def run(terms: Terms, width: int, values: list[Value]) -> Value:
        compare = terms.slt if is_signed else terms.ult
        less = compare(width, values[0], values[1])
        if largest:
            return terms.ite(width, less, values[1], values[0])
        return terms.ite(width, less, values[0], values[1])

    return run


def _absolute(terms: Terms, width: int, values: list[Value]) -> Value:
    negative = terms.slt(width, values[0], 0)
    return terms.ite(width, negative, terms.sub(width, 0, values[0]), values[0])


def _of_bits(name: str) -> _Of:
    def run(terms: Terms, width: int, values: list[Value]) -> Value:
        value = values[0]
        if isinstance(value, int):
            return _known_bits(name, width, value)
        if name == "bswap":
            return _swapped(terms, width, value)
        return terms.opaque(name, width, value)

    return run


def _swapped(terms: Terms, width: int, value: Term) -> Value:
    swapped: Value = terms.extract(8, value, 0)
    for position in range(1, width // 8):
        byte = terms.extract(8, value, position * 8)
        swapped = terms.concat(swapped, position * 8, byte, 8)
    return swapped


def _known_bits(name: str, width: int, value: int) -> int:
    match name:
        case "ctpop":
            return value.bit_count()
        case "ctlz":
            return width - value.bit_length()
        case "cttz":
            return width if value == 0 else (value & -value).bit_length() - 1
        case "bswap":
            return int.from_bytes(value.to_bytes(width // 8, "little"), "big")
        case _:
            return int(format(value, f"0{width}b")[::-1], 2)


def _funnel(to_left: bool) -> _Of:
    def run(terms: Terms, width: int, values: list[Value]) -> Value:
        high, low, count = values
        if not isinstance(count, int):
            return terms.opaque("fshl" if to_left else "fshr", width, *values)
        both = terms.concat(high, width, low, width)
        return terms.extract(width, both, width - count % width if to_left else count % width)

    return run


def _saturated(op: Literal["add", "sub"], is_signed: bool) -> _Of:
    """An addition or subtraction that stops at the ends."""

    def run(terms: Terms, width: int, values: list[Value]) -> Value:
        wide = width + 1
        grow = terms.sext if is_signed else terms.zext
        a, b = (grow(wide, value, width) for value in values[:2])
        exact = terms.binary(op, wide, a, b)
        least = (1 << width) | (1 << (width - 1)) if is_signed else 0
        most = mask(width - 1) if is_signed else mask(width)
        if not is_signed:  # a difference below zero has its highest bit set, and so has a large sum
            over = terms.extract(1, exact, width)
            stop = most if op == "add" else least
            return terms.ite(width, over, stop, terms.extract(width, exact, 0))
        low = terms.ite(wide, terms.slt(wide, exact, least), least, exact)
        cut = terms.ite(wide, terms.slt(wide, most, low), most, low)
        return terms.extract(width, cut, 0)

    return run


# By the part of an intrinsic's name that says what it computes.
_PLAIN: Final[dict[str, Binary]] = {
    "add": "add",
    "sub": "sub",
    "mul": "mul",
    "and": "and",
    "or": "or",
    "xor": "xor",
}


def _with_overflow(
    executor: Executor, instr: Instr, short: str, values: list[Value]
) -> Value | None:
    types, terms = executor.types, executor.terms
    parts = types.parts(instr.type)
    if len(parts) != 2:
        return None
    width = types.width(parts[0][1])
    op = _PLAIN[short[1:4]]
    grow = terms.zext if short[0] == "u" else terms.sext
    wide = width * 2
    a, b = (grow(wide, value, width) for value in values[:2])
    exact = terms.binary(op, wide, a, b)
    result = terms.binary(op, width, values[0], values[1])
    over = terms.negate(terms.eq(wide, exact, grow(wide, result, width)))
    return Aggregate({parts[0][0]: result, parts[1][0]: over})


# Vectors to one value ----------------------------------------------------------------------------


def _reduced(executor: Executor, instr: Instr, name: str, values: list[Value]) -> Value | None:
    """vector.reduce: all elements joined by an operation."""
    types, terms, width = executor.types, executor.terms, instr.width
    vector = instr.operands[len(values)]
    lanes = [
        part_of(executor, values[-1], offset, part)
        for offset, part in types.parts(executor.knowledge.value_type[vector])
    ]
    if name in ("fadd", "fmul"):
        total, op = values[0], int(Op.FADD if name == "fadd" else Op.FMUL)
        for lane in lanes:
            total = float_binary(terms, op, width, total, lane)
        return total
    total = lanes[0]
    for lane in lanes[1:]:
        plain = _PLAIN.get(name)
        if plain is not None:
            total = terms.binary(plain, width, total, lane)
            continue
        function = _ON_SCALARS.get({"fmax": "maxnum", "fmin": "minnum"}.get(name, name))
        found = None if function is None else function(terms, width, [total, lane])
        if found is None:
            return None
        total = found
    return total


# Floating point ----------------------------------------------------------------------------------


def _float(name: str, known_as: str = "") -> _Of:
    """A function of known numbers; of others it is opaque."""
    function, count = FUNCTIONS[known_as or name]

    def run(terms: Terms, width: int, values: list[Value]) -> Value | None:
        known = [value for value in values[:count] if isinstance(value, int)]
        if len(known) < count:
            return terms.opaque(name, width, *values[:count])
        for one in known:
            if is_nan(one, width) and name not in ("minnum", "maxnum"):
                return one
        return in_bits(function, known, width)

    return run


def _multiplied(terms: Terms, width: int, values: list[Value]) -> Value:
    """fmuladd: x·y + z, rounded twice, as plain x86-64 does it."""
    product = float_binary(terms, int(Op.FMUL), width, values[0], values[1])
    return float_binary(terms, int(Op.FADD), width, product, values[2])


def _is_of_class(terms: Terms, width: int, values: list[Value]) -> Value | None:
    """is.fpclass: whether a number belongs to one of a set of classes."""
    bits, wanted = values[:2]
    if not isinstance(wanted, int) or not width:
        return None
    if not isinstance(bits, int):
        return terms.opaque(f"fpclass{wanted}", 1, bits)
    negative = bits >> (width - 1)
    form, value = FORMATS[width], exact_value(bits, width)
    if value is NOT_A_NUMBER:
        return wanted >> (bits >> (form.fraction - 1) & 1) & 1
    if value is INFINITE:
        kind = 0
    elif value == 0:
        kind = 3
    else:
        stored = form.fraction + form.explicit
        kind = 1 if bits >> stored & mask(form.exponent) else 2
    return wanted >> (2 + kind if negative else 9 - kind) & 1


def _fabs(terms: Terms, width: int, values: list[Value]) -> Value:
    return terms.binary("and", width, values[0], mask(width - 1))


def _copysign(terms: Terms, width: int, values: list[Value]) -> Value:
    size = terms.binary("and", width, values[0], mask(width - 1))
    sign = terms.binary("and", width, values[1], 1 << (width - 1))
    return terms.binary("or", width, size, sign)


def _mask_pointer(terms: Terms, width: int, values: list[Value]) -> Value:
    return terms.binary("and", width, values[0], values[1])


def _object_size(terms: Terms, width: int, values: list[Value]) -> Value:
    return mask(width) if len(values) < 2 or values[1] == 0 else 0


def _zero(terms: Terms, width: int, values: list[Value]) -> Value:
    return 0


# Names that <math.h> has, too.
_SAME = "fma floor ceil trunc rint round sqrt pow exp log sin cos".split()
_SPECIAL: dict[str, _Of] = {
    "ptrmask": _mask_pointer,
    "is": _zero,  # llvm.is.constant: nothing is, where nothing is optimised
    "objectsize": _object_size,
    "stacksave": _zero,
}
_ON_SCALARS: dict[str, _Of] = {
    "umax": _extreme(False, True),
    "umin": _extreme(False, False),
    "smax": _extreme(True, True),
    "smin": _extreme(True, False),
    "abs": _absolute,
    "fshl": _funnel(True),
    "fshr": _funnel(False),
    **{name: _of_bits(name) for name in ("ctpop", "ctlz", "cttz", "bswap", "bitreverse")},
    "uadd.sat": _saturated("add", False),
    "usub.sat": _saturated("sub", False),
    "sadd.sat": _saturated("add", True),
    "ssub.sat": _saturated("sub", True),
    "fabs": _fabs,
    "copysign": _copysign,
    "fmuladd": _multiplied,
    "nearbyint": _float("rint"),
    "roundeven": _float("rint"),
    "minnum": _float("minnum", "fmin"),
    "maxnum": _float("maxnum", "fmax"),
    **{name: _float(name) for name in _SAME},
}
