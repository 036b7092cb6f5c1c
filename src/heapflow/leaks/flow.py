"""Guarded reachability of one object inside one function.

In:    start nodes with guards; the value-flow graph; guards; summaries of callees.     Out: `Flow`.
Paper: TSE'14 §5 (all-path detection), SMOKE §5 (summaries).
The guard of a node is the disjunction, over value-flow paths to it, of the reach conditions of the
blocks on the path and of the φ edges taken. A call is passed with the callee's summary, renamed for the
call site.
Guarantees: terminates (guards only grow; steps are bounded); a bound that is hit makes the flow
undecided.
"""

from __future__ import annotations

import heapq
from typing import Final

from heapflow.guards.identity import identity_facts, store_facts
from heapflow.ir.kinds import CALLS, Op
from heapflow.leaks.effects import effect_guard
from heapflow.leaks.engine import FlowEngine
from heapflow.leaks.outcome import Flow, State
from heapflow.leaks.overwrites import PlacesOf
from heapflow.leaks.passing import Passing
from heapflow.leaks.sharing import Comparisons
from heapflow.logic.space import Guard
from heapflow.logic.term import Term, Val
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
_LOAD: Final = int(Op.LOAD)
_VALUE: Final = int(NodeKind.VALUE)
_FROM_REGION: Final = frozenset({VRule.MU, VRule.CSMU_IN, VRule.TRANSFER, VRule.MODEL})


def follow(
    engine: FlowEngine,
    func: int,
    starts: list[tuple[State, Guard]],
    fresh: frozenset[int] = frozenset(),
    places: PlacesOf | None = None,
    most_steps: int = 0,
    most_nodes: int = 0,
    whole: bool = False,
    compared: Comparisons | None = None,
) -> Flow:
    """Follow an object from its start nodes through function `func`.

    `fresh`: objects that the function makes itself, and so answers for.
    `places`: addresses behind the location sets in which it lies at the start.
    `whole`: also where it is known to be freed or out of our hands in any case.
    `compared`: takes down what the location set is compared with in which the object comes.
    """
    return ObjectRun(engine, func, starts, fresh, places, compared).run(
        most_steps, whole, most_nodes
    )


class ObjectRun(Passing):
    """One object's way through one function."""

    def run(self, most_steps: int = 0, whole: bool = False, most_nodes: int = 0) -> Flow:
        config, steps = self.engine.config, 0
        most_steps = most_steps or config.most_steps
        most_nodes = most_nodes or config.most_nodes
        check = self.guards.context.check
        while self.queue:
            check()
            _, node, held = heapq.heappop(self.queue)
            state = (node, held)
            self.queued.discard(state)
            steps += 1
            if steps > most_steps or len(self.flow.reached) > most_nodes:
                many = len(self.flow.reached) > most_nodes
                self.outcomes.give_up("leaks.most-nodes" if many else "leaks.most-steps")
                break
            self._leave(state, self.flow.reached[state])
            if self.outcomes.overfull or (not whole and self.outcomes.are_final()):
                self.flow.is_cut = not self.outcomes.overfull
                break
        self.outcomes.settle()
        self.flow.assume = self._assumptions() & self.assumed_on_the_way
        return self.flow

    def _leave(self, state: State, guard: Guard) -> None:
        node, held = state
        lists = self.lists
        for row in lists.frees.get(node, ()):
            self._free(row, guard, held)
        for row in lists.escapes.get(node, ()):
            self._escape(row, guard)
        for instr in lists.returns.get(node, ()):
            block = self.guards.context.instr_block[instr]
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
                edges = [edge for edge in edges if self._meets(held, seen[lists.target[edge]])]
            if edges:
                self._call_site(state, guard, site, edges)

    def _free(self, row: int, guard: Guard, held: int) -> None:
        lists = self.lists
        instr = lists.free_instr[row]
        block = self.guards.context.instr_block[instr]
        effect = lists.svfg.effects[lists.free_effect[row]]
        here = guard & self.guards.reach_at(instr) & effect_guard(self.guards, instr, effect)
        here = self._at_least_once(here, block)
        self.outcomes.add(block, freed=here)
        self.flow.frees.append((instr, here))

    def _escape(self, row: int, guard: Guard) -> None:
        lists = self.lists
        instr = lists.escape_instr[row]
        block = self.guards.context.instr_block[instr]
        here = guard & self.guards.reach_at(instr)
        index = lists.escape_effect[row]
        if index >= 0:
            here = here & effect_guard(self.guards, instr, lists.svfg.effects[index])
        here = self._at_least_once(here, block)
        self.outcomes.add(block, escaped=here)
        self.flow.escapes.append((instr, here))

    def _intra(self, state: State, guard: Guard, edge: int) -> None:
        node, held = state
        lists = self.lists
        rule, target = lists.rule[edge], lists.target[edge]
        block = lists.block[target]
        if held >= 0 and rule in _FROM_REGION and not self._meets(held, lists.gate[edge]):
            return
        if rule in _PHIS:
            guard = guard & self.engine.edge_into(self.guards, lists.edge_block[edge], block)
            if guard == self.false:
                return
        elif block != lists.block[node] or rule == _SELECT:
            here = self._reach_of(block)
            if here != self._reach_of(lists.block[node]):  # else the guard has it already
                guard = guard & here
            if rule == _SELECT:
                chosen = self.guards.condition(lists.condition[edge])
                guard = guard & (chosen if lists.side[edge] else ~chosen)
            if guard == self.false:
                return
        if rule in _MODELLED and lists.effect[edge] >= 0:
            guard = guard & self._happens(edge)
        if rule == _CSMU_IN and held >= 0 and not self._does_something(target, held):
            return
        if lists.kind[target] == _VALUE:
            if rule == _MU and held >= 0:
                if self._is_cleared(held, lists.value[target]):
                    return
                guard = guard & self._reads(held, lists.value[target])
            held = -1
        elif held < 0 or rule in _TO_MEMORY:
            held = lists.lands[edge] if lists.lands[edge] >= 0 else lists.locations[target]
            self.places.stored(target, rule == _CHI_VALUE)
            if self._is_out_of_hand(held):
                here = self._at_least_once(guard, block)
                self.outcomes.add(block, escaped=here)
                self.flow.escapes.append((lists.instr[target], here))
                return
        elif rule == _CHI_OLD and self.places.replaced_by_store(held, target):
            return
        elif rule == _CSCHI_OLD:
            guard = guard & ~self.places.replaced_by_call(held, lists.instr[target])
            if lists.effect[edge] >= 0:
                guard = guard & ~self._happens(edge)
        self._reach((target, held), guard, state)

    def _is_cleared(self, held: int, value: int) -> bool:
        return self.places.cleared(held, self.guards.context.instr_of(value))

    def _reads(self, held: int, value: int) -> Guard:
        """The condition under which a load reads the element of an array that holds the object."""
        stored, load = self.places.stored_at(held), self.guards.context.instr_of(value)
        if stored is None or load < 0 or self.guards.context.op[load] != _LOAD:
            return self.space.true
        reads, is_so = self.engine.reads(self.guards, stored, load)
        self.assumed_on_the_way = self.assumed_on_the_way & is_so
        return reads

    def _happens(self, edge: int) -> Guard:
        """The condition under which a library function does what a labelled edge stands for."""
        effect = self.lists.svfg.effects[self.lists.effect[edge]]
        return effect_guard(self.guards, self.lists.instr[self.lists.target[edge]], effect)

    def _is_certain(self, node: int) -> bool:
        """Whether a value that may carry the object has it in the last turn of its loops, too.

        A call in a loop that gives an object from before the loop gives something else in the end.
        """
        context = self.guards.context
        instr = context.instr_of(self.lists.value[node])
        if instr < 0 or context.op[instr] not in CALLS:
            return True
        loops = self.guards.cfg.loops_of.get(context.instr_block[instr], ())
        return all(index in self.start_loops for index in loops)

    def _assumptions(self) -> Guard:
        """A pointer to the object is not NULL and is no other object's address (SABER: "decided")."""
        lists, false = self.lists, self.space.false
        carriers: dict[Term, Guard] = {}
        for state, guard in self.flow.reached.items():
            node, held = state
            if held < 0 and lists.is_value(node) and self._is_certain(node):
                value = lists.value[node]
                split = self.guards.cases(value)
                if len(split) > 1:  # conditions that were rounded are about the value as such
                    carriers[Val(value)] = guard
                for case, term in split:
                    carriers[term] = carriers.get(term, false) | (guard & case)
        found = identity_facts(self.guards.context, carriers, self.is_fresh)
        return found & store_facts(self.guards, carriers) if self.is_fresh else found
