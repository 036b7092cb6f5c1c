"""Functions that release a struct and never look at a field that owns what it holds.

In:    FieldTable, one field.     Out: enders and storers; of these, only the enders are executed. That
the field is set when the struct ends is assumed.
The function that stores the block is often too large to execute, or takes a history that nobody can
make up. A function that releases the struct without a look at the field loses the block whatever came
before, if the field was set at all. Evidence is asked for, therefore:
- all others who release what the field holds store a new block then, or release the struct; or
  nobody does, nobody hands it on, whoever made the block stored it without giving it to a callee for
  that, and this function releases other fields of the same struct;
- callers that release the struct through this function do not see to the field either;
- it is called by code that does not set the field: no constructor gives up half-way.
Paper: Engler et al., SOSP'01: what one function does and another does not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from heapflow.ownership.effects import Done
from heapflow.ownership.fields import FieldFacts, FieldTable, Storer
from heapflow.ownership.places import Field, Root, RootKind

Reached = Callable[[int], set[int]]


class Forgetting:
    """Of one program; `reached` tells the functions that a function calls, and those that they call."""

    def __init__(self, table: FieldTable, reached: Reached) -> None:
        self.table, self.reached = table, reached

    def enders(self, place: Field, facts: FieldFacts) -> Iterable[tuple[int, Root]]:
        """Functions that release the struct themselves and forget the field."""
        if place.owner < 0 or place.is_element or facts.handed:
            return
        for ender, root in self.table.enders.get(place.owner, ()):
            if root.kind is not RootKind.PARAM or self._depth(ender, root) > 0:
                continue
            if place.owner not in self.table.structs(ender, root) or self._looks(ender, place):
                continue
            if self._is_owned(place, facts, ender, root) and self._ends_finished(ender, facts):
                yield ender, root

    def storers(self, place: Field, facts: FieldFacts) -> list[Storer]:
        """Who sets the field to a block that lies nowhere else."""
        found = [
            one
            for one in facts.storers
            if (place, one.chain) not in self.table.effects(one.func).indexed
            and (facts.releasers or (place, one.chain) not in self.table.effects(one.func).lent)
            and self._lies_only_there(one, place)
        ]
        return sorted(found, key=lambda one: (one.func in facts.releasers, len(one.chain), one))

    def _depth(self, func: int, root: Root) -> int:
        return self.table.effects(func).frees.get(root.number, 1)

    def _looks(self, func: int, place: Field) -> bool:
        effects = self.table.effects(func)
        places = (*effects.loads, *effects.releases, *effects.stores)
        return any(found == place for found, _ in places) or bool(effects.clears)

    def _is_owned(self, place: Field, facts: FieldFacts, ender: int, root: Root) -> bool:
        releasers = sorted(facts.releasers)
        if not releasers:
            here = self.table.effects(ender).releases
            return any(one.owner == place.owner and at == root for one, at in here)
        # A function that releases the field and neither fills it again nor ends the struct is the
        # first half of an end that comes later.
        enders = {one for one, _ in self.table.enders[place.owner]}
        return all(
            self.only_replaces(one, place) or (one in enders and ender not in self.reached(one))
            for one in releasers
        )

    def only_replaces(self, func: int, place: Field, depth: int = 0) -> bool:
        """Whether all that a function releases there makes room for a new block."""
        effects, tables = self.table.effects(func), self.table.whole.tables
        for here, distance in effects.releases.items():
            if here[0] != place:
                continue
            if distance == 0:
                stores = effects.rows.get((Done.STORE, here), ())
                fresh = any(effects.stores.get(here, ()))
                first = min(effects.rows[Done.RELEASE, here])
                if not (fresh and effects.depth.get(here, 1) == 0 and first < max(stores)):
                    return False
                continue
            if depth > self.table.whole.config.deepest_effect:
                return False
            for row in effects.rows[Done.RELEASE, here]:
                targets = [
                    one for one in self.table.whole.targets(row) if one in self.table.whole.effects
                ]
                inner = [one for one in targets if self._releases(one, place)]
                if (
                    not inner
                    or tables.func_of(row) != func
                    or not all(self.only_replaces(one, place, depth + 1) for one in inner)
                ):
                    return False
        return True

    def _releases(self, func: int, place: Field) -> bool:
        return any(found == place for found, _ in self.table.effects(func).releases)

    def _ends_finished(self, ender: int, facts: FieldFacts) -> bool:
        """Whether somebody ends structs who does not set the field: callers that are not known, or
        one that is."""
        if self.table.is_entry(ender):
            return True
        setters = {one.func for one in facts.storers if len(one.chain) == 1} or {
            one.func for one in facts.storers
        }
        tables, calls = self.table.whole.tables, self.table.whole.calls
        for call in calls.callers(ender):
            caller = tables.func_of(call)
            if caller not in setters and setters.isdisjoint(self.reached(caller)):
                return True
        return False

    def _lies_only_there(self, storer: Storer, place: Field) -> bool:
        stores = self.table.effects(storer.func).stores
        return all(
            found == place for (found, _), chains in stores.items() if storer.chain in chains
        )
