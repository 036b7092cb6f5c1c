"""What happens to an object from one state on: sinks, edges inside the function, calls.

In:    a state of the object with its guard.     Out: outcomes and further states, in the `Track`.
Paper: TSE'14 Fig. 6 (the V-rules that made the edges), §5 (guards of value-flow paths).
"""

from __future__ import annotations

from typing import Final

from heapflow.flow.calls import Calls
from heapflow.flow.effects import effect_guard
from heapflow.flow.outcome import State
from heapflow.flow.track import Track
from heapflow.logic.space import Guard
from heapflow.svfg.graph import NodeKind, VRule

_TO_MEMORY: Final = frozenset({VRule.CHI_VALUE, VRule.TRANSFER, VRule.MODEL})
_PHIS: Final = frozenset({VRule.PHI, VRule.REGION_PHI})
# As plain names: looking a member of an enum up is slow, and these are asked for every edge.
_SELECT: Final = int(VRule.SELECT)
_CHI_OLD: Final = int(VRule.CHI_OLD)
_CSCHI_OLD: Final = int(VRule.CSCHI_OLD)
_CHI_VALUE: Final = int(VRule.CHI_VALUE)
_MU: Final = int(VRule.MU)
_CSMU_IN: Final = int(VRule.CSMU_IN)
_MODELLED: Final = frozenset({VRule.TRANSFER, VRule.MODEL})
_EXIT: Final = int(NodeKind.EXIT)
_VALUE: Final = int(NodeKind.VALUE)
_FROM_REGION: Final = frozenset({VRule.MU, VRule.CSMU_IN, VRule.TRANSFER, VRule.MODEL})


class Transfer:
    """Leaves states of one run."""

    def __init__(self, track: Track) -> None:
        self.track, self.calls, self.engine = track, Calls(track), track.engine
        self.lists, self.space, self.guards = track.lists, track.space, track.guards
        self.flow, self.outcomes, self.places = track.flow, track.outcomes, track.places

    def leave(self, state: State, guard: Guard) -> None:
        """All that the object does from one state on."""
        node, held = state
        lists = self.lists
        for row in lists.frees.get(node, ()):
            self._free(row, guard)
        for row in lists.escapes.get(node, ()):
            self._escape(row, guard)
        for instr in lists.returns.get(node, ()):
            block = self.guards.context.code.instr_block[instr]
            here = guard & self.guards.leave.get(block, self.space.false)
            self.flow.returned = self.flow.returned | here
        if lists.kind[node] == _EXIT:
            known = self.flow.outs.get(state, self.space.false)
            self.flow.outs[state] = known | guard
        inside, calls = lists.steps(node)
        for edge in inside:
            self._intra(state, guard, edge)
        for site, edges in calls:
            if held >= 0:
                seen = lists.locations
                edges = [edge for edge in edges if self.track.meets(held, seen[lists.target[edge]])]
            if edges:
                self.calls.pass_object(state, guard, site, edges)

    def _free(self, row: int, guard: Guard) -> None:
        lists = self.lists
        instr = lists.free_instr[row]
        if not self.track.scope.has(self.track, instr):
            return
        block = self.guards.context.code.instr_block[instr]
        effect = lists.svfg.effects[lists.free_effect[row]]
        here = guard & self.guards.reach_at(instr) & effect_guard(self.guards, instr, effect)
        here = self.track.at_least_once(here, block)
        self.outcomes.add(block, freed=here)
        self.flow.frees.append((instr, here))

    def _escape(self, row: int, guard: Guard) -> None:
        lists = self.lists
        instr = lists.escape_instr[row]
        if not self.track.scope.has(self.track, instr):
            return
        block = self.guards.context.code.instr_block[instr]
        here = guard & self.guards.reach_at(instr)
        index = lists.escape_effect[row]
        if index >= 0:
            here = here & effect_guard(self.guards, instr, lists.svfg.effects[index])
        here = self.track.at_least_once(here, block)
        self.outcomes.add(block, escaped=here)
        self.flow.escapes.append((instr, here))

    def _intra(self, state: State, guard: Guard, edge: int) -> None:
        node, held = state
        lists = self.lists
        rule, target = lists.rule[edge], lists.target[edge]
        block = lists.block[target]
        if held >= 0 and rule in _FROM_REGION and not self.track.meets(held, lists.gate[edge]):
            return
        if rule in _PHIS:
            guard = guard & self.engine.edge_into(self.guards, lists.edge_block[edge], block)
            if guard == self.track.false:
                return
        elif block != lists.block[node] or rule == _SELECT:
            here = self.track.reach_of(block)
            if here != self.track.reach_of(lists.block[node]):  # else the guard has it already
                guard = guard & here
            if rule == _SELECT:
                chosen = self.guards.condition(lists.condition[edge])
                guard = guard & (chosen if lists.side[edge] else ~chosen)
            if guard == self.track.false:
                return
        if rule in _MODELLED and lists.effect[edge] >= 0:
            guard = guard & self._happens(edge)
        if rule == _CSMU_IN and held >= 0 and not self.calls.do_something(target, held):
            return
        if lists.kind[target] == _VALUE:
            if rule == _MU and held >= 0:
                load = self.guards.context.code.instr_of(lists.value[target])
                if self.places.cleared(held, load):
                    return
                guard = guard & self.track.scope.reads(self.track, held, lists.value[target])
            held = -1
        elif held < 0 or rule in _TO_MEMORY:
            held = lists.lands[edge] if lists.lands[edge] >= 0 else lists.locations[target]
            self.places.stored(target, rule == _CHI_VALUE)
            if self.track.is_out_of_hand(held):
                here = self.track.at_least_once(guard, block)
                self.outcomes.add(block, escaped=here)
                self.flow.escapes.append((lists.instr[target], here))
                return
        elif rule == _CHI_OLD and self.places.replaced_by_store(held, target):
            return
        elif rule == _CSCHI_OLD:
            guard = guard & ~self.places.replaced_by_call(held, lists.instr[target])
            if lists.effect[edge] >= 0:
                guard = guard & ~self._happens(edge)
        self.track.edge = edge
        self.track.reach((target, held), guard, state)
        self.track.edge = -1

    def _happens(self, edge: int) -> Guard:
        """The condition under which a library function does what a labelled edge stands for."""
        effect = self.lists.svfg.effects[self.lists.effect[edge]]
        return effect_guard(self.guards, self.lists.instr[self.lists.target[edge]], effect)
