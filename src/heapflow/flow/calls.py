"""What calls do to an object: the callee's summary, renamed for the call.

In:    a state of the object at a call.     Out: what the call adds to its outcome and states.
Paper: SMOKE §5 (summaries); SPARROW (loops).
"""

from __future__ import annotations

from typing import Final

from heapflow.flow.outcome import State
from heapflow.flow.sharing import Comparisons
from heapflow.flow.track import Track
from heapflow.ir.ids import NO_NODE, BlockId, FuncId, InstrId, LocationSetId, NodeId
from heapflow.logic.space import Guard
from heapflow.svfg.graph import NodeKind

_EXIT: Final = int(NodeKind.EXIT)


class Calls:
    """An object that is given to calls, or that calls see in memory."""

    def __init__(self, track: Track) -> None:
        self.track, self.engine, self.summaries = track, track.engine, track.summaries
        self.lists, self.space, self.guards = track.lists, track.space, track.guards
        self.flow, self.outcomes, self.places = track.flow, track.outcomes, track.places
        self.compared, self.entered = track.compared, track.entered

    def pass_object(self, state: State, guard: Guard, site: InstrId, edges: list[int]) -> None:
        """The object is passed to a call, or the call sees it in memory."""
        scope = self.track.scope
        if not scope.has(self.track, site):
            return
        guard = scope.at_call(self.track, state[1], site, guard)
        if guard == self.track.false:
            return
        if len(edges) > self.engine.config.most_callees:
            self._call_anyone(state, guard, site, edges)
            return
        for edge in edges:
            if not self.outcomes.overfull:
                self._call(state, guard, edge)

    def do_something(self, passed: NodeId, held: LocationSetId) -> bool:
        """Whether a call may do something with an object in memory that it sees through a node.

        Most calls do not: not going there, where that is known, saves many steps.
        """
        lists, idle = self.lists, self.engine.idle
        if lists.kind[passed] == _EXIT or passed in lists.frees or passed in lists.escapes:
            return True
        inside, calls = lists.steps(passed)
        if inside:
            return True  # the memory after the call comes from here, too
        untouched: list[NodeId] = []
        for _, edges in calls:
            for formal in (lists.target[edge] for edge in edges):
                if lists.meets(held, formal):
                    if (formal, lists.narrow(held, formal)) not in idle:
                        return True
                    untouched.append(formal)
        for formal in untouched:
            self.compared.use(idle[formal, lists.narrow(held, formal)])
        if held == self.entered:
            self._note_untouched(held, calls, untouched)
        return False

    def _note_untouched(
        self, held: LocationSetId, calls: list[tuple[InstrId, list[int]]], untouched: list[NodeId]
    ) -> None:
        """What it takes for calls to do nothing: not to see the object, or to leave it alone."""
        lists, idle = self.lists, self.engine.idle
        for _, edges in calls:
            for edge in edges:
                self.track.meets(held, lists.locations[lists.target[edge]])
        for formal in untouched:
            self._include(formal, idle[formal, lists.narrow(held, formal)])

    def _include(self, formal: NodeId, compared: Comparisons | None) -> None:
        """The comparisons of a callee's summary count for those who use it."""
        self.compared.include(compared, self.lists.bits_at(formal))

    def _call(self, state: State, guard: Guard, edge: int) -> None:
        node, held = state
        lists, book = self.lists, self.engine.book
        site, formal = lists.site[edge], lists.target[edge]
        block = self.guards.context.code.instr_block[site]
        callee = lists.func[formal]
        summary = self.summaries.of(formal, lists.narrow(held, formal))
        self.compared.use(summary.compared)
        if held == self.entered:
            self._include(formal, summary.compared)
        if summary.is_idle:
            return
        here = self._at(site, guard, node)
        if held >= 0 and self.places.cleared(held, site):
            return
        flow = self.flow
        flow.rounded = flow.rounded or summary.rounded
        if not summary.decided:
            self.outcomes.give_up(summary.limit)
        if summary.assume is not None and not self.space.is_true(summary.assume):
            assumed = ~here | book.instantiate(summary.assume, site, callee)
            track = self.track
            track.assumed_on_the_way = self._round_off(track.assumed_on_the_way & assumed)
        if not self.space.is_false(summary.freed):
            freed = self.engine.at_call(summary.freed, site, callee)
            freed = self.track.at_least_once(here & freed, block)
            self.outcomes.add(block, freed=freed)
            if not self.space.is_false(freed):
                flow.frees += [(instr, here) for instr, _ in summary.frees]
        if not self.space.is_false(summary.escaped):
            escaped = here & self.engine.at_call(summary.escaped, site, callee)
            self.outcomes.add(block, escaped=self.track.at_least_once(escaped, block))
        if not self.space.is_false(summary.returned):
            back = here & book.instantiate(summary.returned, site, callee)
            result = self._result_node(site)
            if result >= 0:
                self.track.reach((result, -1), back, state)
        self._left_unread(summary.unread, here, site, callee)
        for (exit_node, exit_held), out in summary.outs.items():
            back = here & self.engine.at_call(out, site, callee)
            if held >= 0 and exit_held == lists.narrow(held, formal):
                back = back & ~self.places.replaced_by_call(held, site)
                self.places.same(exit_held, held)
            else:
                self.places.handed_over(exit_held, site, summary.places)
            self._come_back(state, exit_node, exit_held, site, back)

    def _at(self, site: InstrId, guard: Guard, node: NodeId) -> Guard:
        """A node's condition where control gets to a call; that of its block it has already."""
        reach = self.guards.reach_at(site)
        return guard if reach == self.track.reach_of(self.lists.block[node]) else guard & reach

    def _left_unread(
        self, unread: dict[LocationSetId, Guard], here: Guard, site: InstrId, callee: FuncId
    ) -> None:
        """The callee left the object where nobody looks: the graph does not lead on from there."""
        for held, guard in unread.items():
            back = here & self.engine.at_call(guard, site, callee)
            if self.track.is_out_of_hand(held):
                block = self._block_of(site)
                self.outcomes.add(block, escaped=self.track.at_least_once(back, block))
                self.flow.escapes.append((site, back))
            elif not self.space.is_false(back):
                known = self.flow.unread.get(held, self.space.false)
                self.flow.unread[held] = self._round_unread(known | back, site)

    def _round_unread(self, guard: Guard, site: InstrId) -> Guard:
        if self.space.size(guard) <= self.engine.config.most_guard_nodes:
            return guard
        self.engine.limits_hit["value-flow guard too large"] += 1
        self.flow.rounded = self.flow.rounded or "leaks.most-guard-nodes"
        return self.track.reach_of(self._block_of(site))

    def _block_of(self, instr: InstrId) -> BlockId:
        return self.guards.context.code.instr_block[instr]

    def _call_anyone(self, state: State, guard: Guard, site: InstrId, edges: list[int]) -> None:
        """A call by pointer with many targets: if one of them takes the object, it is taken.

        Which one is called is not known here, and their conditions together tell nothing. Through
        memory they see much that they never look at: there, being able to act is enough.
        """
        lists, space, held = self.lists, self.space, state[1]
        self.engine.limits_hit["targets of a call by pointer"] += 1
        taken = held >= 0
        for edge in edges:
            if taken:
                break
            summary = self.summaries.of(lists.target[edge], held)
            taken = not summary.decided or not (
                space.is_false(summary.freed | summary.escaped | summary.returned)
                and not summary.outs
                and not summary.unread
            )
        if taken:
            self.flow.rounded = self.flow.rounded or "leaks.most-callees"
            here = guard & self.guards.reach_at(site)
            here = self.track.at_least_once(here, self._block_of(site))
            self.outcomes.add(self._block_of(site), escaped=here)
            self.flow.escapes.append((site, here))

    def _round_off(self, assumed: Guard) -> Guard:
        """Assumptions are optional: too large a conjunction is given up."""
        if self.space.size(assumed) <= self.engine.config.most_assumed_nodes:
            return assumed
        self.engine.limits_hit["assumption too large"] += 1
        return self.space.true

    def _result_node(self, site: InstrId) -> NodeId:
        value = self.guards.context.code.result[site]
        return NodeId(int(self.lists.svfg.node_of_value[value])) if value >= 0 else NO_NODE

    def _come_back(
        self, state: State, exit_node: NodeId, held: LocationSetId, site: InstrId, guard: Guard
    ) -> None:
        lists = self.lists
        for target in lists.come_back.get((exit_node, site), ()):
            if lists.meets(held, target):
                part = lists.narrow(held, target)
                self.places.same(part, held)
                self.track.reach((target, part), guard, state)
