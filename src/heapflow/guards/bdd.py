"""The only file that knows the BDD library.

A `Guard` supports `&`, `|`, `~`, `^`, `==`. Variables are made when first needed, in the order in which
conditions are met in the program, which is close to the order in which they are decided.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from oxidd.bcdd import BCDDFunction, BCDDManager
from oxidd.util import DDMemoryError

Guard = BCDDFunction
_INNER_NODES: Final = 1 << 24
_CACHE_ENTRIES: Final = 1 << 20
_GROW: Final = 256
_CHECK_EVERY: Final = 2048
_MOST_REMEMBERED: Final = 50_000
_MOST_CARE: Final = 150  # nodes of what is known when a guard is simplified
GuardOverflow = DDMemoryError  # an operation needed more nodes than there are


class GuardSpace:
    """All Boolean variables of one analysis."""

    def __init__(self) -> None:
        self._manager: Any = BCDDManager(_INNER_NODES, _CACHE_ENTRIES, 1)
        self.true: Guard = self._manager.true()
        self.false: Guard = self._manager.false()
        self.count = 0
        self._variables: list[Guard] = []
        self._measured = 0
        self._tidy_at = _INNER_NODES // 4
        self._sizes: dict[Guard, int] = {}
        self._supports: dict[Guard, frozenset[int]] = {}

    def collect_garbage(self) -> None:
        """Give back nodes that nobody holds, once half of the space is used."""
        if self._manager.approx_num_inner_nodes() > _INNER_NODES // 2:
            self._sizes.clear()
            self._supports.clear()
            self._manager.gc()

    def new_variable(self) -> int:
        """The number of a fresh variable."""
        if self.count == len(self._variables):
            first = len(self._variables)
            self._manager.add_vars(_GROW)
            self._variables += [self._manager.var(first + i) for i in range(_GROW)]
        self.count += 1
        return self.count - 1

    def literal(self, variable: int, positive: bool = True) -> Guard:
        found = self._variables[variable]
        return found if positive else ~found

    # Equal conditions are one node: comparing is cheaper than asking the library.

    def is_false(self, guard: Guard) -> bool:
        return guard == self.false

    def is_true(self, guard: Guard) -> bool:
        return guard == self.true

    def size(self, guard: Guard) -> int:
        known = self._sizes.get(guard)
        if known is None:
            if len(self._sizes) > _MOST_REMEMBERED:
                self._sizes.clear()  # what is remembered keeps its nodes alive
            known = self._sizes[guard] = _literal_size(guard) or guard.node_count() + 1
            self._measured += 1
            if self._measured % _CHECK_EVERY == 0:
                self._tidy()
        return known

    def _tidy(self) -> None:
        """Free dead nodes before the store is full: the library does so too late or not at all."""
        if self._manager.num_inner_nodes() > self._tidy_at:
            self.collect()

    def collect(self) -> None:
        """Free all dead nodes, as after an overflow."""
        self._sizes.clear()
        self._supports.clear()
        self._manager.gc()
        alive = self._manager.num_inner_nodes()
        self._tidy_at = alive + (_INNER_NODES - alive) // 4

    def branches(self, guard: Guard) -> tuple[Guard, Guard]:
        """(if true, if false) of an inner node."""
        found = guard.cofactors()
        assert found is not None, "a leaf has no branches"
        return found

    def any_of(self, guards: Iterable[Guard]) -> Guard:
        """The disjunction, made in pairs: many small ones are cheaper than one that grows."""
        found = list(dict.fromkeys(guards))
        while len(found) > 1:
            last = found[-1:] if len(found) % 2 else []
            found = [a | b for a, b in zip(found[::2], found[1::2], strict=False)] + last
        return found[0] if found else self.false

    def support(self, guard: Guard) -> frozenset[int]:
        """The variables that a guard depends on."""
        known = self._supports.get(guard)
        if known is not None:
            return known
        if len(self._supports) > _MOST_REMEMBERED:
            self._supports.clear()
        known = self._supports[guard] = self.support_of_all([guard])
        return known

    def support_of_all(self, guards: Iterable[Guard]) -> frozenset[int]:
        """The variables that any of these guards depends on; nodes that they share are met once."""
        seen: set[Guard] = set()
        variables: set[int] = set()
        stack = list(guards)
        while stack:
            at = stack.pop()
            if at in seen:
                continue
            seen.add(at)
            variable = at.node_var()
            if variable is None:
                continue
            variables.add(variable)
            stack += self.branches(at)
        return frozenset(variables)

    def forget(self, guard: Guard, variables: Iterable[int]) -> Guard:
        """∃ variables . guard"""
        chosen = self.support(guard).intersection(variables)
        if not chosen:
            return guard
        cube = self.true
        for variable in sorted(chosen, reverse=True):  # from below, so that each adds one node
            cube = self._variables[variable] & cube
        return guard.exists(cube)

    def given(self, guard: Guard, care: Guard) -> Guard:
        """A condition that equals the guard where `care` holds, and is no larger (Coudert, Madre)."""
        if self.is_false(care) or self.is_true(care) or self.size(care) > _MOST_CARE:
            return guard
        made: dict[tuple[Guard, Guard], Guard] = {}
        found = self._given(guard, care, made)
        return found if self.size(found) <= self.size(guard) else guard

    def _given(self, guard: Guard, care: Guard, made: dict[tuple[Guard, Guard], Guard]) -> Guard:
        variable, known = guard.node_var(), care.node_var()
        if variable is None or known is None:
            return guard
        key = (guard, care)
        done = made.get(key)
        if done is not None:
            return done
        if known < variable:
            high, low = self.branches(care)
            found = self._given(guard, high | low, made)
        else:
            high, low = self.branches(guard)
            yes, no = self.branches(care) if known == variable else (care, care)
            if not yes.satisfiable():
                found = self._given(low, no, made)
            elif not no.satisfiable():
                found = self._given(high, yes, made)
            else:
                test = self._variables[variable]
                found = test.ite(self._given(high, yes, made), self._given(low, no, made))
        made[key] = found
        return found

    def substitute(self, guard: Guard, replacement: dict[int, Guard]) -> Guard:
        """The guard with variables replaced, all at once.

        Guards that are carried between functions are small and variables many: walking the nodes is
        cheaper than the library's own substitution, which prepares a table of all variables.
        """
        variable = guard.node_var()
        if variable is None:
            return guard
        high, low = self.branches(guard)
        if high.node_var() is None and low.node_var() is None:  # a literal, as many are
            test = replacement.get(variable, self._variables[variable])
            return test if high == self.true else ~test
        made: dict[Guard, Guard] = {}
        stack = [guard]
        while stack:
            at = stack[-1]
            if at in made:
                stack.pop()
                continue
            variable = at.node_var()
            if variable is None:
                made[at] = at
                continue
            high, low = self.branches(at)
            if high not in made or low not in made:
                stack += (high, low)
                continue
            test = replacement.get(variable, self._variables[variable])
            made[at] = test.ite(made[high], made[low])
        return made[guard]

    def cube(self, chosen: dict[int, bool]) -> Guard:
        """The conjunction of literals."""
        found = self.true
        for variable, value in sorted(chosen.items(), reverse=True):
            found = found & self.literal(variable, value)
        return found

    def one_solution(self, guard: Guard, prefers: bool = False) -> dict[int, bool] | None:
        """What one satisfying assignment fixes; where both values will do, it is `prefers`."""
        if self.is_false(guard):
            return None
        chosen: dict[int, bool] = {}
        at = guard
        while (variable := at.node_var()) is not None:
            high, low = self.branches(at)
            value = high.satisfiable() if prefers else not low.satisfiable()
            chosen[variable] = value
            at = high if value else low
        return chosen


def _literal_size(guard: Guard) -> int:
    """Three, if a guard is a literal, else 0.

    Many are. The library clears a bit for every node that there ever was before it counts.
    """
    branches = guard.cofactors()
    if branches is None:
        return 0
    high, low = branches
    return 3 if high.node_var() is None and low.node_var() is None else 0
