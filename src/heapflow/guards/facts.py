"""What holds on every run, about the comparisons in one complete condition.

Facts are not part of reach conditions, which they would make large; a condition that is to be decided
is narrowed by those that concern its own variables.
"""

from __future__ import annotations

from heapflow.guards.cfg import leads_to
from heapflow.guards.function import FunctionGuards
from heapflow.guards.theory import constant_constraints
from heapflow.logic.space import Guard


def narrowed(guards: FunctionGuards, guard: Guard) -> Guard:
    """The condition without what cannot be."""
    context, space = guards.context, guards.context.space
    if space.is_false(guard):
        return guard
    guard = guard & constant_constraints(context, space.support(guard))
    if space.is_false(guard):
        return guard
    if space.size(guard) > context.limits.most_narrowed_nodes:
        context.limits_hit["condition too large to be narrowed"] += 1
        return guard
    return guard & _passed_on(guards, guard)


def _passed_on(guards: FunctionGuards, guard: Guard) -> Guard:
    """What a function takes from memory and passes on without looking at it is not NULL.

    `add(s->table, p)`, where `add` does nothing without a table: nobody here expects that.
    """
    context, space = guards.context, guards.context.space
    unexpected = [v for v in space.support(guard) if v in context.null_tests.of_arguments]
    there = [v for v in unexpected if not _is_looked_at(guards, v)]
    if not there or not context.policies.acts("passed-on-is-there"):
        return space.true
    return space.cube(dict.fromkeys(there, False))


def _is_looked_at(guards: FunctionGuards, variable: int) -> bool:
    """Whether a test for NULL comes before, or takes part in, the calls that make it of an argument."""
    context = guards.context
    noted = context.null_tests
    tests, calls = noted.others.get(variable, ()), noted.of_arguments[variable]
    return any(leads_to(guards.cfg, context.edge_target, test, calls) for test in tests)
