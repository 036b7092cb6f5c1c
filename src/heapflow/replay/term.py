"""Terms and plain numbers: what the value of an operand can be.

A value is an `int` where it is known (0 ≤ value < 2^width) and a `Term` where it is not. Terms are made
by `terms.Terms` only.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, Union, assert_never

# What a term can be. Closed, so that the type checker sees a name that is none and a `match` that
# leaves one out; plain strings, since an enumeration takes twice as long to look up (decision 88).
Bitwise: TypeAlias = Literal["and", "or", "xor"]
Shift: TypeAlias = Literal["shl", "lshr", "ashr"]
Division: TypeAlias = Literal["udiv", "sdiv", "urem", "srem"]
Binary: TypeAlias = Literal["add", "sub", "mul"] | Bitwise | Shift | Division
Comparison: TypeAlias = Literal["eq", "ult", "slt"]
Width: TypeAlias = Literal["zext", "sext", "extract", "concat"]
Atom: TypeAlias = Literal["var", "opaque"]
TermOp: TypeAlias = (
    Atom
    | Literal["sum", "mul", "ite", "not", "aggregate"]
    | Bitwise
    | Shift
    | Division
    | Comparison
    | Width
)

Value: TypeAlias = Union[int, "Term"]


class Term:
    """An unknown value; made by `Terms` only."""

    __slots__ = ("args", "atoms", "depth", "number", "op", "width")

    def __init__(
        self,
        op: TermOp,
        width: int,
        args: tuple[Any, ...],
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


class Aggregate(Term):
    """A structure, array or vector as a value: scalars by byte offset."""

    __slots__ = ("parts",)

    def __init__(self, parts: dict[int, Value]) -> None:
        super().__init__("aggregate", 0, (), -1, frozenset(), 0)
        self.parts = parts


def mask(width: int) -> int:
    return (1 << width) - 1


def signed(value: int, width: int) -> int:
    """The value read as a two's complement number."""
    return value - (1 << width) if value >> (width - 1) & 1 else value


def widths_of(joined: Term) -> tuple[int, int]:
    """Of the two operands of a `concat`: one of them is a term, and they fill the whole."""
    high, low = joined.args
    cut: int = low.width if isinstance(low, Term) else joined.width - high.width
    return joined.width - cut, cut


def compared_width(args: tuple[Any, ...]) -> int:
    """Of the operands of a comparison: one of them is a term."""
    return next(arg.width for arg in args if isinstance(arg, Term))


def is_negation(a: Term, b: Term) -> bool:
    return (a.op == "not" and a.args[0] is b) or (b.op == "not" and b.args[0] is a)


def fold(op: Binary, width: int, a: int, b: int) -> int:
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
        case "sdiv" | "srem":
            return _signed_division(op == "sdiv", width, a, b)
    assert_never(op)


def _signed_division(is_quotient: bool, width: int, a: int, b: int) -> int:
    """The quotient, or what remains."""
    bits, x, y = mask(width), signed(a, width), signed(b, width)
    if y == 0:
        return (bits if x >= 0 else 1) if is_quotient else a
    quotient = abs(x) // abs(y)
    if (x < 0) != (y < 0):
        quotient = -quotient
    return (quotient if is_quotient else x - quotient * y) & bits
