"""Comparisons of terms, folded; which bits can be set; terms with some unknowns replaced.

In:    `Terms`, operands.     Out: values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, assert_never

from heapflow.replay.term import Term, Value, compared_width, mask, signed, widths_of

if TYPE_CHECKING:
    from heapflow.replay.terms import Terms


def may_be_set(value: Value) -> int:
    """Bits that can be one."""
    if isinstance(value, int):
        return value
    full = mask(value.width)
    if value.op == "zext":
        return may_be_set(value.args[0])
    if value.op == "and" and isinstance(value.args[1], int):
        bits: int = value.args[1]
        return bits & may_be_set(value.args[0])
    if value.op == "shl" and isinstance(value.args[1], int):
        return may_be_set(value.args[0]) << value.args[1] & full
    if value.op == "mul" and isinstance(value.args[1], int):
        low = value.args[1] & -value.args[1]
        return full & ~(int(low) - 1)
    if value.op == "sum":
        lows = [factor & -factor for _, factor in value.args[1]]
        constant: int = value.args[0]
        if constant:
            lows.append(constant & -constant)
        lowest: int = min(lows)
        return full & ~(lowest - 1)
    return full


def equal(terms: Terms, width: int, a: Value, b: Value) -> Value:
    if a is b:
        return 1
    if isinstance(a, int):
        if isinstance(b, int):
            return int(a == b)
        return _equal_constant(terms, width, b, a)
    if isinstance(b, Term):
        return _equal_terms(terms, width, a, b)
    return _equal_constant(terms, width, a, b)


def _equal_terms(terms: Terms, width: int, a: Term, b: Term) -> Value:
    if a.op == b.op and a.op in ("zext", "sext") and a.args[0].width == b.args[0].width:
        return terms.eq(a.args[0].width, a.args[0], b.args[0])
    if "sum" in (a.op, b.op):
        difference = terms.sub(width, a, b)
        if isinstance(difference, int):
            return int(difference == 0)
        if difference.op == "sum" or difference.atoms != a.atoms | b.atoms:
            return _equal_constant(terms, width, difference, 0)
    if a.number > b.number:
        a, b = b, a
    return terms.make("eq", 1, (a, b), (a, b))


def _equal_constant(terms: Terms, width: int, a: Term, b: int) -> Value:
    if width == 1:
        return a if b else terms.negate(a)
    if a.op == "sum":
        constant, parts = terms.linear(a, width)
        rest = terms.sum(width, 0, dict(parts))
        target = (b - constant) & mask(width)
        if isinstance(rest, Term) and rest.op != "sum":
            return _equal_constant(terms, width, rest, target)
        if constant:
            return terms.eq(width, rest, target)
    if a.op == "mul" and isinstance(a.args[1], int) and a.args[1] & 1:
        inverse = pow(a.args[1], -1, 1 << width)
        return terms.eq(width, a.args[0], b * inverse & mask(width))
    if a.op == "zext":
        inner: Term = a.args[0]
        return 0 if b >> inner.width else _equal_constant(terms, inner.width, inner, b)
    if a.op == "sext":
        inner = a.args[0]
        cut = b & mask(inner.width)
        if signed(cut, inner.width) & mask(width) != b:
            return 0
        return _equal_constant(terms, inner.width, inner, cut)
    if a.op == "ite":
        chosen, yes, no = a.args
        if isinstance(yes, int) or isinstance(no, int):
            return terms.ite(1, chosen, terms.eq(width, yes, b), terms.eq(width, no, b))
    if a.op == "concat":
        high, low = a.args
        above, cut = widths_of(a)
        return terms.binary(
            "and",
            1,
            terms.eq(above, high, b >> cut),
            terms.eq(cut, low, b & mask(cut)),
        )
    if b & ~may_be_set(a):
        return 0
    return terms.make("eq", 1, (a, b), (a,))


def below(terms: Terms, width: int, a: Value, b: Value) -> Value:
    if isinstance(a, int) and isinstance(b, int):
        return int(a < b)
    if a is b or b == 0 or a == mask(width):
        return 0
    if b == 1:
        return terms.eq(width, a, 0)
    if a == 0:
        return terms.negate(terms.eq(width, b, 0))
    if isinstance(a, Term) and a.op == "zext" and isinstance(b, int):
        inner: Term = a.args[0]
        return 1 if b >> inner.width else terms.ult(inner.width, inner, b)
    return terms.make("ult", 1, (a, b), (a, b))


def signed_below(terms: Terms, width: int, a: Value, b: Value) -> Value:
    if isinstance(a, int) and isinstance(b, int):
        return int(signed(a, width) < signed(b, width))
    if a is b:
        return 0
    if isinstance(a, Term) and a.op == "zext" and isinstance(b, int):
        return terms.ult(width, a, b) if signed(b, width) >= 0 else 0
    if isinstance(b, Term) and b.op == "zext" and isinstance(a, int):
        return terms.ult(width, a, b) if signed(a, width) >= 0 else 1
    if isinstance(a, Term) and a.op == "sext" and isinstance(b, int):
        inner: Term = a.args[0]
        if signed(b & mask(inner.width), inner.width) & mask(width) == b:
            return terms.slt(inner.width, inner, b & mask(inner.width))
        return int(signed(b, width) > 0)
    return terms.make("slt", 1, (a, b), (a, b))


def substituted(terms: Terms, term: Term, known: dict[int, int], memo: dict[int, Value]) -> Value:
    """A term with some atoms replaced by constants."""
    if known.keys().isdisjoint(term.atoms):
        return term
    found = memo.get(term.number)
    if found is None:
        found = memo[term.number] = _rebuilt(terms, term, known, memo)
    return found


def _rebuilt(terms: Terms, term: Term, known: dict[int, int], memo: dict[int, Value]) -> Value:
    if term.number in known:
        return known[term.number]

    def inner(value: Any) -> Value:
        return substituted(terms, value, known, memo) if isinstance(value, Term) else value

    op, width, args = term.op, term.width, term.args
    match op:
        case "var" | "opaque":
            return term
        case "sum":
            total: Value = args[0]
            for part, factor in args[1]:
                value = inner(part)
                if isinstance(total, int) and isinstance(value, int):
                    total = (total + value * factor) & mask(width)
                else:
                    total = terms.add(width, total, terms.mul(width, value, factor))
            return total
        case "zext" | "sext":
            source: Term = args[0]
            extend = terms.zext if op == "zext" else terms.sext
            return extend(width, inner(source), source.width)
        case "extract":
            return terms.extract(width, inner(args[0]), args[1])
        case "concat":
            above, cut = widths_of(term)
            return terms.concat(inner(args[0]), above, inner(args[1]), cut)
        case "ite":
            return terms.ite(width, inner(args[0]), inner(args[1]), inner(args[2]))
        case "not":
            return terms.negate(inner(args[0]))
        case "eq" | "ult" | "slt":
            compared = compared_width(args)
            compare = {"eq": terms.eq, "ult": terms.ult, "slt": terms.slt}[op]
            return compare(compared, inner(args[0]), inner(args[1]))
        case "aggregate":
            raise AssertionError("an aggregate is taken apart first")
        case (
            "mul"
            | "and"
            | "or"
            | "xor"
            | "shl"
            | "lshr"
            | "ashr"
            | "udiv"
            | "sdiv"
            | "urem"
            | "srem"
        ):
            return terms.binary(op, width, inner(args[0]), inner(args[1]))
    assert_never(op)


def is_table(value: Value) -> bool:
    """Whether it is one of several known values."""
    while isinstance(value, Term):
        if value.op != "ite" or not isinstance(value.args[1], int):
            return False
        value = value.args[2]
    return True


def covers(other: Term, condition: Value, value: Value) -> bool:
    """`x < 3 ? v : x < 5 ? v : w` is `x < 5 ? v : w`."""
    inner, same, _ = other.args
    return (
        (same is value or (isinstance(value, int) and same == value))
        and isinstance(condition, Term)
        and condition.op == "ult"
        and isinstance(inner, Term)
        and inner.op == "ult"
        and inner.args[0] is condition.args[0]
        and isinstance(inner.args[1], int)
        and isinstance(condition.args[1], int)
        and condition.args[1] <= inner.args[1]
    )
