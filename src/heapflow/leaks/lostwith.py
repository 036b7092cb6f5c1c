"""What an owner that leaks takes along, though the release of other elements seems to free it.

In:    an owner that may be lost, and the flow of a block in it.     Out: whether it is lost, too.
Paper: TSE'14 Fig. 13 (e): an entry and its name, lost when the tree refuses the entry.
The elements of a tree are one object to us, so `users_free(users.root)` seems to free the name of any
user. But a name is read out of its user: where no pointer to that user gets to, its name is not freed.
The owner's flow was followed to its end, as it leaks, and tells where pointers to it get to.
"""

from __future__ import annotations

from heapflow.flow.flow import Flow, FlowEngine, Scope, Source, Summaries, Track, address_of, follow
from heapflow.ir.ids import InstrId, LocationSetId, ObjectId, ValueId
from heapflow.leaks.verdict import Verdict
from heapflow.logic.space import Guard
from heapflow.svfg.graph import VRule


def is_told_apart(owner: Verdict) -> bool:
    """Whether the owner's flow says where pointers to it get to."""
    flow = owner.flow
    return flow.decided and not flow.is_cut and not owner.source.is_rest


def follow_inside(
    summaries: Summaries, source: Source, owner: Verdict, fresh: frozenset[ObjectId]
) -> Flow:
    """Follow a block; what is read out of `owner` is read only where pointers to that get to."""
    start, places, scope = source.starts, source.places, _InOwner(source, owner)
    return follow(summaries, source.func, start, fresh, places, whole=True, scope=scope)


def lies_inside(engine: FlowEngine, source: Source, flow: Flow, owner: Source) -> Guard:
    """The condition under which a block lies in an object and in nothing else."""
    lists, space = engine.lists, engine.space
    return space.any_of(
        guard & ~engine.replacements.of(lists.only_from[node])
        for (node, held), guard in flow.reached.items()
        if held >= 0 and _is_in(lists.objects_at(held), owner, source)
    )


def _is_in(objects: frozenset[int], owner: Source, source: Source) -> bool:
    return bool(objects) and objects <= owner.objects and objects.isdisjoint(source.objects)


class _InOwner(Scope):
    """The whole function, for a block that lies in one owner."""

    def __init__(self, source: Source, owner: Verdict) -> None:
        self.source, self.owner = source, owner
        self.sites: dict[InstrId, Guard] | None = None  # where a call may see the owner

    def at_call(self, track: Track, held: LocationSetId, site: InstrId, guard: Guard) -> Guard:
        return guard & self._seen_by(track, site) if self._is_inside(track, held) else guard

    def reads(self, track: Track, held: LocationSetId, value: ValueId) -> Guard:
        found = super().reads(track, held, value)
        if not self._is_inside(track, held):
            return found
        load = track.guards.context.code.instr_of(value)
        operands = track.guards.context.code.operands(load) if load >= 0 else ()
        return found & self._carries(track, operands[0]) if operands else found

    def _is_inside(self, track: Track, held: LocationSetId) -> bool:
        objects = track.lists.objects_at(held) if held >= 0 else frozenset[int]()
        return _is_in(objects, self.owner.source, self.source)

    def _carries(self, track: Track, address: ValueId) -> Guard:
        """The condition under which an address is one in the owner."""
        pointer, _ = address_of(track.engine.book, address)
        nodes = track.lists.svfg.node_of_value
        states = {(int(nodes[value]), -1) for value in (address, pointer)}
        reached = self.owner.flow.reached
        return track.space.any_of(reached[state] for state in sorted(states) if state in reached)

    def _seen_by(self, track: Track, site: InstrId) -> Guard:
        """The condition under which a call is given the owner, or finds it in memory."""
        if self.sites is None:
            self.sites = self._find_sites(track)
        found = self.sites.get(site, track.false)
        for value in track.guards.context.code.operands(site):
            found = found | self._carries(track, value)
        return found

    def _find_sites(self, track: Track) -> dict[InstrId, Guard]:
        lists = track.lists
        found: dict[InstrId, Guard] = {}
        for (node, held), guard in self.owner.flow.reached.items():
            passed = [node]
            if held >= 0:
                edges = [edge for edge in lists.forward(node) if lists.rule[edge] == VRule.CSMU_IN]
                passed += [lists.target[edge] for edge in edges]
            for at in passed:
                for edge in lists.forward(at):
                    site = lists.site[edge]
                    if site >= 0:
                        found[site] = found.get(site, track.false) | guard
        return found
