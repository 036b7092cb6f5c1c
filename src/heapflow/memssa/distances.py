"""How far places lie behind a pointer: what a copy of memory takes along and where it puts it."""

from __future__ import annotations

from heapflow.memssa.facts import MemoryFacts
from heapflow.support.bitset import from_members, members


def spread(memory: MemoryFacts, pointed: int, size: int) -> dict[int, int]:
    """Locations of the objects pointed to, by their distance from the pointer (`size` -1: any)."""
    found: dict[int, list[int]] = {}
    for start in members(pointed):
        for location in members(memory.of_objects(1 << start)):
            distance = memory.offset[location] - memory.offset[start]
            if distance >= 0 and (size < 0 or distance < size):
                found.setdefault(distance, []).append(location)
    return {distance: from_members(places) for distance, places in found.items()}


def reached(memory: MemoryFacts, pointed: int, size: int) -> int:
    """All locations of the objects pointed to that lie in the first bytes from the pointer on."""
    found = 0
    for places in spread(memory, pointed, size).values():
        found |= places
    return found
