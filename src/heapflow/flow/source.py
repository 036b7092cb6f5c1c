"""A fresh object that is to be followed through one function."""

from __future__ import annotations

from dataclasses import dataclass, field

from heapflow.flow.outcome import State
from heapflow.flow.overwrites import PlacesOf
from heapflow.ir.ids import FuncId, InstrId, LocationSetId, ObjectId
from heapflow.logic.space import Guard


@dataclass(slots=True, eq=False)
class Source:
    """A fresh object in one function."""

    func: FuncId
    site: InstrId  # the call in `func` that gives the object
    chain: tuple[InstrId, ...]  # from the allocating call up to `site`
    starts: list[tuple[State, Guard]]
    exists: Guard
    objects: frozenset[ObjectId]
    callee: int  # the external allocator
    inside: bool = False  # handed over only inside another fresh object
    outside: int = 0  # if inside: the last call in `chain` that gave it as itself
    effect: int = -1
    is_rest: bool = False  # the elements of a list or tree behind the one that is handed over
    # Where it lies in memory that nobody reads: location sets without a node in the graph.
    unread: list[tuple[LocationSetId, Guard]] = field(default_factory=list)
    places: PlacesOf = field(default_factory=dict)  # addresses behind the starts' location sets
    rounded: str = ""  # a limit that conditions of the functions met which hand it over

    @property
    def is_value(self) -> bool:
        """Whether the function gets it as a value, not only in memory."""
        return any(held < 0 for (_, held), _ in self.starts)

    @property
    def key(self) -> tuple[InstrId, tuple[State, ...]]:
        states = [state for state, _ in self.starts]
        states += [(-1, held) for held, _ in self.unread]
        return self.site, tuple(sorted(states))
