"""Objects that nothing outside one activation of a function leads to: they end with it.

In:    Surroundings.     Out: `Confined`.
Paper: SATURN §4.4: blocks that point to each other keep nobody alive.
Elements of a list are one object to us, and an element that an older one links to is held by its own
kind. Whether that keeps it alive depends on the oldest: when a function is done, what lives is what
global variables lead to, and what the variables of its callers, and of theirs, lead to. If these never
lead to one of the elements, all of them are lost together.
Guarantees: what leads to what is taken from points-to sets, over the whole program and all paths.
Not modelled: variables of functions that run in other threads.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container

from heapflow.ir.ids import FuncId, ObjectId
from heapflow.leaks.longlived import object_of
from heapflow.leaks.surroundings import Surroundings
from heapflow.support.bitset import members


class Confined:
    """Who leads to whom, among objects that no global variable leads to."""

    def __init__(
        self,
        around: Surroundings,
    ) -> None:
        self._known, self._program, self._memory = around, around.program, around.memory
        self._long_lived, self._stack_owner = around.long_lived, around.stack_owner
        self.calls = around.calls
        self.limits_hit: Counter[str] = Counter()
        self._holders: dict[ObjectId, set[ObjectId]] | None = None
        self._pointed_to: dict[FuncId, int] = {}  # by function: locations that its values point to
        self._open: dict[FuncId, bool] = {}
        self._seen_above: dict[FuncId, frozenset[ObjectId]] = {}

    def around(
        self, objects: frozenset[ObjectId], func: FuncId, fresh: Container[ObjectId], most: int
    ) -> frozenset[ObjectId]:
        """What leads to objects that lead to themselves, if it all ends with `func`; else nothing.

        `fresh` are the objects that `func` makes.
        """
        if not self._long_lived.isdisjoint(objects):
            return frozenset()
        holders, is_open = self._known_holders(), self._is_open(func)
        found: set[ObjectId] = set()
        stack = sorted(objects)
        while stack:
            obj = stack.pop()
            owner = self._stack_owner.get(obj)
            if owner is not None and self.calls.is_above(owner, func):
                return frozenset()
            if len(found) > most:
                self.limits_hit["objects that lead to one"] += 1
                return frozenset()
            if is_open and owner is None and obj not in objects and obj not in fresh:
                return frozenset()  # the unknown caller may have it
            if owner is None or owner == func:
                more = holders.get(obj, set()) - found
                found |= more
                stack += sorted(more)
        if not objects <= found or not found.isdisjoint(self._objects_above(func)):
            return frozenset()
        return frozenset(found)

    def _arguments(self, func: FuncId) -> list[int]:
        rows = self._known.params(func)
        found: list[int] = self._program.params.value[rows.start : rows.stop].tolist()
        return found

    def _is_open(self, func: FuncId) -> bool:
        """Whether unknown callers give the function, or one above it, something with pointers in it."""
        known = self._open.get(func)
        if known is None:
            ends = [one for one in {func, *self.calls.above(func)} if one not in self.calls.callers]
            known = self._open[func] = any(map(self._gets_pointers, ends))
        return known

    def _gets_pointers(self, func: FuncId) -> bool:
        if self._program.func_name(func) == "main":
            return False
        return any(map(self._program.leads_on, self._known.params(func)))

    def _objects_above(self, func: FuncId) -> frozenset[ObjectId]:
        """Objects that values of the functions above may point to."""
        known = self._seen_above.get(func)
        if known is None:
            bits = 0
            for caller in sorted(self.calls.above(func)):
                bits |= self._locations_seen(caller)
            known = frozenset(object_of(self._memory)[location] for location in members(bits))
            self._seen_above[func] = known
        return known

    def _locations_seen(self, func: FuncId) -> int:
        known = self._pointed_to.get(func)
        if known is None:
            rows = self._program.instr_range(func)
            results = self._program.instrs.result[rows.start : rows.stop].tolist()
            known = 0
            for value in self._arguments(func) + results:
                known |= self._memory.value_set[value] if value >= 0 else 0
            self._pointed_to[func] = known
        return known

    def _known_holders(self) -> dict[ObjectId, set[ObjectId]]:
        """Object -> objects with a pointer to it. What global variables lead to is not asked for."""
        if self._holders is None:
            self._holders = {}
            memory, of = self._memory, object_of(self._memory)
            for location, content in enumerate(memory.content):
                holder = of[location]
                if not content or holder in self._long_lived:
                    continue
                for obj in {of[target] for target in members(content)}:
                    self._holders.setdefault(obj, set()).add(holder)
        return self._holders
