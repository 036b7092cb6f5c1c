"""The value of a term where its unknowns have values.

In:    a term, a model (values by the numbers of variables and opaque terms; 0 where none is given).
Out:   an integer.
Paths keep a model of their conditions: a further condition that holds in it needs no solver.
"""

from __future__ import annotations

from typing import Any, Final

from heapflow.replay.term import Term, TermOp, Value, fold, signed, widths_of

Model = dict[int, int]
_FLAT: Final = 5  # operations within each other: what is flatter is computed sooner than looked up


def evaluate(value: Value, model: Model, memo: dict[int, int] | None = None) -> int:
    """The value in the model."""
    if isinstance(value, int):
        return int(value)
    if memo is None and value.depth > _FLAT:
        memo = {}
    return _evaluate(value, model, memo)


def _evaluate(term: Term, model: Model, memo: dict[int, int] | None) -> int:
    op = term.op
    if op == "var" or op == "opaque":
        return model.get(term.number, 0) & ((1 << term.width) - 1)
    if memo is None:
        return _computed(term, op, model, memo)
    found = memo.get(term.number)
    if found is None:
        found = memo[term.number] = _computed(term, op, model, memo)
    return found


def _computed(term: Term, op: TermOp, model: Model, memo: dict[int, int] | None) -> int:
    width, args = term.width, term.args
    if op == "sum":
        total: int = args[0]
        for part, factor in args[1]:
            total += _evaluate(part, model, memo) * factor
        return total & ((1 << width) - 1)
    first: Any = args[0]
    a: int = _evaluate(first, model, memo) if isinstance(first, Term) else first
    if op == "not":
        return 1 - a
    if op == "zext":
        return a
    if op == "ite":
        chosen = args[1] if a else args[2]
        return _evaluate(chosen, model, memo) if isinstance(chosen, Term) else int(chosen)
    if op == "sext":
        return signed(a, first.width) & ((1 << width) - 1)
    second: Any = args[1]
    if op == "extract":
        low: int = second
        return a >> low & ((1 << width) - 1)
    if width == 1 and not a and op == "and":
        return 0
    b: int = _evaluate(second, model, memo) if isinstance(second, Term) else second
    if op == "eq":
        return 1 if a == b else 0
    if op == "ult":
        return 1 if a < b else 0
    if op == "slt":
        inner = first.width if isinstance(first, Term) else second.width
        return 1 if signed(a, inner) < signed(b, inner) else 0
    if op == "concat":
        return a << widths_of(term)[1] | b
    if op == "var" or op == "opaque" or op == "aggregate":
        raise AssertionError(f"{op} is not computed")
    return fold(op, width, a, b)
