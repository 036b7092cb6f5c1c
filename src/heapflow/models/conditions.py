"""Conditions of effects: which ones an effect has, and how they compare. Nobody else decides that.

In:    an effect, a comparison.     Out: its conditions; the comparison as the program makes it.
Guards, replay and beliefs evaluate the two sides in their own terms, with these.
"""

from __future__ import annotations

from heapflow.ir.compare import compare_numbers
from heapflow.ir.kinds import CmpPredicate
from heapflow.models.model import Comparison, Effect, Op, Realloc

# C compares what models speak of as signed numbers; addresses are compared for equality only.
PREDICATES = {
    Op.EQ: CmpPredicate.EQ,
    Op.NE: CmpPredicate.NE,
    Op.LT: CmpPredicate.SLT,
    Op.LE: CmpPredicate.SLE,
    Op.GT: CmpPredicate.SGT,
    Op.GE: CmpPredicate.SGE,
}
OPERATORS = {predicate: op for op, predicate in PREDICATES.items()}
OPPOSITE = {
    Op.EQ: Op.NE,
    Op.NE: Op.EQ,
    Op.LT: Op.GE,
    Op.GE: Op.LT,
    Op.LE: Op.GT,
    Op.GT: Op.LE,
}


def conditions_of(effect: Effect) -> tuple[Comparison, ...]:
    """All that has to hold at a call for an effect to happen."""
    when: tuple[Comparison, ...] = getattr(effect, "when", ())
    if isinstance(effect, Realloc) and effect.source != effect.target:
        # The old block is released only if there is a new one.
        return (*when, Comparison(effect.target, Op.NE, 0))
    return when


def holds_for(condition: Comparison, number: int) -> bool:
    """Whether a condition holds if its left side is a number."""
    return compare_numbers(PREDICATES[condition.op], number, condition.right)
