"""What holds on every run, about the comparisons in one complete condition.

Facts are not part of reach conditions, which they would make large; a condition that is to be decided
is narrowed by those that concern its own variables.
"""

from __future__ import annotations

from functools import partial

from heapflow.guards.cfg import leads_to
from heapflow.guards.function import FunctionGuards
from heapflow.logic.space import Guard
from heapflow.policies.passed_on_is_there import not_expected


def narrowed(guards: FunctionGuards, guard: Guard) -> Guard:
    """The condition without what cannot be."""
    context, space = guards.context, guards.context.space
    if space.is_false(guard):
        return guard
    guard = guard & context.theory.constraints(space.support(guard))
    if space.is_false(guard):
        return guard
    if space.size(guard) > context.limits.most_narrowed_nodes:
        context.limits_hit["condition too large to be narrowed"] += 1
        return guard
    return guard & _passed_on(guards, guard)


def _passed_on(guards: FunctionGuards, guard: Guard) -> Guard:
    """What a function takes from memory and passes on without looking at it is not NULL."""
    context, space = guards.context, guards.context.space
    ways = partial(leads_to, guards.cfg, context.code.edge_target)
    there = not_expected(context.null_tests, space.support(guard), ways)
    return space.cube(dict.fromkeys(there, False)) if there else space.true
