"""Bit-precise terms over unknown inputs, folded as they are made and shared.

In:    operands of an instruction: Python integers (known) or `Term`s.     Out: the same.
A value is an `int` where it is known (0 ≤ value < 2^width) and a `Term` where it is not, so that a program
without unknowns is executed with plain integers. Equal terms are one object: comparing them is `is`.

| op | args | |
|---|---|---|
| var | name | an unknown |
| opaque | name, operands… | a function that is not interpreted (floating point): equal operands, equal value |
| sum | constant, ((term, factor), …) | linear, in the order of the terms' numbers |
| mul udiv sdiv urem srem shl lshr ashr and or xor | a, b | |
| zext sext | a | |
| extract | a, lowest bit | |
| concat | high, low | |
| ite | condition, a, b | |
| eq ult slt | a, b | width 1 |
| not | a | width 1 |

Guarantees: folding agrees with `evaluate` on all values (tests/replay/test_terms.py).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeAlias, Union

Value: TypeAlias = Union[int, "Term"]
Parts: TypeAlias = tuple[tuple["Term", int], ...]

_NONE: Final[frozenset[int]] = frozenset()
COMMUTATIVE: Final = frozenset({"mul", "and", "or", "xor", "eq"})


class Term:
    """An unknown value; made by `Terms` only."""

    __slots__ = ("args", "atoms", "depth", "number", "op", "width")

    def __init__(
        self,
        op: str,
        width: int,
        args: tuple[object, ...],
        number: int,
        atoms: frozenset[int],
        depth: int,
    ) -> None:
        self.op, self.width, self.args = op, width, args
        self.number = number
        self.atoms = atoms  # numbers of the variables and opaque terms in it
        self.depth = depth

    def __repr__(self) -> str:
        if self.op == "var":
            return str(self.args[0])
        return f"{self.op}{self.width}({', '.join(map(repr, self.args))})"


def mask(width: int) -> int:
    return (1 << width) - 1


def signed(value: int, width: int) -> int:
    """The value read as a two's complement number."""
    return value - (1 << width) if value >> (width - 1) & 1 else value


class Terms:
    """Makes terms; one table per candidate, so that numbers depend on the candidate alone."""

    def __init__(self) -> None:
        self._table: dict[tuple[object, ...], Term] = {}
        self.by_number: list[Term] = []
        self._fresh = 0

    # Making --------------------------------------------------------------------------------------

    def _make(self, op: str, width: int, args: tuple[object, ...], inner: Iterable[Value]) -> Term:
        key = (op, width, *args)
        known = self._table.get(key)
        if known is not None:
            return known
        number = len(self.by_number)
        atoms, depth = _NONE, 0
        for one in inner:
            if isinstance(one, Term):
                atoms = one.atoms if not atoms else atoms | one.atoms
                depth = max(depth, one.depth)
        if op in ("var", "opaque"):
            atoms = frozenset((number,))
            depth = 0
        term = Term(op, width, args, number, atoms, depth + 1)
        self._table[key] = term
        self.by_number.append(term)
        return term

    def var(self, name: str, width: int) -> Term:
        """The unknown of that name."""
        return self._make("var", width, (name,), ())

    def fresh(self, name: str, width: int) -> Term:
        """An unknown that nothing else is equal to."""
        self._fresh += 1
        return self.var(f"{name}#{self._fresh}", width)

    def opaque(self, name: str, width: int, *operands: Value) -> Term:
        return self._make("opaque", width, (name, *operands), ())

    # Linear arithmetic ---------------------------------------------------------------------------

    def _linear(self, value: Value, width: int) -> tuple[int, Parts]:
        if isinstance(value, int):
            return value, ()
        if value.op == "sum":
            return value.args[0], value.args[1]  # type: ignore[return-value]
        if value.op == "mul" and isinstance(value.args[1], int):
            return 0, ((value.args[0], value.args[1]),)  # type: ignore[return-value]
        return 0, ((value, 1),)

    def _sum(self, width: int, constant: int, factors: dict[Term, int]) -> Value:
        bits = mask(width)
        constant &= bits
        parts = tuple(
            sorted(
                ((term, factor & bits) for term, factor in factors.items() if factor & bits),
                key=lambda part: part[0].number,
            )
        )
        if not parts:
            return constant
        if len(parts) == 1 and constant == 0:
            term, factor = parts[0]
            return term if factor == 1 else self._make("mul", width, (term, factor), (term,))
        return self._make("sum", width, (constant, parts), (term for term, _ in parts))

    def _combine(self, width: int, a: Value, b: Value, sign: int) -> Value:
        constant, parts = self._linear(a, width)
        other, more = self._linear(b, width)
        factors = dict(parts)
        for term, factor in more:
            factors[term] = factors.get(term, 0) + sign * factor
        return self._sum(width, constant + sign * other, factors)

    def add(self, width: int, a: Value, b: Value) -> Value:
        if isinstance(a, int) and isinstance(b, int):
            return (a + b) & mask(width)
        return self._combine(width, a, b, 1)

    def sub(self, width: int, a: Value, b: Value) -> Value:
        if isinstance(a, int) and isinstance(b, int):
            return (a - b) & mask(width)
        return self._combine(width, a, b, -1)

    def mul(self, width: int, a: Value, b: Value) -> Value:
        if isinstance(a, int):
            a, b = b, a
        if isinstance(b, int):
            if isinstance(a, int):
                return (a * b) & mask(width)
            constant, parts = self._linear(a, width)
            return self._sum(width, constant * b, {term: factor * b for term, factor in parts})
        assert isinstance(a, Term)
        first, second = (a, b) if a.number <= b.number else (b, a)
        return self._make("mul", width, (first, second), (first, second))

    # Other arithmetic ----------------------------------------------------------------------------

    def binary(self, op: str, width: int, a: Value, b: Value) -> Value:
        """Any operation of two operands of the result's width."""
        if op == "add":
            return self.add(width, a, b)
        if op == "sub":
            return self.sub(width, a, b)
        if op == "mul":
            return self.mul(width, a, b)
        if isinstance(a, int) and isinstance(b, int):
            return fold(op, width, a, b)
        if op in ("and", "or", "xor"):
            return self._bitwise(op, width, a, b)
        if op in ("shl", "lshr", "ashr"):
            return self._shift(op, width, a, b)
        if b == 1 and op in ("udiv", "sdiv"):
            return a
        return self._make(op, width, (a, b), (a, b))

    def _bitwise(self, op: str, width: int, a: Value, b: Value) -> Value:
        if isinstance(a, int):
            a, b = b, a
        assert isinstance(a, Term)
        full = mask(width)
        if a is b:
            return 0 if op == "xor" else a
        if isinstance(b, int):
            if b == 0:
                return 0 if op == "and" else a
            if b == full:
                if op == "and":
                    return a
                if op == "or":
                    return full
                if width == 1:
                    return self.negate(a)
            if op == "and":
                return self._masked(width, a, b)
            if op == "or" and not b & self._may_be_set(a):
                return self.add(width, a, b)  # `p | 1` of an aligned address
        elif a.number > b.number:
            a, b = b, a
        if width == 1 and isinstance(b, Term) and _is_negation(a, b):
            return {"and": 0, "or": 1, "xor": 1}[op]
        return self._make(op, width, (a, b), (a, b))

    def _masked(self, width: int, a: Term, bits: int) -> Value:
        """a & bits: a plain cut where the mask is one, nothing where no such bit can be set."""
        if not bits & self._may_be_set(a):
            return 0
        if not ~bits & self._may_be_set(a) & mask(width):
            return a
        if a.op == "and" and isinstance(a.args[1], int):
            return self._bitwise("and", width, a.args[0], a.args[1] & bits)  # type: ignore[arg-type]
        low = (bits & -bits).bit_length() - 1
        if low == 0 and (bits + 1) & bits == 0:
            return self.zext(width, self.extract(bits.bit_length(), a, 0), bits.bit_length())
        return self._make("and", width, (a, bits), (a,))

    def _may_be_set(self, value: Value) -> int:
        """Bits that can be one."""
        if isinstance(value, int):
            return value
        full = mask(value.width)
        if value.op == "zext":
            return self._may_be_set(value.args[0])  # type: ignore[arg-type]
        if value.op == "and" and isinstance(value.args[1], int):
            return value.args[1] & self._may_be_set(value.args[0])  # type: ignore[arg-type]
        if value.op == "shl" and isinstance(value.args[1], int):
            return self._may_be_set(value.args[0]) << value.args[1] & full  # type: ignore[arg-type]
        if value.op == "mul" and isinstance(value.args[1], int):
            low = value.args[1] & -value.args[1]
            return full & ~(low - 1)
        if value.op == "sum":
            lows = [factor & -factor for _, factor in value.args[1]]  # type: ignore[attr-defined]
            constant: int = value.args[0]  # type: ignore[assignment]
            if constant:
                lows.append(constant & -constant)
            return full & ~(min(lows) - 1)
        return full

    def _shift(self, op: str, width: int, a: Value, b: Value) -> Value:
        if a == 0:
            return 0
        if isinstance(b, int):
            if b == 0:
                return a
            if b >= width:
                b = width - 1 if op == "ashr" else width
                if op != "ashr":
                    return 0
            if op == "shl":
                return self.mul(width, a, 1 << b)
            if op == "lshr":
                return self.zext(width, self.extract(width - b, a, b), width - b)
            return self.sext(width, self.extract(width - b, a, b), width - b)
        return self._make(op, width, (a, b), (a, b))

    # Widths --------------------------------------------------------------------------------------

    def zext(self, width: int, a: Value, from_width: int) -> Value:
        if isinstance(a, int) or width == from_width:
            return a
        if a.op == "zext":
            a = a.args[0]  # type: ignore[assignment]
        return self._make("zext", width, (a,), (a,))

    def sext(self, width: int, a: Value, from_width: int) -> Value:
        if width == from_width:
            return a
        if isinstance(a, int):
            return signed(a, from_width) & mask(width)
        if a.op == "zext":  # a wider zext has a zero in front
            return self._make("zext", width, (a.args[0],), (a.args[0],))  # type: ignore[arg-type]
        if a.op == "sext":
            a = a.args[0]  # type: ignore[assignment]
        return self._make("sext", width, (a,), (a,))

    def extract(self, width: int, a: Value, low: int) -> Value:
        """Bits low … low + width - 1."""
        if isinstance(a, int):
            return a >> low & mask(width)
        if width == a.width:
            return a
        if a.op == "extract":
            return self.extract(width, a.args[0], low + a.args[1])  # type: ignore
        if a.op in ("zext", "sext"):
            inner: Term = a.args[0]  # type: ignore[assignment]
            if low + width <= inner.width:
                return self.extract(width, inner, low)
            if a.op == "zext" and low >= inner.width:
                return 0
            if low == 0:
                return getattr(self, a.op)(width, inner, inner.width)  # type: ignore[no-any-return]
        if a.op == "concat":
            high, tail = a.args
            cut = _width(tail)
            if low + width <= cut:
                return self.extract(width, tail, low)  # type: ignore[arg-type]
            if low >= cut:
                return self.extract(width, high, low - cut)  # type: ignore[arg-type]
        if a.op == "sum" and low == 0:
            constant, parts = self._linear(a, a.width)
            total: Value = constant & mask(width)
            for term, factor in parts:
                cut_term = self.extract(width, term, 0)
                total = self.add(width, total, self.mul(width, cut_term, factor & mask(width)))
            return total
        if a.op == "mul" and low == 0 and isinstance(a.args[1], int):
            inner_value = self.extract(width, a.args[0], 0)  # type: ignore[arg-type]
            return self.mul(width, inner_value, a.args[1] & mask(width))
        if a.op == "ite":
            chosen, yes, no = a.args
            if isinstance(yes, int) or isinstance(no, int):
                return self.ite(
                    width,
                    chosen,  # type: ignore[arg-type]
                    self.extract(width, yes, low),  # type: ignore[arg-type]
                    self.extract(width, no, low),  # type: ignore[arg-type]
                )
        if a.op in ("and", "or", "xor"):
            return self.binary(
                a.op,
                width,
                self.extract(width, a.args[0], low),  # type: ignore[arg-type]
                self.extract(width, a.args[1], low),  # type: ignore[arg-type]
            )
        return self._make("extract", width, (a, low), (a,))

    def concat(self, high: Value, high_width: int, low: Value, low_width: int) -> Value:
        width = high_width + low_width
        if isinstance(high, int) and isinstance(low, int):
            return high << low_width | low
        if high == 0:
            return self.zext(width, low, low_width)
        if isinstance(high, Term) and isinstance(low, Term) and high.op == "extract":
            # Adjacent pieces of one value.
            base, start = high.args
            if low.op == "extract" and low.args[0] is base:
                if low.args[1] + low_width == start:  # type: ignore[operator]
                    return self.extract(width, base, low.args[1])  # type: ignore[arg-type]
            elif low is base and start == low_width:
                return self.extract(width, base, 0)  # type: ignore[arg-type]
        return self._make(
            "concat", width, (_sized(high, high_width), _sized(low, low_width)), (high, low)
        )

    # Conditions ----------------------------------------------------------------------------------

    def negate(self, a: Value) -> Value:
        if isinstance(a, int):
            return 1 - a
        if a.op == "not":
            return a.args[0]  # type: ignore[return-value]
        return self._make("not", 1, (a,), (a,))

    def ite(self, width: int, condition: Value, a: Value, b: Value) -> Value:
        if isinstance(condition, int):
            return a if condition else b
        if a is b or (isinstance(a, int) and a == b):
            return a
        if condition.op == "not":
            condition, a, b = condition.args[0], b, a  # type: ignore[assignment]
        if width == 1:
            if a == 1 and b == 0:
                return condition
            if a == 0 and b == 1:
                return self.negate(condition)
        return self._make("ite", width, (condition, a, b), (condition, a, b))

    def eq(self, width: int, a: Value, b: Value) -> Value:
        if a is b:
            return 1
        if isinstance(a, int):
            if isinstance(b, int):
                return int(a == b)
            a, b = b, a
        if isinstance(b, Term):
            return self._eq_terms(width, a, b)
        return self._eq_constant(width, a, b)

    def _eq_terms(self, width: int, a: Term, b: Term) -> Value:
        if a.op == b.op and a.op in ("zext", "sext") and a.args[0].width == b.args[0].width:  # type: ignore
            return self.eq(a.args[0].width, a.args[0], b.args[0])  # type: ignore
        if "sum" in (a.op, b.op):
            difference = self.sub(width, a, b)
            if isinstance(difference, int):
                return int(difference == 0)
            if difference.op == "sum" or difference.atoms != a.atoms | b.atoms:
                return self._eq_constant(width, difference, 0)
        if a.number > b.number:
            a, b = b, a
        return self._make("eq", 1, (a, b), (a, b))

    def _eq_constant(self, width: int, a: Term, b: int) -> Value:
        if width == 1:
            return a if b else self.negate(a)
        if a.op == "sum":
            constant, parts = self._linear(a, width)
            rest = self._sum(width, 0, dict(parts))
            target = (b - constant) & mask(width)
            if isinstance(rest, Term) and rest.op != "sum":
                return self._eq_constant(width, rest, target)
            if constant:
                return self.eq(width, rest, target)
        if a.op == "mul" and isinstance(a.args[1], int) and a.args[1] & 1:
            inverse = pow(a.args[1], -1, 1 << width)
            return self.eq(width, a.args[0], b * inverse & mask(width))  # type: ignore[arg-type]
        if a.op == "zext":
            inner: Term = a.args[0]  # type: ignore[assignment]
            return 0 if b >> inner.width else self._eq_constant(inner.width, inner, b)
        if a.op == "sext":
            inner = a.args[0]  # type: ignore[assignment]
            cut = b & mask(inner.width)
            if signed(cut, inner.width) & mask(width) != b:
                return 0
            return self._eq_constant(inner.width, inner, cut)
        if a.op == "ite":
            chosen, yes, no = a.args
            if isinstance(yes, int) or isinstance(no, int):
                return self.ite(1, chosen, self.eq(width, yes, b), self.eq(width, no, b))  # type: ignore
        if a.op == "concat":
            high, low = a.args
            cut = _width(low)
            return self.binary(
                "and",
                1,
                self.eq(_width(high), _plain(high), b >> cut),
                self.eq(cut, _plain(low), b & mask(cut)),
            )
        if b & ~self._may_be_set(a):
            return 0
        return self._make("eq", 1, (a, b), (a,))

    def ult(self, width: int, a: Value, b: Value) -> Value:
        if isinstance(a, int) and isinstance(b, int):
            return int(a < b)
        if a is b or b == 0 or a == mask(width):
            return 0
        if b == 1:
            return self.eq(width, a, 0)
        if a == 0:
            return self.negate(self.eq(width, b, 0))
        if isinstance(a, Term) and a.op == "zext" and isinstance(b, int):
            inner: Term = a.args[0]  # type: ignore[assignment]
            return 1 if b >> inner.width else self.ult(inner.width, inner, b)
        return self._make("ult", 1, (a, b), (a, b))

    def slt(self, width: int, a: Value, b: Value) -> Value:
        if isinstance(a, int) and isinstance(b, int):
            return int(signed(a, width) < signed(b, width))
        if a is b:
            return 0
        if isinstance(a, Term) and a.op == "zext" and isinstance(b, int):
            return self.ult(width, a, b) if signed(b, width) >= 0 else 0
        if isinstance(b, Term) and b.op == "zext" and isinstance(a, int):
            return self.ult(width, a, b) if signed(a, width) >= 0 else 1
        if isinstance(a, Term) and a.op == "sext" and isinstance(b, int):
            inner: Term = a.args[0]  # type: ignore[assignment]
            if signed(b & mask(inner.width), inner.width) & mask(width) == b:
                return self.slt(inner.width, inner, b & mask(inner.width))
            return int(signed(b, width) > 0)
        return self._make("slt", 1, (a, b), (a, b))

    def conjunction(self, terms: Iterable[Value]) -> Value:
        found: Value = 1
        for term in terms:
            found = self.binary("and", 1, found, term)
        return found

    # Substitution --------------------------------------------------------------------------------

    def substitute(self, value: Value, known: dict[int, int]) -> Value:
        """The value with some atoms replaced by constants."""
        if isinstance(value, int) or not value.atoms & known.keys():
            return value
        return self._substitute(value, known, {})

    def _substitute(self, term: Term, known: dict[int, int], memo: dict[int, Value]) -> Value:
        if not term.atoms & known.keys():
            return term
        found = memo.get(term.number)
        if found is None:
            found = memo[term.number] = self._rebuilt(term, known, memo)
        return found

    def _rebuilt(self, term: Term, known: dict[int, int], memo: dict[int, Value]) -> Value:
        if term.number in known:
            return known[term.number]

        def inner(value: object) -> Value:
            value = _plain(value)
            return self._substitute(value, known, memo) if isinstance(value, Term) else value

        width, args = term.width, term.args
        match term.op:
            case "var" | "opaque":
                return term
            case "sum":
                total: Value = args[0]  # type: ignore[assignment]
                for part, factor in args[1]:  # type: ignore[attr-defined]
                    total = self.add(width, total, self.mul(width, inner(part), factor))
                return total
            case "zext" | "sext":
                source: Term = args[0]  # type: ignore[assignment]
                return getattr(self, term.op)(width, inner(source), source.width)  # type: ignore
            case "extract":
                return self.extract(width, inner(args[0]), args[1])  # type: ignore[arg-type]
            case "concat":
                return self.concat(inner(args[0]), _width(args[0]), inner(args[1]), _width(args[1]))
            case "ite":
                return self.ite(width, inner(args[0]), inner(args[1]), inner(args[2]))
            case "not":
                return self.negate(inner(args[0]))
            case "eq" | "ult" | "slt":
                compared = _compared_width(args)
                return getattr(self, term.op)(compared, inner(args[0]), inner(args[1]))  # type: ignore
            case _:
                return self.binary(term.op, width, inner(args[0]), inner(args[1]))


class Sized(int):
    """A constant operand of `concat`, which has to know its width."""

    width: int

    def __new__(cls, value: int, width: int) -> Sized:
        made = super().__new__(cls, value)
        made.width = width
        return made


def _sized(value: Value, width: int) -> Value:
    return Sized(value, width) if isinstance(value, int) else value


def _plain(value: object) -> Value:
    if isinstance(value, Sized):
        return int(value)
    return value  # type: ignore[return-value]


def _width(value: object) -> int:
    return value.width  # type: ignore[attr-defined, no-any-return]


def _compared_width(args: tuple[object, ...]) -> int:
    return next(arg.width for arg in args if isinstance(arg, Term))


def _is_negation(a: Term, b: Term) -> bool:
    return (a.op == "not" and a.args[0] is b) or (b.op == "not" and b.args[0] is a)


def fold(op: str, width: int, a: int, b: int) -> int:
    """The operation on known values. A division by zero does not come here in a path that goes on;
    it is zero, as the solver would not have it either."""
    bits = mask(width)
    match op:
        case "add":
            return (a + b) & bits
        case "sub":
            return (a - b) & bits
        case "mul":
            return (a * b) & bits
        case "and":
            return a & b
        case "or":
            return a | b
        case "xor":
            return a ^ b
        case "shl":
            return (a << b) & bits if b < width else 0
        case "lshr":
            return a >> b if b < width else 0
        case "ashr":
            return (signed(a, width) >> min(b, width - 1)) & bits
        case "udiv":
            return a // b if b else bits
        case "urem":
            return a % b if b else a
    x, y = signed(a, width), signed(b, width)
    if y == 0:
        return (bits if x >= 0 else 1) if op == "sdiv" else a
    quotient = abs(x) // abs(y)
    if (x < 0) != (y < 0):
        quotient = -quotient
    return (quotient if op == "sdiv" else x - quotient * y) & bits
