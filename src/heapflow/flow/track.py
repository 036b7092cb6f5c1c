"""One object in one function: where it is so far, and under which condition.

In:    start nodes with guards.     Out: `Track`, which `transfer.py` and `calls.py` fill.
Guarantees: conditions only grow; one that keeps growing becomes that of its block.
"""

from __future__ import annotations

import heapq

from heapflow.flow.ask import Summaries
from heapflow.flow.outcome import Flow, State
from heapflow.flow.outcomes import Outcomes
from heapflow.flow.overwrites import Places, PlacesOf
from heapflow.flow.scope import Scope
from heapflow.flow.sharing import Comparisons
from heapflow.guards.guards import FunctionGuards
from heapflow.ir.ids import BlockId, FuncId, LocationSetId, NodeId, ObjectId
from heapflow.ir.kinds import ValueKind
from heapflow.logic.space import Guard
from heapflow.policies.long_lived_keeps import keeps
from heapflow.policies.loops_release import without_loop
from heapflow.svfg.graph import NodeKind


class Track:
    """An object's states, and what became of it."""

    def __init__(
        self,
        summaries: Summaries,
        func: FuncId,
        starts: list[tuple[State, Guard]],
        fresh: frozenset[ObjectId],
        places: PlacesOf | None,
        compared: Comparisons | None,
        scope: Scope,
    ) -> None:
        engine = summaries.engine
        self.summaries, self.engine, self.func, self.fresh = summaries, engine, func, fresh
        self.scope = scope
        self.edge = -1  # inside the function, over which a state is being reached
        self.lists, self.space = engine.lists, engine.space
        self.policies = engine.book.context.policies
        self.guards: FunctionGuards = engine.book.guards(func)
        self.positions = engine.positions(func)
        self.places = Places(engine.overwrites, self.lists, self.guards, places)
        self.places.changing = scope.changing()
        self.compared = compared or Comparisons()
        # The location set in which it comes, if what that is compared with is taken down.
        self.entered = starts[0][0][1] if compared is not None else None
        self.false = false = self.space.false  # comparing is cheaper than asking
        self.flow = Flow(false, false, false, places=self.places.known)
        self.queue: list[tuple[int, int, int]] = []
        self.queued: set[State] = set()
        self.growths: dict[State, int] = {}
        self.is_fresh = not any(self._is_formal(node) for (node, _), _ in starts)
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
            self.add(state, guard, None)

    def reach(self, state: State, guard: Guard, source: State) -> None:
        """The object gets from one state to another, if that lies in the scope of the run."""
        if self.scope.admits(self, state, guard, self.edge):
            self.add(state, guard, source)

    def add(self, state: State, guard: Guard, source: State | None) -> None:
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
            node, held = state
            rank = self.positions.get(self.lists.block[node], 0)
            heapq.heappush(self.queue, (rank, node, held))

    def _widen(self, state: State, guard: Guard) -> Guard:
        """A guard that keeps growing becomes "whenever control gets there"."""
        config = self.engine.config
        count = self.growths[state] = self.growths.get(state, 0) + 1
        if count <= config.most_growths and self.space.size(guard) <= config.most_guard_nodes:
            return guard
        self.engine.limits_hit["value-flow guard too large"] += 1
        self.flow.rounded = self.flow.rounded or "leaks.most-guard-nodes"
        return guard | self.reach_of(self.lists.block[state[0]])

    def reach_of(self, block: BlockId) -> Guard:
        return self.guards.reach.get(block, self.space.false)

    def meets(self, held: LocationSetId, other: LocationSetId) -> bool:
        """Whether the object, where it lies, can be seen through another location set."""
        meets = self.lists.overlap(held, other)
        if held == self.entered and other >= 0:
            self.compared.note(other, meets)
        return meets

    def at_least_once(self, guard: Guard, block: BlockId) -> Guard:
        """The condition of a release, without those of loops that the object was not made in."""
        for index in self.guards.cfg.loops_of.get(block, ()):
            if index in self.start_loops:
                continue
            variables = self.engine.loop_variables(self.func, index)
            if variables and not self.engine.is_too_large_to_open(guard):
                guard = without_loop(self.policies, self.space, guard, variables)
        return guard

    def is_out_of_hand(self, held: LocationSetId) -> bool:
        """Stored in memory that global variables lead to, and that was not made here."""
        if held < 0 or not self.lists.is_long_lived(held):
            return False
        return keeps(self.policies, self.fresh, self.lists.objects_at(held))

    def _is_formal(self, node: NodeId) -> bool:
        """Where a caller's object enters the function."""
        lists = self.lists
        if lists.is_value(node):
            return self.guards.context.code.value_kind[lists.value[node]] == ValueKind.PARAM
        return bool(lists.kind[node] == NodeKind.ENTRY)

    def follow_again(self, state: State) -> None:
        """Follow a state once more, with what is known of it."""
        known = self.flow.reached.pop(state, None)
        if known is not None:
            self.queued.discard(state)
            self.add(state, known, None)

    def next(self) -> State | None:
        """The state to be left next, in the order of execution; None if all were."""
        if not self.queue:
            return None
        _, node, held = heapq.heappop(self.queue)
        state = (node, held)
        self.queued.discard(state)
        return state
