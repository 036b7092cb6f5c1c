"""What memory SSA asks of the points-to phase, as one value of plain tables.

In:    made by `memssa.adapt` from the points-to result (tests make it by hand).     Out: MemoryFacts.
A *location* is an object and a byte offset in it. Sets of locations are Python integers used as
bitsets. Functions are in the sets too (calls through pointers); `function_mask` cuts them off.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum

from heapflow.support.bitset import from_members, members


class LocationKind(IntEnum):
    """Where a location lives."""

    GLOBAL = 0
    STACK = 1
    COPY = 2  # the callee's copy of a by-value argument, filled by the call
    VARARGS = 3  # the callee's variable arguments, filled by the call
    HEAP = 4
    FUNCTION = 5


@dataclass(frozen=True)
class MemoryFacts:
    """Columns by location, sets by value and location, and the call graph."""

    kind: Sequence[int]  # LocationKind
    obj: Sequence[int]
    offset: Sequence[int]
    owner: Sequence[
        int
    ]  # STACK, COPY, VARARGS: the function; FUNCTION: the function itself; else -1
    single: Sequence[bool]  # one place in memory while its owner runs: no array element
    value_set: Sequence[int]  # per value: where it may point to; 0 if unknown
    content: Sequence[int]  # per location: where its content may point to
    may_carry: Sequence[bool]  # per value: a pointer, or an integer or aggregate that holds one
    callees: Mapping[int, tuple[int, ...]]  # call instruction -> functions, external ones too
    heap_objects: Mapping[int, tuple[int, ...]]  # allocating call -> heap objects
    place: Callable[[int, int], int]  # object, offset -> location; -1 if nothing points there
    name: Callable[[int], str]  # of a location, for people; the same in every run
    # Global objects that serve as a local variable of a function, which is their owner.
    borrowed: Mapping[int, int] = field(default_factory=dict)
    limits_hit: Counter[str] = field(default_factory=Counter)
    one_place: int = 0  # locations that stand for the whole of an object of unknown type

    def mask(self, *kinds: LocationKind) -> int:
        """All locations of some kinds."""
        return from_members(i for i, kind in enumerate(self.kind) if kind in kinds)

    def is_borrowed(self, value: int) -> bool:
        """Whether a value is the address of a borrowed global."""
        places = members(self.value_set[value]) if self.borrowed else []
        return bool(places) and all(self.obj[place] in self.borrowed for place in places)

    def of_objects(self, locations: int) -> int:
        """All locations of the objects of some locations."""
        by_obj = self._by_object()
        bits = 0
        for obj in {self.obj[location] for location in members(locations)}:
            bits |= by_obj[obj]
        return bits

    def of_object(self, obj: int) -> int:
        """All locations of one object."""
        return self._by_object().get(obj, 0)

    def _by_object(self) -> dict[int, int]:
        known: dict[int, int] | None = self.__dict__.get("_object_sets")
        if known is None:
            listed: dict[int, list[int]] = {}
            for location, obj in enumerate(self.obj):
                listed.setdefault(obj, []).append(location)
            known = {obj: from_members(found) for obj, found in listed.items()}
            self.__dict__["_object_sets"] = known
        return known

    def contents(self, locations: int) -> int:
        """Where the contents of some locations may point to."""
        bits = 0
        for location in members(locations):
            bits |= self.content[location]
        return bits
