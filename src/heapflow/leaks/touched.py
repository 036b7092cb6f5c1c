"""What a call can write to: where its arguments and global variables lead, and what it makes.

In:    Surroundings.     Out: `Touched`.
Regions are one for all calls of a function: a list that it fills may be any caller's. At one call,
only the places that its arguments lead to are meant.
Guarantees: an object that is not touched cannot be reached by the callee, by the points-to sets.
"""

from __future__ import annotations

from collections import Counter

from heapflow.flow.config import LeakConfig
from heapflow.ir.ids import FuncId, InstrId, ObjectId
from heapflow.leaks.surroundings import Surroundings


class Touched:
    """Answers by call and callee, remembered."""

    def __init__(self, around: Surroundings, config: LeakConfig) -> None:
        self._most = config.most_locations
        self._known, self._program, self._memory = around, around.program, around.memory
        self._calls = around.calls
        self.limits_hit: Counter[str] = Counter()
        self._behind: dict[tuple[int, int], int | None] = {}

    def may(self, site: InstrId, callee: FuncId, obj: ObjectId) -> bool:
        """Whether a call can write to an object."""
        if obj in self._known.long_lived or obj in self._memory.borrowed:
            return True
        if self._is_made_below(obj, callee):
            return True
        behind = self._behind_arguments(site, callee)
        return behind is None or bool(behind & self._memory.of_object(obj))

    def _is_made_below(self, obj: ObjectId, callee: FuncId) -> bool:
        """Whether an object is a variable or block of the callee's, or of what it calls."""
        owner = self._known.stack_owner.get(obj)
        chain = self._known.object_chain.get(obj, ())
        if owner is None:
            if not chain:
                return True  # nobody's: not known how it is made
            owner = self._calls.func_of[chain[0]]
        return owner == callee or self._calls.is_above(callee, owner)

    def _behind_arguments(self, site: InstrId, callee: FuncId) -> int | None:
        """Locations of all objects that a call's arguments lead to; None: not known, or many."""
        key = (site, callee)
        if key in self._behind:
            return self._behind[key]
        memory, seen = self._memory, 0
        known: int | None = None
        for number, value in enumerate(self._program.operands(site)[1:]):
            seen |= memory.value_set[value]
            if not memory.value_set[value] and self._may_lead_on(value, callee, number):
                break  # from unknown callers, say
        else:
            seen = fresh = memory.of_objects(seen)
            while fresh and seen.bit_count() <= self._most:
                reached = memory.of_objects(memory.contents(fresh))
                fresh = reached & ~seen
                seen |= reached
            known = None if fresh else seen
            if fresh:
                self.limits_hit["locations behind arguments"] += 1
        self._behind[key] = known
        return known

    def _may_lead_on(self, value: int, callee: FuncId, number: int) -> bool:
        if not self._memory.may_carry[value]:
            return False
        params = self._known.params(callee)
        return number >= len(params) or self._program.leads_on(params[number])
