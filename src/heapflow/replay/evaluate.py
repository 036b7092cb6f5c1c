"""The value of a term where its unknowns have values.

In:    a term, a model (values by the numbers of variables and opaque terms; 0 where none is given).
Out:   an integer.
Paths keep a model of their conditions: a further condition that holds in it needs no solver.
"""

from __future__ import annotations

from heapflow.replay.term import Term, Value, fold, mask, signed, widths_of

Model = dict[int, int]


def evaluate(value: Value, model: Model, memo: dict[int, int] | None = None) -> int:
    """The value in the model."""
    if isinstance(value, int):
        return int(value)
    return _evaluate(value, model, {} if memo is None else memo)


def _evaluate(term: Term, model: Model, memo: dict[int, int]) -> int:
    found = memo.get(term.number)
    if found is None:
        found = memo[term.number] = _computed(term, model, memo)
    return found


def _computed(term: Term, model: Model, memo: dict[int, int]) -> int:
    op, width = term.op, term.width
    if op in ("var", "opaque"):
        return model.get(term.number, 0) & mask(width)
    if op == "sum":
        total: int = term.args[0]
        for part, factor in term.args[1]:
            total += _evaluate(part, model, memo) * factor
        return total & mask(width)
    args = [int(a) if isinstance(a, int) else _evaluate(a, model, memo) for a in term.args]
    match op:
        case "zext":
            return args[0]
        case "sext":
            return signed(args[0], term.args[0].width) & mask(width)
        case "extract":
            return args[0] >> args[1] & mask(width)
        case "concat":
            return args[0] << widths_of(term)[1] | args[1]
        case "ite":
            return args[1] if args[0] else args[2]
        case "not":
            return 1 - args[0]
        case "eq":
            return int(args[0] == args[1])
        case "ult":
            return int(args[0] < args[1])
        case "slt":
            inner = next(a.width for a in term.args if isinstance(a, Term))
            return int(signed(args[0], inner) < signed(args[1], inner))
        case _:
            return fold(op, width, args[0], args[1])
