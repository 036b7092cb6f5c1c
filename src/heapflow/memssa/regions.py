"""Memory regions of each function.

In:    Accesses, Classes, ModRef.     Out: Regions of one function (`partition_regions`).
Paper: TSE'14 §4.2.2; docs/paper-map.md row "regions".
Example: f loads through p -> {a, b} and q -> {b}: one region {a, b}, since {b} is a strict subset.
         f calls g, which touches 5,000 locations that f does not: as many regions as f's calls tell
         apart, not 5,000.
Guarantees (`check_regions`): every access is covered by its regions; no region contains another.
Differs from the paper: locations that only calls touch share a region if every call of the function
         treats them alike, where the paper makes one region each (docs/decisions/0030).
Not modelled: overlap of fields through casts (docs/unsoundness.md#field-overlap).
"""

from __future__ import annotations

from collections.abc import Iterable

from heapflow.memssa.config import MemoryModel
from heapflow.support.bitset import members


def partition_regions(
    accessed: Iterable[int], called: Iterable[int], local: int, model: MemoryModel
) -> list[int]:
    """The regions of one function as sets of classes: local ones first, then nonlocal ones.

    `accessed`: distinct sets of its own accesses; `called`: distinct U and D of its calls.
    """
    accessed, called = list(accessed), list(called)
    everything = 0
    for places in accessed + called:
        everything |= places
    own = [1 << number for number in members(everything & local)]
    if model == MemoryModel.DISTINCT:
        return own + [1 << number for number in members(everything & ~local)]
    nonlocal_sets = {places & ~local for places in accessed}
    nonlocal_sets.discard(0)
    shared = without_subsets(nonlocal_sets)
    covered = 0
    for region in shared:
        covered |= region
    rest = everything & ~local & ~covered
    shared += behaviours(rest, called) if rest else []
    return own + sorted(shared, key=lambda region: (region & -region, region))


def without_subsets(sets: set[int]) -> list[int]:
    """The sets that are no strict subset of another."""
    kept: list[int] = []
    for candidate in sorted(sets, key=lambda bits: (-bits.bit_count(), bits)):
        if not any(candidate & other == candidate for other in kept):
            kept.append(candidate)
    return kept


def behaviours(rest: int, called: list[int]) -> list[int]:
    """Split a set until every part lies inside or outside of each of the given sets."""
    parts = [rest]
    for places in called:
        split: list[int] = []
        for part in parts:
            inside = part & places
            if inside and inside != part:
                split += [inside, part ^ inside]
            else:
                split.append(part)
        parts = split
    return parts


def overlapping(regions: list[int], places: int) -> list[int]:
    """Positions of the regions that share a class with a set."""
    return [number for number, region in enumerate(regions) if region & places]
