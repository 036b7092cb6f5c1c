"""What functions do with fields: who stores, reads, releases, hands on, clears.

In:    Program, CallGraph, models.     Out: `Effects` per function, those of its callees included.
Paper: Ravitch and Liblit, ISMM'13 (ownership by what functions do to their arguments), made
field-sensitive.
Guarantees: callees come first; what a bound leaves out is counted.
Not modelled: order within a function: replay asks about that. Functions that call each other know
each other in part.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

from heapflow.ownership.places import Field, Origin, Root

Place = tuple[Field, Root]


class Done(IntEnum):
    """What an instruction is listed for, with the place, the parameter or the root that it is about."""

    STORE = 0
    RELEASE = 1
    FREE = 2
    CLEAR = 3
    LOAD = 4


@dataclass(slots=True)
class Effects:
    """Of one function. Chains are () for what is not a fresh block."""

    stores: dict[Place, set[tuple[int, ...]]] = field(default_factory=dict)
    # How many calls away it happens: in the function itself 0.
    depth: dict[Place, int] = field(default_factory=dict)  # of stores
    loads: dict[Place, int] = field(default_factory=dict)
    releases: dict[Place, int] = field(default_factory=dict)  # of what the field holds
    hands: set[Field] = field(default_factory=set)  # what it holds goes somewhere else
    frees: dict[int, int] = field(default_factory=dict)  # parameters that are released
    keeps: set[tuple[Field, Root, int]] = field(default_factory=set)  # parameters that are stored
    clears: dict[Root, int] = field(default_factory=dict)  # all fields at once
    returned: set[Origin] = field(default_factory=set)
    shapes: dict[int, set[int]] = field(default_factory=dict)  # parameter -> structs it leads to
    # Fresh blocks that every turn of a loop puts into the same struct.
    looped: set[tuple[Field, tuple[int, ...]]] = field(default_factory=set)
    # Fresh blocks that are stored at an index: which element it is only the caller knows.
    indexed: set[tuple[Field, tuple[int, ...]]] = field(default_factory=set)
    # Fresh blocks that a callee got as an argument and stored: whoever gave them has them, too.
    lent: set[tuple[Field, tuple[int, ...]]] = field(default_factory=set)
    # Members of any type that the function itself stores and reads.
    sets: set[Place] = field(default_factory=set)
    reads: set[Place] = field(default_factory=set)
    resets: set[Place] = field(default_factory=set)  # NULL is stored there
    # Instructions of the function itself that do it, or call who does.
    rows: dict[tuple[Done, object], set[int]] = field(default_factory=dict)

    def fresh_stores(self) -> list[tuple[Place, tuple[int, ...]]]:
        """Fresh blocks that are stored, in a fixed order."""
        return sorted(
            (place, chain) for place, chains in self.stores.items() for chain in chains if chain
        )
