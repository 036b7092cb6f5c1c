"""The policy `passed-on-is-there`: what is loaded and passed on is not NULL, if only the callee asks.

    add(s->table, p);        where `add` does nothing without a table: nobody here expects that
In:    comparisons, as they are met.     Out: those that are taken not to hold.
Acts in: `guards/facts.py`, where a finished condition is narrowed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Final

from heapflow.ir.ids import BlockId
from heapflow.logic.compare import constant_of
from heapflow.logic.space import Guard, GuardSpace
from heapflow.logic.term import Later, Load, Met, Term
from heapflow.policies.inforce import Policies
from heapflow.policies.policy import Policy, Shape

PASSED_ON_IS_THERE: Final = Policy(
    "passed-on-is-there",
    Shape.NARROWS,
    "A pointer that is loaded and passed on is not NULL as far as the callee tests its "
    "parameter, unless the caller tests it before.",
    "blocks that the callee does not keep for want of a table, list or pool",
    "leaks/kept_by_callee.c",
    "decision 59",
)
LeadsTo = Callable[
    [BlockId, Collection[BlockId]], bool
]  # whether a way leads to one of several blocks


class NullTests:
    """Blocks in which it is asked whether a pointer that was loaded is NULL, by variable."""

    def __init__(self, policies: Policies, space: GuardSpace) -> None:
        self.policies, self._space = policies, space
        self.of_arguments: dict[int, set[BlockId]] = {}  # by callees, of their argument
        self.others: dict[int, set[BlockId]] = {}

    def note(
        self, holds: Guard, left: Term, right: Term, block: BlockId, is_argument: bool
    ) -> None:
        """Remember a comparison, and the condition under which it holds."""
        if isinstance(left, Load | Later | Met) and constant_of(right) == 0:
            noted = self.of_arguments if is_argument else self.others
            for variable in self._space.support(holds):
                noted.setdefault(variable, set()).add(block)


def not_expected(tests: NullTests, variables: Iterable[int], leads_to: LeadsTo) -> list[int]:
    """Comparisons with NULL, by their variables, that are taken not to hold."""
    asked = [variable for variable in variables if variable in tests.of_arguments]
    found = [variable for variable in asked if not _is_looked_at(tests, variable, leads_to)]
    return found if found and tests.policies.acts(PASSED_ON_IS_THERE) else []


def _is_looked_at(tests: NullTests, variable: int, leads_to: LeadsTo) -> bool:
    """Whether a test for NULL comes before the calls that make it of an argument, or with them."""
    calls = tests.of_arguments[variable]
    return any(leads_to(test, calls) for test in tests.others.get(variable, ()))
