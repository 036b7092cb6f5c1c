"""Guarded reachability of one object inside one function.

In:    start nodes with guards; the value-flow graph; guards; summaries of callees.     Out: `Flow`.
Paper: TSE'14 §5 (all-path detection), SMOKE §5 (summaries); spec 2 "Guards".
The guard of a node is the disjunction, over value-flow paths to it, of the reach conditions of the
blocks on the path and of the φ edges taken. A call is passed with the callee's summary, renamed for the
call site.
Guarantees: terminates (guards only grow; steps are bounded); a bound that is hit makes the flow
undecided.
"""

from __future__ import annotations

import heapq
from typing import Final

from heapflow.guards.bdd import Guard
from heapflow.guards.function import FunctionGuards
from heapflow.guards.identity import identity_facts, is_older, store_facts
from heapflow.guards.terms import Term, constant_of
from heapflow.ir.kinds import CALLS, Op, ValueKind
from heapflow.leaks.counts import is_unknown
from heapflow.leaks.effects import effect_guard
from heapflow.leaks.engine import MOST_TO_FORGET, FlowEngine
from heapflow.leaks.outcome import Flow, State
from heapflow.leaks.overwrites import Places, PlacesOf
from heapflow.leaks.settled import Outcomes
from heapflow.leaks.sharing import Comparisons
from heapflow.svfg.graph import NodeKind, VRule

_TO_MEMORY = frozenset({VRule.CHI_VALUE, VRule.TRANSFER, VRule.MODEL})
_PHIS = frozenset({VRule.PHI, VRule.REGION_PHI})
# As plain names: looking a member of an enum up is slow, and these are asked for every edge.
_SELECT: Final = int(VRule.SELECT)
_CHI_OLD: Final = int(VRule.CHI_OLD)
_CSCHI_OLD: Final = int(VRule.CSCHI_OLD)
_CHI_VALUE: Final = int(VRule.CHI_VALUE)
_MU: Final = int(VRule.MU)
_CSMU_IN: Final = int(VRule.CSMU_IN)
_TRANSFER: Final = int(VRule.TRANSFER)
_EXIT: Final = int(NodeKind.EXIT)
_LOAD: Final = int(Op.LOAD)
_VALUE: Final = int(NodeKind.VALUE)
_NOWHERE: Final = -2  # no location set
_FROM_REGION = frozenset({VRule.MU, VRule.CSMU_IN, VRule.TRANSFER, VRule.MODEL})


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


class ObjectRun:
    """One object's way through one function."""

    def __init__(
        self,
        engine: FlowEngine,
        func: int,
        starts: list[tuple[State, Guard]],
        fresh: frozenset[int] = frozenset(),
        places: PlacesOf | None = None,
        compared: Comparisons | None = None,
    ) -> None:
        self.engine, self.func, self.fresh = engine, func, fresh
        self.lists, self.space = engine.lists, engine.space
        self.guards: FunctionGuards = engine.book.guards(func)
        self.positions = engine.positions(func)
        self.places = Places(engine.overwrites, self.lists, self.guards, places)
        self.compared = compared or Comparisons()
        self.entered = starts[0][0][1] if compared is not None else _NOWHERE
        self.false = false = self.space.false  # comparing is cheaper than asking
        self.flow = Flow(false, false, false, places=self.places.known)
        self.queue: list[tuple[int, int, int]] = []
        self.queued: set[State] = set()
        self.growths: dict[State, int] = {}
        self.is_fresh = not any(self._is_formal(node) for (node, _), _ in starts)
        self.started = {state for state, _ in starts}
        self.start_blocks = {self.lists.block[node] for (node, _), _ in starts}
        self.start_loops = {
            loop for block in self.start_blocks for loop in self.guards.cfg.loops_of.get(block, ())
        }
        self.outcomes = Outcomes(
            engine.config,
            engine.limits_hit,
            self.flow,
            self.space,
            self.space.any_of(guard for _, guard in starts),
        )
        self.assumed_on_the_way = self.space.true
        for state, guard in starts:
            self._reach(state, guard, None)

    def run(self, most_steps: int = 0, whole: bool = False, most_nodes: int = 0) -> Flow:
        config, steps = self.engine.config, 0
        most_steps = most_steps or config.most_steps
        most_nodes = most_nodes or config.most_nodes
        while self.queue:
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

    def _reach(self, state: State, guard: Guard, source: State | None) -> None:
        """Add a guard to a state; if that says something new, its successors follow later."""
        if guard == self.false:
            return
        known = self.flow.reached.get(state)
        if known is not None:
            grown = known | guard
            if grown == known:
                return
            guard = self._widen(state, grown)
        elif source is not None:
            self.flow.came_from[state] = source
        self.flow.reached[state] = guard
        if state not in self.queued:
            self.queued.add(state)
            rank = self.positions.get(self.lists.block[state[0]], 0)
            heapq.heappush(self.queue, (rank, *state))

    def _widen(self, state: State, guard: Guard) -> Guard:
        """A guard that keeps growing becomes "whenever control gets there"."""
        config = self.engine.config
        count = self.growths[state] = self.growths.get(state, 0) + 1
        if count <= config.most_growths and self.space.size(guard) <= config.most_guard_nodes:
            return guard
        self.engine.limits_hit["value-flow guard too large"] += 1
        return guard | self._reach_of(self.lists.block[state[0]])

    def _reach_of(self, block: int) -> Guard:
        return self.guards.reach.get(block, self.space.false)

    # One node ------------------------------------------------------------------------------------

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

    def _meets(self, held: int, other: int) -> bool:
        """Whether the object, where it lies, can be seen through another location set."""
        meets = self.lists.overlap(held, other)
        if held == self.entered and other >= 0:
            self.compared.note(other, meets)
        return meets

    def _free(self, row: int, guard: Guard, held: int) -> None:
        lists = self.lists
        instr = lists.free_instr[row]
        block = self.guards.context.instr_block[instr]
        effect = lists.svfg.effects[lists.free_effect[row]]
        here = guard & self.guards.reach_at(instr) & effect_guard(self.guards, instr, effect)
        here = self._at_least_once(here, block)
        here = self._any_count(here)
        self.outcomes.add(freed=here)
        self.flow.frees.append((instr, here))

    def _as_found(self, freed: Guard, here: Guard) -> Guard:
        """A destructor frees what its object holds, as far as nothing is known to the contrary.

        `if (!b->readonly) free(b->data);`: where the caller knows the flag, it decides; where it is
        some unknown memory by now, the object is taken to be in order.
        """
        space, context = self.space, self.guards.context
        if space.size(freed) > MOST_TO_FORGET:
            return freed
        unknown = [
            variable
            for variable in space.support(freed) - space.support(here)
            if is_unknown(context.atoms[variable])
        ]
        return space.forget(freed, unknown)

    def _any_count(self, guard: Guard) -> Guard:
        """A release holds whatever the count of references is (`leaks.counts`)."""
        counts = self.engine.counts(self.func)
        if not counts or self.space.size(guard) > MOST_TO_FORGET:
            return guard
        return self.space.forget(guard, counts)

    def _escape(self, row: int, guard: Guard) -> None:
        lists = self.lists
        instr = lists.escape_instr[row]
        block = self.guards.context.instr_block[instr]
        here = guard & self.guards.reach_at(instr)
        index = lists.escape_effect[row]
        if index >= 0:
            here = here & effect_guard(self.guards, instr, lists.svfg.effects[index])
        here = self._at_least_once(here, block)
        self.outcomes.add(escaped=here)
        self.flow.escapes.append((instr, here))

    def _at_least_once(self, guard: Guard, block: int) -> Guard:
        """SPARROW: a loop that releases runs at least once.

        The loop's own condition is dropped, unless the object was made inside that loop.
        """
        for index in self.guards.cfg.loops_of.get(block, ()):
            if index in self.start_loops:
                continue
            variables = self.engine.loop_variables(self.func, index)
            if variables and self.space.size(guard) <= MOST_TO_FORGET:
                guard = self.space.forget(guard, variables)
        return guard

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
            guard = guard & self._reach_of(block)
            if rule == _SELECT:
                chosen = self.guards.condition(lists.condition[edge])
                guard = guard & (chosen if lists.side[edge] else ~chosen)
            if guard == self.false:
                return
        if rule == _TRANSFER and lists.effect[edge] >= 0:
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
                self.outcomes.add(escaped=here)
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

    def _is_out_of_hand(self, held: int) -> bool:
        """Stored in memory that global variables lead to, and that was not made here."""
        if held < 0 or not self.lists.is_long_lived(held):
            return False
        return not self.fresh & self.lists.objects_at(held)

    # Calls ---------------------------------------------------------------------------------------

    def _call_site(self, state: State, guard: Guard, site: int, edges: list[int]) -> None:
        if len(edges) > self.engine.config.most_callees:
            self._call_anyone(state, guard, site, edges)
            return
        for edge in edges:
            if not self.outcomes.overfull:
                self._call(state, guard, edge)

    def _does_something(self, passed: int, held: int) -> bool:
        """Whether a call may do something with an object in memory that it sees through a node.

        Most calls do not: not going there, where that is known, saves many steps.
        """
        lists, idle = self.lists, self.engine.idle
        if lists.kind[passed] == _EXIT or passed in lists.frees or passed in lists.escapes:
            return True
        inside, calls = lists.steps(passed)
        if inside:
            return True  # the memory after the call comes from here, too
        untouched: list[int] = []
        for _, edges in calls:
            for formal in (lists.target[edge] for edge in edges):
                if lists.meets(held, formal):
                    if (formal, lists.narrow(held, formal)) not in idle:
                        return True
                    untouched.append(formal)
        if held == self.entered:
            self._note_untouched(held, calls, untouched)
        return False

    def _note_untouched(
        self, held: int, calls: list[tuple[int, list[int]]], untouched: list[int]
    ) -> None:
        """What it takes for calls to do nothing: not to see the object, or to leave it alone."""
        lists, idle = self.lists, self.engine.idle
        for _, edges in calls:
            for edge in edges:
                self._meets(held, lists.locations[lists.target[edge]])
        for formal in untouched:
            self._include(formal, idle[formal, lists.narrow(held, formal)])

    def _include(self, formal: int, compared: Comparisons | None) -> None:
        """The comparisons of a callee's summary count for those who use it."""
        self.compared.include(compared, self.lists.bits_at(formal))

    def _call(self, state: State, guard: Guard, edge: int) -> None:
        _, held = state
        lists, book = self.lists, self.engine.book
        site, formal = lists.site[edge], lists.target[edge]
        block = self.guards.context.instr_block[site]
        callee = lists.func[formal]
        summary = self.engine.summary_of(formal, lists.narrow(held, formal))
        self.compared.use(summary.compared)
        if held == self.entered:
            self._include(formal, summary.compared)
        if summary.is_idle:
            return
        here = guard & self.guards.reach_at(site)
        if held >= 0 and self.places.cleared(held, site):
            return
        flow = self.flow
        if not summary.decided:
            self.outcomes.give_up(summary.limit)
        if summary.assume is not None and not self.space.is_true(summary.assume):
            assumed = ~here | book.instantiate(summary.assume, site, callee)
            self.assumed_on_the_way = self._round_off(self.assumed_on_the_way & assumed)
        if not self.space.is_false(summary.freed):
            freed = self.engine.at_call(summary.freed, site, callee)
            if held >= 0 and self.engine.is_void(callee):
                freed = self._as_found(freed, here)
            freed = self._any_count(self._at_least_once(here & freed, block))
            self.outcomes.add(freed=freed)
            if not self.space.is_false(freed):
                flow.frees += [(instr, here) for instr, _ in summary.frees]
        if not self.space.is_false(summary.escaped):
            escaped = here & self.engine.at_call(summary.escaped, site, callee)
            self.outcomes.add(escaped=self._at_least_once(escaped, block))
        taken = not self.space.is_false(summary.freed | summary.escaped)
        if taken and self.guards.catches() and book.may_unwind(callee):
            flow.given.append(here)
        if not self.space.is_false(summary.returned):
            back = here & book.instantiate(summary.returned, site, callee)
            result = self._result_node(site)
            if result >= 0:
                self._reach((result, -1), back, state)
        self._left_unread(summary.unread, here, site, callee)
        for (exit_node, exit_held), out in summary.outs.items():
            back = here & self.engine.at_call(out, site, callee)
            if held >= 0 and exit_held == lists.narrow(held, formal):
                back = back & ~self.places.replaced_by_call(held, site)
                self.places.same(exit_held, held)
            else:
                self.places.handed_over(exit_held, site, summary.places)
            self._come_back(state, exit_node, exit_held, site, back)

    def _left_unread(self, unread: dict[int, Guard], here: Guard, site: int, callee: int) -> None:
        """The callee left the object where nobody looks: the graph does not lead on from there."""
        for held, guard in unread.items():
            back = here & self.engine.at_call(guard, site, callee)
            if self._is_out_of_hand(held):
                self.outcomes.add(escaped=self._at_least_once(back, self._block_of(site)))
                self.flow.escapes.append((site, back))
            elif not self.space.is_false(back):
                known = self.flow.unread.get(held, self.space.false)
                self.flow.unread[held] = self._round_unread(known | back, site)

    def _round_unread(self, guard: Guard, site: int) -> Guard:
        if self.space.size(guard) <= self.engine.config.most_guard_nodes:
            return guard
        self.engine.limits_hit["value-flow guard too large"] += 1
        return self._reach_of(self._block_of(site))

    def _block_of(self, instr: int) -> int:
        return self.guards.context.instr_block[instr]

    def _call_anyone(self, state: State, guard: Guard, site: int, edges: list[int]) -> None:
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
            summary = self.engine.summary_of(lists.target[edge], held)
            taken = not summary.decided or not (
                space.is_false(summary.freed | summary.escaped | summary.returned)
                and not summary.outs
                and not summary.unread
            )
        if taken:
            here = guard & self.guards.reach_at(site)
            here = self._at_least_once(here, self.guards.context.instr_block[site])
            self.outcomes.add(escaped=here)
            self.flow.escapes.append((site, here))

    def _round_off(self, assumed: Guard) -> Guard:
        """Assumptions are optional: too large a conjunction is given up."""
        if self.space.size(assumed) <= self.engine.config.most_assumed_nodes:
            return assumed
        self.engine.limits_hit["assumption too large"] += 1
        return self.space.true

    def _result_node(self, site: int) -> int:
        value = self.guards.context.result[site]
        return int(self.lists.svfg.node_of_value[value]) if value >= 0 else -1

    def _come_back(self, state: State, exit_node: int, held: int, site: int, guard: Guard) -> None:
        lists = self.lists
        for target in lists.come_back.get((exit_node, site), ()):
            if lists.meets(held, target):
                part = lists.narrow(held, target)
                self.places.same(part, held)
                self._reach((target, part), guard, state)

    def _is_formal(self, node: int) -> bool:
        """Where a caller's object enters the function."""
        lists = self.lists
        if lists.is_value(node):
            return self.guards.context.value_kind[lists.value[node]] == ValueKind.PARAM
        return bool(lists.kind[node] == NodeKind.ENTRY)

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

    def _is_no_start(self, term: Term) -> bool:
        """Whether a value cannot be a new object: NULL, or older than it."""
        return constant_of(term) == 0 or (self.is_fresh and is_older(self.guards.context, term))

    # What carrying the object says of conditions -----------------------------------------------------

    def _assumptions(self) -> Guard:
        """A pointer to the object is not NULL and is no other object's address (SABER: "decided")."""
        lists, false = self.lists, self.space.false
        carriers: dict[Term, Guard] = {}
        without = false  # a call gave NULL, or its argument, where it gave the object
        for state, guard in self.flow.reached.items():
            node, held = state
            if held < 0 and lists.is_value(node) and self._is_certain(node):
                value = lists.value[node]
                split = self.guards.cases(value)
                if len(split) > 1:  # conditions that were rounded are about the value as such
                    carriers["val", value] = guard
                for case, term in split:
                    carriers[term] = carriers.get(term, false) | (guard & case)
                    if state in self.started and self._is_no_start(term):
                        without = without | (guard & case)
        found = identity_facts(self.guards.context, carriers, self.is_fresh) & ~without
        return found & store_facts(self.guards, carriers) if self.is_fresh else found
