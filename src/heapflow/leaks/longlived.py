"""Objects that global variables lead to: what is stored in them is out of a function's hands.

In:    MemoryFacts.     Out: object ids.
Paper: SMOKE Fig. 8: into globals or memory reachable from them. A function that makes such an object
itself still answers for it until it has handed it on (`Detector`), so that a field lost on the
constructor's error path is found.
"""

from __future__ import annotations

from heapflow.memssa.facts import LocationKind, MemoryFacts
from heapflow.support.bitset import members


def find_long_lived(memory: MemoryFacts) -> frozenset[int]:
    """The objects behind global variables, by any number of loads; the variables themselves too."""
    seen = memory.mask(LocationKind.GLOBAL)
    fresh = seen
    while fresh:
        reached = memory.of_objects(memory.contents(fresh))
        fresh = reached & ~seen
        seen |= reached
    return frozenset(memory.obj[location] for location in members(seen))
