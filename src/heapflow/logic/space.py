"""The only file that knows the BDD library.

A `Guard` supports `&`, `|`, `~`, `^`, `==`. Variables are made when first needed, in the order in which
conditions are met in the program, which is close to the order in which they are decided.
Guarantees: every operation is bounded before it runs. The library's own are bounded by the product of
their operands' sizes; beyond `most_library_steps` an operation is done node by node, and one that needs
more than `most_operation_steps` of them raises `GuardOverflow`. Bounds count nodes, never seconds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any, Final

from oxidd.bcdd import BCDDFunction, BCDDManager
from oxidd.util import DDMemoryError

from heapflow.logic.config import SpaceLimits
from heapflow.support.errors import UserError
from heapflow.support.memory import FOR_CONDITIONS, address_space_advice, address_space_left

_INNER_NODES: Final = 1 << 24
_CACHE_ENTRIES: Final = 1 << 20  # results of operations that are remembered; of a large program
_FEWEST_CACHE_ENTRIES: Final = 1 << 16
_GROW: Final = 256
_CHECK_EVERY: Final = 2048
_TIDY_FROM: Final = 1 << 21  # nodes; measuring takes as long as there were ever nodes at a time
_MOST_REMEMBERED: Final = 50_000
_MOST_UNMEASURED: Final = (
    1 << 20
)  # steps that an operation may take by what its operands were made of
_INSIDE: Final = 64
_UNBOUNDED: Final = 1 << 62
GuardOverflow = DDMemoryError  # an operation needed more nodes or steps than there are
# What costs one function or one object: conditions that are too large, or too deep within each other.
BEYOND_BOUNDS: Final = (GuardOverflow, RecursionError)


class Work:
    """Steps that conditions have taken, and how many they may take before an operation overflows.

    A step is a node that is visited in Python; the library visits some `_INSIDE` nodes meanwhile.
    """

    __slots__ = ("limits", "most", "spent")

    def __init__(self) -> None:
        self.limits = SpaceLimits()  # those of the space that was made last
        self.spent = 0
        self.most = _UNBOUNDED

    def allow(self, steps: int) -> None:
        """Count anew, up to so many steps; 0: as many as it takes."""
        self.spent = 0
        self.most = steps or _UNBOUNDED

    def is_used_up(self) -> bool:
        return self.spent > self.most

    def add(self, steps: int) -> None:
        self.spent += steps
        if self.spent > self.most:
            raise GuardOverflow("conditions took too many steps")


WORK: Final = Work()


class Guard:
    """A condition.

    `most` is the number of its nodes if it was measured, and otherwise what they can be at most, given
    what it was made of.
    """

    __slots__ = ("at", "is_measured", "most")

    def __init__(self, at: BCDDFunction, most: int, is_measured: bool = False) -> None:
        self.at = at
        self.most = most
        self.is_measured = is_measured

    def __and__(self, other: Guard) -> Guard:
        most = self.most * other.most
        if most > _MOST_UNMEASURED:
            return _and(self, other)
        return Guard(self.at & other.at, most)

    def __or__(self, other: Guard) -> Guard:
        most = self.most * other.most
        if most > _MOST_UNMEASURED:
            return ~_and(~self, ~other)
        return Guard(self.at | other.at, most)

    def __xor__(self, other: Guard) -> Guard:
        most = self.most * other.most
        if most > _MOST_UNMEASURED:
            return (self & ~other) | (~self & other)
        return Guard(self.at ^ other.at, most)

    def __invert__(self) -> Guard:
        return Guard(~self.at, self.most, self.is_measured)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Guard) and self.at == other.at

    def __hash__(self) -> int:
        return hash(self.at)

    def measure(self) -> int:
        """The number of its nodes."""
        if not self.is_measured:
            self.most, self.is_measured = _literal_size(self.at) or self.at.node_count() + 1, True
        return self.most

    def node_var(self) -> int | None:
        """The variable that is tested first; None: true or false."""
        return self.at.node_var()


def _and(left: Guard, right: Guard) -> Guard:
    """A conjunction that may be large."""
    most = left.measure() * right.measure()
    WORK.add(1 + (left.most + right.most) // _INSIDE)
    if most <= WORK.limits.most_library_steps:
        return Guard(left.at & right.at, most)
    found = Guard(conjunction(left.at, right.at), most)
    found.measure()
    return found


def conjunction(left: BCDDFunction, right: BCDDFunction) -> BCDDFunction:
    """The conjunction, node by node."""
    manager: Any = left.manager
    most = WORK.limits.most_operation_steps
    false, true = manager.false(), manager.true()
    made: dict[tuple[BCDDFunction, BCDDFunction], BCDDFunction] = {}
    stack = [(left, right)]
    while stack:
        pair = stack[-1]
        if pair in made:
            stack.pop()
            continue
        a, b = pair
        if a in (true, b, false) or b in (true, false):
            made[pair] = a & b
            continue
        if len(made) > most:
            WORK.add(len(made))
            raise GuardOverflow("a condition is too large")
        first, second = a.node_var(), b.node_var()
        assert first is not None and second is not None
        variable = min(first, second)
        high_a, low_a = _split(a) if first == variable else (a, a)
        high_b, low_b = _split(b) if second == variable else (b, b)
        high, low = made.get((high_a, high_b)), made.get((low_a, low_b))
        if high is None or low is None:
            stack += ((high_a, high_b), (low_a, low_b))
            continue
        made[pair] = manager.var(variable).ite(high, low)
    WORK.add(len(made))
    return made[left, right]


def _split(at: BCDDFunction) -> tuple[BCDDFunction, BCDDFunction]:
    found = at.cofactors()
    assert found is not None, "a leaf has no branches"
    return found


class GuardSpace:
    """All Boolean variables of one analysis."""

    def __init__(
        self,
        limits: SpaceLimits | None = None,
        limits_hit: Counter[str] | None = None,
        work: int = _CACHE_ENTRIES,  # the larger, the more results of operations are remembered
    ) -> None:
        WORK.limits = self.limits = limits or SpaceLimits()
        self.limits_hit: Counter[str] = Counter() if limits_hit is None else limits_hit
        room = address_space_left()
        if room is not None and room < FOR_CONDITIONS:
            raise UserError(f"conditions: {address_space_advice(FOR_CONDITIONS, room)}")
        # The library takes all room for what it remembers at once: 16 bytes and more per entry.
        entries = min(max(1 << work.bit_length(), _FEWEST_CACHE_ENTRIES), _CACHE_ENTRIES)
        self._manager: Any = BCDDManager(_INNER_NODES, entries, 1)
        self.true = Guard(self._manager.true(), 2, is_measured=True)
        self.false = Guard(self._manager.false(), 2, is_measured=True)
        self._true: BCDDFunction = self.true.at
        self._false: BCDDFunction = self.false.at
        self.count = 0
        self._variables: list[BCDDFunction] = []
        self._literals: list[tuple[Guard, Guard]] = []
        self._measured = 0
        self._tidy_at = _TIDY_FROM
        self._sizes: dict[BCDDFunction, int] = {}
        self._supports: dict[BCDDFunction, frozenset[int]] = {}

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
        positive = Guard(self._variables[self.count], 3, is_measured=True)
        self._literals.append((~positive, positive))
        self.count += 1
        return self.count - 1

    def literal(self, variable: int, positive: bool = True) -> Guard:
        return self._literals[variable][positive]

    # Equal conditions are one node: comparing is cheaper than asking the library.

    def is_false(self, guard: Guard) -> bool:
        return guard.at == self._false

    def is_true(self, guard: Guard) -> bool:
        return guard.at == self._true

    def size(self, guard: Guard) -> int:
        if guard.is_measured:
            return guard.most
        known = self._sizes.get(guard.at)
        if known is None:
            if len(self._sizes) > _MOST_REMEMBERED:
                self._sizes.clear()  # what is remembered keeps its nodes alive
            known = self._sizes[guard.at] = guard.measure()
            self._measured += 1
            if self._measured % _CHECK_EVERY == 0:
                self._tidy()
        else:
            guard.most, guard.is_measured = known, True
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
        self._tidy_at = max(_TIDY_FROM, 2 * alive)

    def branches(self, guard: Guard) -> tuple[Guard, Guard]:
        """(if true, if false) of an inner node."""
        high, low = _split(guard.at)
        return Guard(high, guard.most), Guard(low, guard.most)

    def any_of(self, guards: Iterable[Guard]) -> Guard:
        """The disjunction, made in pairs: many small ones are cheaper than one that grows."""
        found = list(dict.fromkeys(guards))
        while len(found) > 1:
            last = found[-1:] if len(found) % 2 else []
            found = [a | b for a, b in zip(found[::2], found[1::2], strict=False)] + last
        return found[0] if found else self.false

    def support(self, guard: Guard) -> frozenset[int]:
        """The variables that a guard depends on."""
        known = self._supports.get(guard.at)
        if known is not None:
            return known
        if len(self._supports) > _MOST_REMEMBERED:
            self._supports.clear()
        known = self._supports[guard.at] = self.support_of_all([guard])
        return known

    def support_of_all(self, guards: Iterable[Guard]) -> frozenset[int]:
        """The variables that any of these guards depends on; nodes that they share are met once."""
        seen: set[BCDDFunction] = set()
        variables: set[int] = set()
        stack = [guard.at for guard in guards]
        while stack:
            at = stack.pop()
            if at in seen:
                continue
            seen.add(at)
            variable = at.node_var()
            if variable is None:
                continue
            variables.add(variable)
            stack += _split(at)
        return frozenset(variables)

    def forget(self, guard: Guard, variables: Iterable[int]) -> Guard:
        """∃ variables . guard"""
        chosen = self.support(guard).intersection(variables)
        # From below, where least hangs on a variable; one by one, so that each step is bounded.
        for variable in sorted(chosen, reverse=True):
            size = self.size(guard)
            if size * size > self.limits.most_library_steps:
                raise GuardOverflow("a condition is too large")
            guard = Guard(guard.at.exists(self._variables[variable]), size * size)
        return guard

    def given(self, guard: Guard, care: Guard) -> Guard:
        """A condition that equals the guard where `care` holds, and is no larger (Coudert, Madre)."""
        if self.is_false(care) or self.is_true(care):
            return guard
        known, limits = self.size(care), self.limits
        size = self.size(guard) if known <= limits.most_care_nodes else 0
        if not size or size * known > limits.most_operation_steps:
            self.limits_hit["condition too large to be simplified"] += 1
            return guard
        found = Guard(self._given(guard.at, care.at), size * self.size(care))
        return found if self.size(found) <= size else guard

    def _given(self, guard: BCDDFunction, care: BCDDFunction) -> BCDDFunction:
        """Node by node, those below first."""
        made: dict[tuple[BCDDFunction, BCDDFunction], BCDDFunction] = {}
        stack = [(guard, care)]
        while stack:
            key = stack[-1]
            if key in made:
                stack.pop()
                continue
            needed = self._needed(*key)
            missing = [pair for pair in needed if pair not in made]
            if missing:
                stack += reversed(missing)
            elif not needed:
                made[key] = key[0]
            elif len(needed) == 1:
                made[key] = made[needed[0]]
            else:
                variable = key[0].node_var()
                assert variable is not None
                high, low = (made[pair] for pair in needed)
                made[key] = self._variables[variable].ite(high, low)
        return made[guard, care]

    def _needed(
        self, guard: BCDDFunction, care: BCDDFunction
    ) -> list[tuple[BCDDFunction, BCDDFunction]]:
        """What a node's simplification is made of: nothing (itself), another one, or its branches."""
        variable, known = guard.node_var(), care.node_var()
        if variable is None or known is None:
            return []
        if known < variable:
            high, low = _split(care)
            return [(guard, high | low)]
        high, low = _split(guard)
        yes, no = _split(care) if known == variable else (care, care)
        if not yes.satisfiable():
            return [(low, no)]
        if not no.satisfiable():
            return [(high, yes)]
        return [(high, yes), (low, no)]

    def choose(self, test: Guard, yes: Guard, no: Guard) -> Guard:
        """If test then yes else no."""
        most = test.most * yes.most * no.most
        if most > _MOST_UNMEASURED:
            return (test & yes) | (~test & no)
        return Guard(test.at.ite(yes.at, no.at), most)

    def substitute(self, guard: Guard, replacement: dict[int, Guard]) -> Guard:
        """The guard with variables replaced, all at once.

        Guards that are carried between functions are small and variables many: walking the nodes is
        cheaper than the library's own substitution, which prepares a table of all variables.
        """
        variable = guard.node_var()
        if variable is None:
            return guard
        high, low = _split(guard.at)
        if high.node_var() is None and low.node_var() is None:  # a literal, as many are
            test = replacement.get(variable) or self.literal(variable)
            return test if high == self._true else ~test
        made: dict[BCDDFunction, Guard] = {self._true: self.true, self._false: self.false}
        stack = [guard.at]
        while stack:
            at = stack[-1]
            if at in made:
                stack.pop()
                continue
            variable = at.node_var()
            assert variable is not None
            high, low = _split(at)
            if high not in made or low not in made:
                stack += (high, low)
                continue
            test = replacement.get(variable) or self.literal(variable)
            made[at] = self.choose(test, made[high], made[low])
        return made[guard.at]

    def cube(self, chosen: dict[int, bool]) -> Guard:
        """The conjunction of literals."""
        found = self._true
        for variable, value in sorted(chosen.items(), reverse=True):
            found = found & (self._variables[variable] if value else ~self._variables[variable])
        return Guard(found, len(chosen) + 2, is_measured=True)

    def one_solution(self, guard: Guard, prefers: bool = False) -> dict[int, bool] | None:
        """What one satisfying assignment fixes; where both values will do, it is `prefers`."""
        if self.is_false(guard):
            return None
        chosen: dict[int, bool] = {}
        at = guard.at
        while (variable := at.node_var()) is not None:
            high, low = _split(at)
            value = high.satisfiable() if prefers else not low.satisfiable()
            chosen[variable] = value
            at = high if value else low
        return chosen


def _literal_size(guard: BCDDFunction) -> int:
    """Three, if a guard is a literal, else 0.

    Many are. The library clears a bit for every node that there ever was before it counts.
    """
    branches = guard.cofactors()
    if branches is None:
        return 0
    high, low = branches
    return 3 if high.node_var() is None and low.node_var() is None else 0
