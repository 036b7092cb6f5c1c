"""What holds on every run, about the comparisons in one complete condition.

Facts are not part of reach conditions, which they would make large; a condition that is to be decided
is narrowed by those that concern its own variables.
"""

from __future__ import annotations

from heapflow.guards.bdd import Guard
from heapflow.guards.function import FunctionGuards
from heapflow.guards.lockstep import lockstep_facts
from heapflow.guards.strings import string_facts
from heapflow.guards.theory import constant_constraints

_MOST_NODES = 2000  # of a condition that is narrowed further


def narrowed(guards: FunctionGuards, guard: Guard, ended: bool = True) -> Guard:
    """The condition without what cannot be.

    `ended`: the loops on the way were left after the turn that the condition speaks of.
    """
    space = guards.context.space
    if space.is_false(guard):
        return guard
    guard = guard & constant_constraints(guards.context, space.support(guard))
    facts = [_unrounded, string_facts, _followed, lockstep_facts] + (
        [_last_tests, _first_tests] if ended else []
    )
    for found in facts:
        if space.is_false(guard) or space.size(guard) > _MOST_NODES:
            return guard
        guard = guard & found(guards, guard)
    return guard


def _unrounded(guards: FunctionGuards, guard: Guard) -> Guard:
    found = guards.rounded.facts(guard)
    space = guards.context.space
    return found & constant_constraints(guards.context, space.support(found))


def _last_tests(guards: FunctionGuards, guard: Guard) -> Guard:
    return guards.after.last_tests(guard)


def _first_tests(guards: FunctionGuards, guard: Guard) -> Guard:
    return guards.after.first_tests(guard)


def _followed(guards: FunctionGuards, guard: Guard) -> Guard:
    return guards.followed.facts(guard)
