"""Conditions of modelled effects (`when`, "on success") as guards at a call."""

from __future__ import annotations

from heapflow.guards.bdd import Guard
from heapflow.guards.function import FunctionGuards
from heapflow.guards.terms import int_term
from heapflow.ir.kinds import CmpPredicate
from heapflow.models.model import AccessPath, Arg, Comparison, Effect, Op, Realloc, Ret

_PREDICATES = {
    Op.EQ: CmpPredicate.EQ,
    Op.NE: CmpPredicate.NE,
    Op.LT: CmpPredicate.SLT,
    Op.LE: CmpPredicate.SLE,
    Op.GT: CmpPredicate.SGT,
    Op.GE: CmpPredicate.SGE,
}


def effect_guard(guards: FunctionGuards, call: int, effect: Effect) -> Guard:
    """The condition under which an effect happens at a call."""
    found = guards.context.space.true
    for comparison in getattr(effect, "when", ()):
        found = found & _comparison(guards, call, comparison)
    if isinstance(effect, Realloc) and effect.source != effect.target:
        # The old block is released only if there is a new one.
        moved = Comparison(effect.target, Op.NE, 0)
        found = found & _comparison(guards, call, moved)
    return found


def _comparison(guards: FunctionGuards, call: int, comparison: Comparison) -> Guard:
    context = guards.context
    value = _value_of(guards, call, comparison.left)
    if value < 0:
        return context.space.true  # nothing is known of memory behind an argument
    found = context.space.false
    for guard, term in guards.cases(value):
        right = int_term(comparison.right)
        holds = context.comparison(_PREDICATES[comparison.op], term, right)
        found = found | (guard & holds)
    return found


def _value_of(guards: FunctionGuards, call: int, path: AccessPath) -> int:
    if path.steps:
        return -1
    match path.root:
        case Ret():
            return guards.context.result[call]
        case Arg(index=index):
            operands = guards.context.operands(call)
            return operands[index] if index < len(operands) else -1
        case _:
            return -1
