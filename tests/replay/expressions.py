"""Random expressions: their value computed plainly, and as terms that are folded.

In:    hypothesis.     Out: `Expression`: an operation, its operands; variables and constants at the
ends.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, cast

from hypothesis import strategies as st

from heapflow.replay.config import ReplayConfig
from heapflow.replay.term import Binary, Value, fold, mask, signed
from heapflow.replay.terms import Terms

BINARY = "add sub mul and or xor shl lshr ashr udiv sdiv urem srem".split()
COMPARISONS = "eq ult slt".split()
NAMES = ("x", "y", "z")


@dataclass(frozen=True)
class Expression:
    """`number`: of a constant, or the lowest bit of an extract."""

    op: str
    width: int
    inner: tuple[Expression, ...] = ()
    number: int = 0
    name: str = ""


def plain_value(one: Expression, values: dict[tuple[str, int], int]) -> int:
    """The value, without terms."""
    width = one.width
    args = [plain_value(part, values) for part in one.inner]
    match one.op:
        case "constant":
            return one.number & mask(width)
        case "variable":
            return values.get((one.name, width), 0) & mask(width)
        case "zext":
            return args[0]
        case "sext":
            return signed(args[0], one.inner[0].width) & mask(width)
        case "extract":
            return args[0] >> one.number & mask(width)
        case "concat":
            return args[0] << one.inner[1].width | args[1]
        case "ite":
            return args[1] if args[0] else args[2]
        case "not":
            return 1 - args[0]
        case "eq":
            return int(args[0] == args[1])
        case "ult":
            return int(args[0] < args[1])
        case "slt":
            both = [signed(arg, one.inner[0].width) for arg in args]
            return int(both[0] < both[1])
        case _:
            return fold(cast("Binary", one.op), width, args[0], args[1])


def as_term(terms: Terms, one: Expression) -> Value:
    """The same, folded."""
    width = one.width
    args = [as_term(terms, part) for part in one.inner]
    match one.op:
        case "constant":
            return one.number & mask(width)
        case "variable":
            return terms.var(f"{one.name}{width}", width)
        case "zext":
            return terms.zext(width, args[0], one.inner[0].width)
        case "sext":
            return terms.sext(width, args[0], one.inner[0].width)
        case "extract":
            return terms.extract(width, args[0], one.number)
        case "concat":
            return terms.concat(args[0], one.inner[0].width, args[1], one.inner[1].width)
        case "ite":
            return terms.ite(width, args[0], args[1], args[2])
        case "not":
            return terms.negate(args[0])
        case "eq" | "ult" | "slt":
            compare = {"eq": terms.eq, "ult": terms.ult, "slt": terms.slt}[one.op]
            return compare(one.inner[0].width, args[0], args[1])
        case _:
            return terms.binary(cast("Binary", one.op), width, args[0], args[1])


def numbers(width: int) -> st.SearchStrategy[int]:
    """Constants: small ones, powers of two and their neighbours, any."""
    near = st.integers(0, width).map(lambda bit: 1 << bit)
    return st.one_of(
        st.integers(0, 4),
        near,
        near.map(lambda n: n - 1),
        near.map(lambda n: -n),
        st.integers(0, mask(width)),
    )


def expressions(
    width: int, widths: tuple[int, ...], depth: int = 4
) -> st.SearchStrategy[Expression]:
    """Expressions of a width over variables of several."""
    leaves: st.SearchStrategy[Expression] = st.one_of(
        st.builds(Expression, st.just("constant"), st.just(width), number=numbers(width)),
        st.builds(Expression, st.just("variable"), st.just(width), name=st.sampled_from(NAMES)),
    )
    if depth == 0:
        return leaves
    return st.deferred(lambda: st.one_of(leaves, *_inner(width, widths, depth)))


def _inner(width: int, widths: tuple[int, ...], depth: int) -> list[st.SearchStrategy[Expression]]:
    same = expressions(width, widths, depth - 1)
    boolean = expressions(1, widths, depth - 1)

    def made(op: Any, *inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
        return st.builds(Expression, op, st.just(width), st.tuples(*inner))

    found = [made(st.sampled_from(BINARY), same, same), made(st.just("ite"), boolean, same, same)]
    for other in widths:
        outer = expressions(other, widths, depth - 1)
        if other < width:
            found.append(made(st.sampled_from(["zext", "sext"]), outer))
            rest = expressions(width - other, widths, depth - 1)
            found.append(made(st.just("concat"), outer, rest))
        elif other > width:
            found.append(
                st.builds(
                    Expression,
                    st.just("extract"),
                    st.just(width),
                    st.tuples(outer),
                    number=st.integers(0, other - width),
                )
            )
    if width == 1:
        found.append(made(st.just("not"), boolean))
        for other in widths:
            outer = expressions(other, widths, depth - 1)
            found.append(made(st.sampled_from(COMPARISONS), outer, outer))
    return found


def with_checks(most: int) -> ReplayConfig:
    """A solver may check so often for one question, and is asked as often as need be."""
    return replace(ReplayConfig(), most_solver_checks=most, most_questions=1 << 30)
