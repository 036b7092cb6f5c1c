"""What an owner that leaks takes along, though the release of other elements seems to free it.

In:    an owner that may be lost, and the flow of a block in it.     Out: whether it is lost, too.
Paper: TSE'14 Fig. 13 (e): an entry and its name, lost when the tree refuses the entry.
The elements of a tree are one object to us, so `users_free(users.root)` seems to free the name of any
user. But a name is read out of its user: where no pointer to that user gets to, its name is not freed.
The owner's flow was followed to its end, as it leaks, and tells where pointers to it get to.
"""

from __future__ import annotations

from heapflow.leaks.engine import FlowEngine
from heapflow.leaks.flow import ObjectRun
from heapflow.leaks.outcome import Flow, State
from heapflow.leaks.replaced import address_of
from heapflow.leaks.sources import Source
from heapflow.leaks.verdict import Verdict
from heapflow.logic.space import Guard
from heapflow.svfg.graph import VRule


def is_told_apart(owner: Verdict) -> bool:
    """Whether the owner's flow says where pointers to it get to."""
    flow = owner.flow
    return flow.decided and not flow.is_cut and not owner.source.is_rest


def follow_inside(
    engine: FlowEngine, source: Source, owner: Verdict, fresh: frozenset[int]
) -> Flow:
    """Follow a block; what is read out of `owner` is read only where pointers to that get to."""
    return _InsideRun(engine, source, owner, fresh).run(whole=True)


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


class _InsideRun(ObjectRun):
    """A block that lies in one owner."""

    def __init__(
        self, engine: FlowEngine, source: Source, owner: Verdict, fresh: frozenset[int]
    ) -> None:
        self.source, self.owner = source, owner
        self.sites: dict[int, Guard] | None = None  # where a call may see the owner
        super().__init__(engine, source.func, source.starts, fresh, source.places)

    def _is_inside(self, held: int) -> bool:
        objects = self.lists.objects_at(held) if held >= 0 else frozenset[int]()
        return _is_in(objects, self.owner.source, self.source)

    def _call_site(self, state: State, guard: Guard, site: int, edges: list[int]) -> None:
        if self._is_inside(state[1]):
            guard = guard & self._seen_by(site)
        if guard != self.false:
            super()._call_site(state, guard, site, edges)

    def _reads(self, held: int, value: int) -> Guard:
        found = super()._reads(held, value)
        if not self._is_inside(held):
            return found
        load = self.guards.context.instr_of(value)
        operands = self.guards.context.operands(load) if load >= 0 else ()
        return found & self._carries(operands[0]) if operands else found

    def _carries(self, address: int) -> Guard:
        """The condition under which an address is one in the owner."""
        pointer, _ = address_of(self.engine.book, address)
        states = {(self._node_of(value), -1) for value in (address, pointer)}
        reached = self.owner.flow.reached
        return self.space.any_of(reached[state] for state in sorted(states) if state in reached)

    def _node_of(self, value: int) -> int:
        return int(self.lists.svfg.node_of_value[value])

    def _seen_by(self, site: int) -> Guard:
        """The condition under which a call is given the owner, or finds it in memory."""
        if self.sites is None:
            self.sites = self._find_sites()
        found = self.sites.get(site, self.false)
        for value in self.guards.context.operands(site):
            found = found | self._carries(value)
        return found

    def _find_sites(self) -> dict[int, Guard]:
        lists = self.lists
        found: dict[int, Guard] = {}
        for (node, held), guard in self.owner.flow.reached.items():
            passed = [node]
            if held >= 0:
                edges = [edge for edge in lists.forward(node) if lists.rule[edge] == VRule.CSMU_IN]
                passed += [lists.target[edge] for edge in edges]
            for at in passed:
                for edge in lists.forward(at):
                    site = lists.site[edge]
                    if site >= 0:
                        found[site] = found.get(site, self.false) | guard
        return found
