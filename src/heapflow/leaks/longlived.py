"""Objects that global variables lead to: what is stored in them is out of a function's hands.

In:    MemoryFacts.     Out: object ids.
Paper: SMOKE Fig. 8: into globals or memory reachable from them. A function that makes such an object
itself still answers for it until it has handed it on (`Detector`), so that a field lost on the
constructor's error path is found.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from heapflow.ir.ids import ObjectId
from heapflow.memssa.facts import LocationKind, MemoryFacts
from heapflow.support.bitset import members


def find_long_lived(memory: MemoryFacts) -> frozenset[ObjectId]:
    """The objects behind global variables, by any number of loads; the variables themselves too."""
    seen = memory.mask(LocationKind.GLOBAL)
    fresh = seen
    while fresh:
        reached = memory.of_objects(memory.contents(fresh))
        fresh = reached & ~seen
        seen |= reached
    of = object_of(memory)
    return frozenset(of[location] for location in members(seen))


def object_of(memory: MemoryFacts) -> Sequence[ObjectId]:
    """By location: the object in which it lies."""
    return cast("Sequence[ObjectId]", memory.obj)
