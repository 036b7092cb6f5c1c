"""Bit-precise terms over unknown inputs, folded as they are made and shared.

In:    operands of an instruction: Python integers (known) or `Term`s.     Out: the same.
A value is an `int` where it is known (0 ≤ value < 2^width) and a `Term` where it is not, so that a
program without unknowns is executed with plain integers. Equal terms are one object: comparing them is
`is`.

| op | args | |
|---|---|---|
| var | name | an unknown |
| opaque | name, operands… | not interpreted (floating point): equal operands, equal value |
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
from typing import Any, Final, TypeAlias, assert_never

from heapflow.replay.relations import (
    below,
    covers,
    equal,
    is_table,
    may_be_set,
    signed_below,
    substituted,
)
from heapflow.replay.term import (
    Binary,
    Bitwise,
    Shift,
    TermOp,
    fold,
    is_negation,
    widths_of,
)
from heapflow.replay.term import (
    Term as Term,
)
from heapflow.replay.term import (
    Value as Value,
)
from heapflow.replay.term import (
    mask as mask,
)
from heapflow.replay.term import (
    signed as signed,
)

Parts: TypeAlias = tuple[tuple["Term", int], ...]

_NONE: Final[frozenset[int]] = frozenset()


class Terms:
    """Makes terms; one table per candidate, so that numbers depend on the candidate alone."""

    def __init__(self) -> None:
        self._table: dict[tuple[object, ...], Term] = {}
        self._extracts: dict[tuple[int, int, int], Value] = {}
        self.by_number: list[Term] = []
        self._fresh = 0

    # Making --------------------------------------------------------------------------------------

    def make(self, op: TermOp, width: int, args: tuple[Any, ...], inner: Iterable[Value]) -> Term:
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
        return self.make("var", width, (name,), ())

    def fresh(self, name: str, width: int) -> Term:
        """An unknown that nothing else is equal to."""
        self._fresh += 1
        return self.var(f"{name}#{self._fresh}", width)

    def opaque(self, name: str, width: int, *operands: Value) -> Term:
        return self.make("opaque", width, (name, *operands), ())

    # Linear arithmetic ---------------------------------------------------------------------------

    def linear(self, value: Value, width: int) -> tuple[int, Parts]:
        if isinstance(value, int):
            return value, ()
        if value.op == "sum":
            return value.args[0], value.args[1]
        if value.op == "mul" and isinstance(value.args[1], int):
            return 0, ((value.args[0], value.args[1]),)
        return 0, ((value, 1),)

    def sum(self, width: int, constant: int, factors: dict[Term, int]) -> Value:
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
            return term if factor == 1 else self.make("mul", width, (term, factor), (term,))
        return self.make("sum", width, (constant, parts), (term for term, _ in parts))

    def _combine(self, width: int, a: Value, b: Value, sign: int) -> Value:
        constant, parts = self.linear(a, width)
        other, more = self.linear(b, width)
        factors = dict(parts)
        for term, factor in more:
            factors[term] = factors.get(term, 0) + sign * factor
        return self.sum(width, constant + sign * other, factors)

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
            constant, parts = self.linear(a, width)
            return self.sum(width, constant * b, {term: factor * b for term, factor in parts})
        assert isinstance(a, Term)
        first, second = (a, b) if a.number <= b.number else (b, a)
        return self.make("mul", width, (first, second), (first, second))

    # Other arithmetic ----------------------------------------------------------------------------

    def binary(self, op: Binary, width: int, a: Value, b: Value) -> Value:
        """Any operation of two operands of the result's width."""
        if op == "add":
            return self.add(width, a, b)
        if op == "sub":
            return self.sub(width, a, b)
        if op == "mul":
            return self.mul(width, a, b)
        if isinstance(a, int) and isinstance(b, int):
            return fold(op, width, a, b)
        match op:
            case "and" | "or" | "xor":
                return self._bitwise(op, width, a, b)
            case "shl" | "lshr" | "ashr":
                return self._shift(op, width, a, b)
            case "udiv" | "sdiv" | "urem" | "srem":
                if b == 1 and op in ("udiv", "sdiv"):
                    return a
                return self.make(op, width, (a, b), (a, b))
        assert_never(op)

    def _bitwise(self, op: Bitwise, width: int, a: Value, b: Value) -> Value:
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
            if op == "or" and not b & may_be_set(a):
                return self.add(width, a, b)  # `p | 1` of an aligned address
        elif a.number > b.number:
            a, b = b, a
        if width == 1 and isinstance(b, Term) and is_negation(a, b):
            return {"and": 0, "or": 1, "xor": 1}[op]
        return self.make(op, width, (a, b), (a, b))

    def _masked(self, width: int, a: Term, bits: int) -> Value:
        """a & bits: a plain cut where the mask is one, nothing where no such bit can be set."""
        if not bits & may_be_set(a):
            return 0
        if not ~bits & may_be_set(a) & mask(width):
            return a
        if a.op == "and" and isinstance(a.args[1], int):
            return self._bitwise("and", width, a.args[0], a.args[1] & bits)
        if a.op == "zext":
            inner = self._bitwise("and", a.args[0].width, a.args[0], bits & mask(a.args[0].width))
            return self.zext(width, inner, a.args[0].width)
        if a.op == "ite" and is_table(a):
            yes, no = (self.binary("and", width, one, bits) for one in a.args[1:])
            return self.ite(width, a.args[0], yes, no)
        low = (bits & -bits).bit_length() - 1
        if low == 0 and (bits + 1) & bits == 0:
            return self.zext(width, self.extract(bits.bit_length(), a, 0), bits.bit_length())
        return self.make("and", width, (a, bits), (a,))

    def _shift(self, op: Shift, width: int, a: Value, b: Value) -> Value:
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
        return self.make(op, width, (a, b), (a, b))

    # Widths --------------------------------------------------------------------------------------

    def zext(self, width: int, a: Value, from_width: int) -> Value:
        if isinstance(a, int) or width == from_width:
            return a
        if a.op == "zext":
            a = a.args[0]
        return self.make("zext", width, (a,), (a,))

    def sext(self, width: int, a: Value, from_width: int) -> Value:
        if width == from_width:
            return a
        if isinstance(a, int):
            return signed(a, from_width) & mask(width)
        if a.op == "zext":  # a wider zext has a zero in front
            return self.make("zext", width, (a.args[0],), (a.args[0],))
        if a.op == "sext":
            a = a.args[0]
        return self.make("sext", width, (a,), (a,))

    def extract(self, width: int, a: Value, low: int) -> Value:
        """Bits low … low + width - 1."""
        if isinstance(a, int):
            return a >> low & mask(width)
        if width == a.width:
            return a
        key = (width, a.number, low)
        found = self._extracts.get(key)
        if found is None:  # parts are shared: there are far more ways to them than parts
            found = self._extracts[key] = self._extract(width, a, low)
        return found

    def _extract(self, width: int, a: Term, low: int) -> Value:
        if a.op == "extract":
            return self.extract(width, a.args[0], low + a.args[1])
        if a.op in ("zext", "sext"):
            inner: Term = a.args[0]
            if low + width <= inner.width:
                return self.extract(width, inner, low)
            if a.op == "zext" and low >= inner.width:
                return 0
            if low == 0:
                extend = self.zext if a.op == "zext" else self.sext
                return extend(width, inner, inner.width)
        if a.op == "concat":
            high, tail = a.args
            cut = widths_of(a)[1]
            if low + width <= cut:
                return self.extract(width, tail, low)
            if low >= cut:
                return self.extract(width, high, low - cut)
        if a.op == "sum" and low == 0:
            constant, parts = self.linear(a, a.width)
            total: Value = constant & mask(width)
            for term, factor in parts:
                cut_term = self.extract(width, term, 0)
                total = self.add(width, total, self.mul(width, cut_term, factor & mask(width)))
            return total
        if a.op == "mul" and low == 0 and isinstance(a.args[1], int):
            inner_value = self.extract(width, a.args[0], 0)
            return self.mul(width, inner_value, a.args[1] & mask(width))
        if a.op == "ite":
            chosen, yes, no = a.args
            if isinstance(yes, int) or isinstance(no, int):
                return self.ite(
                    width,
                    chosen,
                    self.extract(width, yes, low),
                    self.extract(width, no, low),
                )
        if a.op == "and" or a.op == "or" or a.op == "xor":
            return self.binary(
                a.op,
                width,
                self.extract(width, a.args[0], low),
                self.extract(width, a.args[1], low),
            )
        return self.make("extract", width, (a, low), (a,))

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
                if low.args[1] + low_width == start:
                    return self.extract(width, base, low.args[1])
            elif low is base and start == low_width:
                return self.extract(width, base, 0)
        return self.make("concat", width, (high, low), (high, low))

    # Conditions ----------------------------------------------------------------------------------

    def negate(self, a: Value) -> Value:
        if isinstance(a, int):
            return 1 - a
        if a.op == "not":
            inner: Term = a.args[0]
            return inner
        return self.make("not", 1, (a,), (a,))

    def ite(self, width: int, condition: Value, a: Value, b: Value) -> Value:
        if isinstance(condition, int):
            return a if condition else b
        if a is b or (isinstance(a, int) and a == b):
            return a
        if condition.op == "not":
            condition, a, b = condition.args[0], b, a
        if width == 1:
            if a == 1 and b == 0:
                return condition
            if a == 0 and b == 1:
                return self.negate(condition)
        if isinstance(b, Term) and b.op == "ite" and covers(b, condition, a):
            return b
        return self.make("ite", width, (condition, a, b), (condition, a, b))

    def eq(self, width: int, a: Value, b: Value) -> Value:
        if isinstance(a, int) and isinstance(b, int):
            return int(a == b)
        return equal(self, width, a, b)

    def ult(self, width: int, a: Value, b: Value) -> Value:
        if isinstance(a, int) and isinstance(b, int):
            return int(a < b)
        return below(self, width, a, b)

    def slt(self, width: int, a: Value, b: Value) -> Value:
        if isinstance(a, int) and isinstance(b, int):
            return int(signed(a, width) < signed(b, width))
        return signed_below(self, width, a, b)

    def conjunction(self, terms: Iterable[Value]) -> Value:
        found: Value = 1
        for term in terms:
            found = self.binary("and", 1, found, term)
        return found

    def substitute(self, value: Value, known: dict[int, int]) -> Value:
        """The value with some atoms replaced by constants."""
        if isinstance(value, int) or known.keys().isdisjoint(value.atoms):
            return value
        return substituted(self, value, known, {})
