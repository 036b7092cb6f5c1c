"""What comparisons of one term with constants say about each other.

`x == 1` and `x == 2` are two variables; that they cannot both hold is added here, only for the
variables of one final condition. For the constants c1 < c2 < … that x is compared with, x lies on one
of the constants or between two: one cube of truth values each, and their disjunction is the constraint.
This is the linear-time part of SMOKE's second stage; what relates different terms is the SMT solver's.
"""

from __future__ import annotations

from collections import Counter

from heapflow.guards.variables import Variables
from heapflow.ir.compare import compare_numbers
from heapflow.ir.kinds import CmpPredicate
from heapflow.logic.atoms import Choice
from heapflow.logic.compare import constant_of
from heapflow.logic.space import Guard, GuardSpace
from heapflow.logic.term import Term

_Test = tuple[int, CmpPredicate, int]  # variable, and the number that a term is compared with


class Theory:
    """Constraints on the variables of conditions; those of one term are made once."""

    def __init__(
        self, variables: Variables, space: GuardSpace, most_constants: int, limits_hit: Counter[str]
    ) -> None:
        self._variables, self._space = variables, space
        self._most_constants, self._limits_hit = most_constants, limits_hit
        self._of_tests: dict[tuple[_Test, ...], Guard] = {}

    def constraints(self, variables: frozenset[int]) -> Guard:
        """A condition that every run fulfils, about these variables."""
        found = self._space.true
        by_term: dict[Term, list[_Test]] = {}
        for variable in sorted(variables):
            atom = self._variables.atoms[variable]
            if isinstance(atom, Choice):
                continue
            number = constant_of(atom.right)
            if number is not None:
                by_term.setdefault(atom.left, []).append((variable, atom.predicate, number))
        for tests in by_term.values():
            if len(tests) > self._most_constants:
                self._limits_hit["constants that a term is compared with"] += 1
            elif len(tests) > 1:
                found = found & self._one_term(tuple(tests))
        return found

    def _one_term(self, tests: tuple[_Test, ...]) -> Guard:
        known = self._of_tests.get(tests)
        if known is None:
            known = self._of_tests[tests] = _make_one_term(self._space, tests)
        return known


def _make_one_term(space: GuardSpace, tests: tuple[_Test, ...]) -> Guard:
    constants = {number for _, _, number in tests}
    points = {point for number in constants for point in (number - 1, number, number + 1)}
    # Unsigned comparisons also see negative numbers as huge.
    points |= {0, -1, 1 << 62}
    found = space.false
    seen: set[tuple[bool, ...]] = set()
    for point in sorted(points):
        truths = tuple(compare_numbers(predicate, point, number) for _, predicate, number in tests)
        if truths in seen:
            continue
        seen.add(truths)
        cube = space.true
        for (variable, _, _), truth in zip(tests, truths, strict=True):
            cube = cube & space.literal(variable, truth)
        found = found | cube
    return found
