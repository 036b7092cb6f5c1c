"""Objects that are lost when a loop comes round again.

    for (…) { p = malloc(n); }  free(p);        every block but the last is lost
    p = malloc(n); while (…) p = malloc(n);     the first block is lost, too
    for (…) { a[i] = malloc(n); if (!a[i]) return; }        lost in a later turn than it was made

The bounded CFG runs a loop's body once, so `FREED` holds here: the exit frees what `p` holds. What is
missing is the turn in which something else takes the object's place. It is run here by itself: the
object enters through the φs of the loop's header; if it is neither freed nor handed on in that turn and
no φ holds it at the end, it is lost. So it is if the turn leaves the loop, and what follows drops it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from heapflow.flow.ask import Summaries
from heapflow.flow.earlier import EarlierTurn
from heapflow.flow.engine import FlowEngine
from heapflow.flow.outcome import Flow, State
from heapflow.flow.source import Source
from heapflow.flow.turns import Looping, Turn
from heapflow.guards.guards import FunctionGuards, narrowed, ways_out
from heapflow.ir.codes import OP_PHI, OP_STORE
from heapflow.ir.ids import LocationSetId, NodeId, ObjectId
from heapflow.logic.space import Guard
from heapflow.svfg.graph import NodeKind

_REGION_PHI: Final = int(NodeKind.REGION_PHI)
TURN_TOO_LARGE: Final = "condition of a loop's turn too large"

HeldAtEnd = Callable[[Flow], Guard]


def lost_in_next_turn(
    summaries: Summaries,
    source: Source,
    flow: Flow,
    fresh: frozenset[ObjectId],
    holders: HeldAtEnd,
    kept: Guard,
) -> Guard | None:
    """The condition under which a further turn of a loop loses the object: the innermost that does.

    `kept` is what `holders` says of the whole flow.
    """
    engine = summaries.engine
    guards = engine.book.guards(source.func)

    def held_at_end(found: Flow) -> Guard:
        # What the next turn makes may hold what this one made, and lives as long as that does.
        return holders(found) | (_in_another(engine, source, found) & kept)

    around = guards.cfg.loops_of.get(guards.context.code.instr_block[source.site], [])
    for index in around:
        found = _Loop(summaries, guards, source, fresh, index).made_inside(held_at_end)
        if found is not None:
            return found
    passed = {engine.lists.block[node] for node, _ in flow.reached if _is_phi(engine, node)}
    for index, loop in enumerate(guards.cfg.loops):
        if index not in around and loop.header in passed:
            found = _Loop(summaries, guards, source, fresh, index).made_before(flow, held_at_end)
            if found is not None:
                return found
    return None


def _is_phi(engine: FlowEngine, node: NodeId) -> bool:
    """Whether values meet at a node: only so an object can enter a loop's turns."""
    lists, context = engine.lists, engine.book.context
    if not lists.is_value(node):
        return lists.kind[node] == _REGION_PHI
    instr = context.code.instr_of(lists.value[node])
    return instr >= 0 and context.code.op[instr] == OP_PHI


def _in_another(engine: FlowEngine, source: Source, flow: Flow) -> Guard:
    """The condition under which an object of the same source holds the object."""
    found = engine.space.false
    for (_, held), guard in flow.reached.items():
        if held >= 0 and not source.objects.isdisjoint(engine.lists.objects_at(held)):
            found = found | guard
    return found


class _Loop:
    def __init__(
        self,
        summaries: Summaries,
        guards: FunctionGuards,
        source: Source,
        fresh: frozenset[ObjectId],
        index: int,
    ) -> None:
        self.engine, self.guards, self.source = summaries.engine, guards, source
        self.space = self.engine.space
        self.loop = guards.cfg.loops[index]
        self.looping = Looping(summaries, source.func, self.loop, fresh)
        self.turn_taken = guards.turn_guard[index]

    def is_exact(self) -> bool:
        """Conditions were not rounded: a turn that is completed did not leave the loop."""
        guards = self.guards
        for edge in self.loop.exits:
            source = guards.edge_source[edge]
            if source == self.loop.header:
                continue
            leaves = guards.leave.get(source, self.space.false) & guards.edge_condition(edge)
            if not self.space.is_false(leaves & self.turn_taken):
                self.engine.limits_hit[TURN_TOO_LARGE] += 1
                return False
        return True

    def _is_too_large(self, guard: Guard, most: int) -> bool:
        is_large = self.space.size(guard) > most
        if is_large:
            self.engine.limits_hit["condition of a turn too large to be run again"] += 1
        return is_large

    def made_inside(self, held_at_end: HeldAtEnd) -> Guard | None:
        source = self.source
        if not self.is_exact():
            return None
        block, header = self.guards.context.code.instr_block[source.site], self.loop.header
        made = self.looping.turn(source.starts, source.places)
        if not made.flow.decided:
            return None
        tracked = {held for _, held in made.at_latch}
        settled = made.settled | self._kept_in_memory(made, tracked, held_at_end)
        exists = source.exists & self.turn_taken & made.assume & ~settled
        if not made.at_latch and self._can_be(exists):
            return exists
        lost = self._leaving(made, source.exists & made.assume & ~made.settled, held_at_end)
        lost = ways_out(self.guards, block, lost)
        if self._can_be(lost):
            return lost  # made in the last turn
        most = self.engine.config.most_turn_nodes
        for number in range(1, self.engine.config.most_turns):
            if self.space.is_false(exists) or self._is_too_large(exists, most):
                return None
            exists = exists & self._begun()
            earlier = EarlierTurn(self.guards, self.loop, number)
            starts = [(s, earlier.rename(exists & g)) for s, g in made.at_latch.items()]
            exists = earlier.rename(exists) & ~self.guards.turns.first_turn(self.loop.header)
            turn = self._next(made, starts)
            if not turn.flow.decided:
                return None
            settled = turn.settled | self._kept_in_memory(turn, tracked, held_at_end)
            exists = exists & turn.assume & ~settled
            lost = exists & self._begun() & self.turn_taken
            lost = lost & ~self.space.any_of(turn.at_latch.values())
            if self._is_too_large(lost, 10 * most):
                return None
            lost = lost & earlier.links(lost)
            if self._can_be(lost):
                return lost
            if number == 1:
                lost = self._leaving(turn, exists & self._begun(), held_at_end)
                lost = ways_out(self.guards, header, lost)
                lost = lost & earlier.links(lost)
                if self._can_be(lost):
                    return lost
            if set(turn.at_latch) <= set(made.at_latch):
                return None
            exists = exists & self.turn_taken & earlier.links(exists)
            made = turn
        return None

    def made_before(self, flow: Flow, held_at_end: HeldAtEnd) -> Guard | None:
        source = self.source
        if self.space.is_false(source.exists & self.turn_taken) or not self.is_exact():
            return None
        if self._leaves_alone(flow):
            return None
        before = self.looping.before(source.starts, source.places)
        if not before.flow.decided or not before.entered:
            return None
        kept = before.settled | held_at_end(before.flow)
        exists = source.exists & self.turn_taken & before.assume & ~kept
        if self.space.is_false(exists):
            return None
        turn = self._next(before, list(before.entered.items()))
        if not turn.flow.decided:
            return None
        tracked = {held for _, held in before.entered}
        settled = turn.settled | self._kept_in_memory(turn, tracked, held_at_end)
        lost = exists & turn.assume & ~settled
        lost = lost & ~self.space.any_of(turn.at_latch.values())
        return lost if self._can_be(lost) else None

    def _leaves_alone(self, flow: Flow) -> bool:
        """Whether whatever holds the object at the header holds it after a turn, too.

        Most loops do not touch it. A turn takes fewer steps than finding out what enters the loop.
        """
        lists, header = self.engine.lists, self.loop.header
        starts = [
            (state, guard & self.turn_taken)
            for state, guard in flow.reached.items()
            if lists.block[state[0]] == header and _is_phi(self.engine, state[0])
        ]
        turn = self._next(Turn(flow), starts)
        at_latch, false = turn.at_latch, self.space.false
        return turn.flow.decided and all(
            (guard & ~at_latch.get(state, false)) == false for state, guard in starts
        )

    def _next(self, before: Turn, starts: list[tuple[State, Guard]]) -> Turn:
        return self.looping.turn(starts, before.flow.places, is_later=True)

    def _kept_in_memory(self, turn: Turn, tracked: set[int], held_at_end: HeldAtEnd) -> Guard:
        """Memory that holds the object, and that no φ of the header follows from turn to turn."""
        elsewhere = {
            state: guard
            for state, guard in turn.flow.reached.items()
            if state[1] >= 0 and state[1] not in tracked
        }
        if not elsewhere:
            return self.space.false
        false = self.space.false
        return held_at_end(replace(turn.flow, reached=elsewhere, returned=false, escaped=false))

    def _can_be(self, guard: Guard) -> bool:
        return not self.space.is_false(narrowed(self.guards, guard))

    def _leaving(self, turn: Turn, exists: Guard, held_at_end: HeldAtEnd) -> Guard:
        """The object is held when the turn leaves the loop, and dropped after that.

        What lies in another fresh object shares its fate, which that object's own turns decide.
        """
        if any(self._is_owned(held) for _, held in turn.at_latch):
            return self.space.false
        followed = {held for _, held in turn.at_latch}
        # Memory that no φ of the header follows keeps what it has through the back edge, too.
        starts = {
            state: guard if state[1] >= 0 and state[1] not in followed else guard & ~self.turn_taken
            for state, guard in turn.flow.reached.items()
        }
        if not self._ends_at_header():
            exists = exists & ~self.turn_taken
        for state, guard in turn.at_latch.items():
            again = guard & self.turn_taken
            starts[state] = starts[state] | again if state in starts else again
        after = self.looping.after(list(starts.items()), turn.flow.places)
        if not after.decided:
            return self.space.false
        assume = after.assume if after.assume is not None else self.space.true
        kept = after.freed | held_at_end(after)
        return exists & self.guards.exit & assume & ~kept

    def _is_owned(self, held: LocationSetId) -> bool:
        lists = self.engine.lists
        return held >= 0 and any(
            obj not in self.source.objects and lists.stack_owner.get(obj, -1) != self.source.func
            for obj in lists.objects_at(held)
        )

    def _ends_at_header(self) -> bool:
        """The loop can be left after a turn without doing anything else."""
        context, header = self.guards.context, self.loop.header
        code = context.code
        effects = {OP_STORE, *code.call_ops}
        instrs = range(code.instr_start[header], code.instr_start[header + 1])
        return any(edge in self.loop.exits for edge in self.guards.cfg.out_edges[header]) and (
            all(code.op[instr] not in effects for instr in instrs)
        )

    def _begun(self) -> Guard:
        """The loop's condition lets the turn begin."""
        header, found = self.loop.header, self.space.false
        for edge in self.guards.cfg.out_edges[header]:
            if self.guards.context.code.edge_target[edge] in self.loop.blocks:
                found = found | self.guards.edge_condition(edge)
        return found & self.guards.leave.get(header, self.space.false)
