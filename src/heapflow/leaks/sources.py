"""Sources: fresh objects, where they are made and wherever a callee hands one over.

Paper: TSE'14 heap cloning carried to its end; SPARROW's Alloc2Ret and Alloc2Arg. An object that
leaves its function through the result or through memory of the caller is a source of its own at each
call site, under the condition under which it was handed over.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from heapflow.guards.book import GuardBook
from heapflow.leaks.config import LeakConfig
from heapflow.leaks.effects import effect_guard
from heapflow.leaks.lists import GraphLists
from heapflow.leaks.outcome import State
from heapflow.leaks.overwrites import Overwrites, PlacesOf
from heapflow.logic.space import Guard
from heapflow.models.model import Family


@dataclass(slots=True, eq=False)
class Source:
    """A fresh object in one function."""

    func: int
    site: int  # the call in `func` that gives the object
    chain: tuple[int, ...]  # from the allocating call up to `site`
    starts: list[tuple[State, Guard]]
    exists: Guard
    objects: frozenset[int]
    callee: int  # the external allocator
    inside: bool = False  # handed over only inside another fresh object
    outside: int = 0  # if inside: the last call in `chain` that gave it as itself
    effect: int = -1
    is_rest: bool = False  # the elements of a list or tree behind the one that is handed over
    # Where it lies in memory that nobody reads: location sets without a node in the graph.
    unread: list[tuple[int, Guard]] = field(default_factory=list)
    places: PlacesOf = field(default_factory=dict)  # addresses behind the starts' location sets
    rounded: str = ""  # a limit that conditions of the functions met which hand it over

    @property
    def is_value(self) -> bool:
        """Whether the function gets it as a value, not only in memory."""
        return any(held < 0 for (_, held), _ in self.starts)

    @property
    def key(self) -> tuple[int, tuple[State, ...]]:
        states = [state for state, _ in self.starts]
        states += [(-1, held) for held, _ in self.unread]
        return self.site, tuple(sorted(states))


def direct_sources(
    lists: GraphLists, book: GuardBook, config: LeakConfig, families: Mapping[str, Family]
) -> dict[int, list[Source]]:
    """Allocating calls by function."""
    svfg = lists.svfg
    found: dict[int, list[Source]] = {}
    table = svfg.sources
    start = table.obj_start.tolist()
    objects = table.obj.tolist()
    overwrites = Overwrites(lists, book)
    for row in range(len(table)):
        effect = svfg.effects[int(table.effect[row])]
        family = families.get(getattr(effect, "family", ""))
        if family is not None and (family.arena or family.kind.value not in config.families):
            continue
        node, site = int(table.node[row]), int(table.instr[row])
        func = lists.func[node]
        guards = book.guards(func)
        block = guards.context.instr_block[site]
        exists = guards.reach.get(block, book.space.false) & effect_guard(guards, site, effect)
        held = -1 if lists.is_value(node) else lists.locations[node]
        source = Source(
            func=func,
            site=site,
            chain=(site,),
            starts=[((node, held), exists)],
            exists=exists,
            objects=frozenset(objects[start[row] : start[row + 1]]),
            callee=int(table.callee[row]),
            effect=int(table.effect[row]),
            places={} if held < 0 else {held: overwrites.filled_by_model(site)},
        )
        found.setdefault(func, []).append(source)
    return found
