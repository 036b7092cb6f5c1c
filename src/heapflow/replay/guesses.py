"""Values that may make a condition true, without a solver.

In:    a condition.     Out: values of its unknowns that are worth a try.
Most conditions of programs ask for a few values: a pointer is NULL, a text is this one, a number is
next to a constant. Whether the guess is right is evaluated: it may be as bold as it likes.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from heapflow.replay.evaluate import Model, evaluate
from heapflow.replay.term import Term, Value, mask


def hold(conditions: list[Term], trial: Model, changed: Iterable[int]) -> bool:
    """Whether conditions hold in a model in which only some values are new, the last condition's
    among them: it comes first."""
    return all(
        evaluate(condition, trial)
        for condition in reversed(conditions)
        if not condition.atoms.isdisjoint(changed)
    )


def wishes(term: Term) -> Model:
    """Values of unknowns with which a condition is likely to hold: of ways to make it true, one."""
    found: Model = {}
    stack: list[tuple[Any, int]] = [(term, 1)]
    while stack:
        one, wanted = stack.pop()
        if not isinstance(one, Term) or one.width != 1:
            continue
        args = one.args
        match one.op:
            case "not":
                stack.append((args[0], 1 - wanted))
            case "and" | "or":
                both = (one.op == "and") == (wanted == 1)
                stack += [(part, wanted) for part in (args if both else args[:1])]
            case "ite":
                if args[1] != wanted and args[2] == wanted:
                    stack.append((args[0], 0))
                else:
                    stack += [(args[0], 1), (args[1], wanted)]
            case "eq":
                _wish(found, args[0], args[1], wanted)
            case "var" | "opaque":
                found[one.number] = wanted
    return found


def _wish(found: Model, left: Any, right: Any, same: int) -> None:
    """A value of the unknown on the left that makes it equal to a number, or different."""
    if not isinstance(right, int) or not isinstance(left, Term):
        return
    if left.op == "zext":
        left = left.args[0]
    elif left.op == "sum" and len(left.args[1]) == 1 and left.args[1][0][1] == 1:
        right = (right - left.args[0]) & mask(left.width)
        left = left.args[1][0][0]
    if left.op in ("var", "opaque"):
        found.setdefault(left.number, int(right if same else right + 1) & mask(left.width))


def interesting(term: Term) -> list[int]:
    """Constants in a condition and their neighbours."""
    found: dict[int, None] = {0: None, 1: None}
    stack: list[Value] = [term]
    for _ in range(40):
        if not stack:
            break
        value = stack.pop()
        if isinstance(value, int):
            for near in (int(value), int(value) + 1, int(value) - 1):
                found[near] = None
        elif value.op == "sum":
            constant: int = value.args[0]
            found[-constant] = None
            found[1 - constant] = None
            stack += [part for part, _ in value.args[1]]
        elif value.op not in ("var", "opaque"):
            stack += value.args
    found[-1] = None
    return list(found)
