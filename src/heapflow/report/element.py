"""Which element of an array is lost, where that is what decides."""

from __future__ import annotations

from heapflow.guards.bdd import Guard
from heapflow.guards.context import GuardContext
from heapflow.guards.terms import Term, constant_of
from heapflow.ir.compare import compare_numbers
from heapflow.ir.kinds import CmpPredicate

_MOST = 256  # indices that are tried
Test = tuple[int, CmpPredicate, int]  # variable, predicate, number


def lost_element(context: GuardContext, leaks: Guard) -> int | None:
    """The first index at which something is stored and lost; None if it is the same at all."""
    for index, passed in context.filled.items():
        tests = _tests_of(context, index, context.space.support(leaks))
        tried = passed[:_MOST]
        lost = [element for element in tried if tests and _is_lost(context, leaks, tests, element)]
        if lost and len(lost) < len(tried):
            return lost[0]
    return None


def _tests_of(context: GuardContext, index: Term, variables: frozenset[int]) -> list[Test]:
    """The comparisons of an index with numbers among these variables."""
    tests = []
    for variable in sorted(variables.intersection(context.atoms_on(index))):
        atom = context.atoms[variable]
        number = constant_of(atom.right)
        if atom.predicate is not None and number is not None:
            tests.append((variable, atom.predicate, number))
    return tests


def _is_lost(context: GuardContext, leaks: Guard, tests: list[Test], element: int) -> bool:
    space = context.space
    truth = {
        variable: space.true if compare_numbers(predicate, element, number) else space.false
        for variable, predicate, number in tests
    }
    return not space.is_false(space.substitute(leaks, truth))
