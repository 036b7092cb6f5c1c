"""Locations that no access of the program tells apart become one class.

In:    MemoryFacts, Accesses.     Out: Classes; sets of locations translate to sets of classes.
Example: 5,000 list nodes made at 5,000 call sites of a wrapper, always reached through the same
         pointers: one class. Accesses {a, b} and {b}: classes {a}, {b}.
Method: each distinct access set gets a random number; a location's signature is the sum over the sets
       it is in. Equal signatures are one class. (Two unequal memberships with equal 64-bit sums would
       be merged, which is sound.) Stack locations stay apart: locality and strong updates are theirs.
Models: `distinct` makes every location a class, `top-level` makes one class of all.
Why it is exact: every access set is a union of classes, so every rule of Figs. 3, 4 and 6 that asks
       whether sets overlap has the same answer on classes (docs/decisions/0030).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from heapflow.memssa.accesses import Accesses
from heapflow.memssa.config import MemoryModel
from heapflow.memssa.facts import LocationKind, MemoryFacts
from heapflow.support.bitset import from_members, member_array, members


@dataclass(frozen=True)
class Classes:
    """Columns by class; `translate` maps sets of locations to sets of classes."""

    of_location: list[int]  # -1: no access can find a tracked allocation there
    kind: list[int]  # LocationKind
    owner: list[int]
    first: list[int]  # the smallest location in the class: its name in dumps
    size: list[int]
    _known: dict[int, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.kind)

    def translate(self, places: int) -> int:
        known = self._known.get(places)
        if known is None:
            of_location = self.of_location
            found = {of_location[place] for place in members(places)}
            found.discard(-1)
            known = self._known[places] = from_members(found)
        return known


def partition_locations(
    memory: MemoryFacts, accesses: Accesses, held: int, model: MemoryModel
) -> Classes:
    """The coarsest partition that every access respects."""
    count = len(memory.kind)
    signature = np.zeros(count, dtype=np.uint64)
    random = np.random.default_rng(20140214)
    for places in _access_sets(accesses):
        signature[member_array(places)] += random.integers(1, 1 << 63, dtype=np.uint64)
    relevant = member_array(held) if held else np.zeros(0, dtype=np.int64)
    numbers: dict[tuple[int, int], int] = {}
    of_location = [-1] * count
    first: list[int] = []
    size: list[int] = []
    for place in relevant.tolist():
        match model:
            case MemoryModel.TOP_LEVEL:
                key = (0, 0)
            case MemoryModel.DISTINCT:
                key = (1, place)
            case MemoryModel.REGIONS:
                heap = memory.kind[place] == LocationKind.HEAP
                key = (0, int(signature[place])) if heap else (1, place)
        number = numbers.setdefault(key, len(numbers))
        if number == len(first):
            first.append(place)
            size.append(0)
        of_location[place] = number
        size[number] += 1
    if model == MemoryModel.TOP_LEVEL:
        kind, owner = [int(LocationKind.HEAP)] * len(first), [-1] * len(first)
    else:
        kind = [memory.kind[place] for place in first]
        owner = [memory.owner[place] for place in first]
    return Classes(of_location, kind, owner, first, size)


def _access_sets(accesses: Accesses) -> list[int]:
    """Distinct sets in program order, so that the numbering is stable."""
    found: dict[int, None] = {}
    for events in accesses.by_func.values():
        for event in events:
            for places in event.reads + event.writes:
                found[places] = None
    return list(found)
