"""One turn of a loop, for an object that is held when the turn begins.

In:    start states with guards, the loop.     Out: `Turn`: what became of the object in that turn.
The bounded CFG merges the loop's entry and its latch at the header's φs. Here they are kept apart: a
run inside the loop stops where values pass from a latch to the header, and says what they are; a run
that begins there and goes on after the loop tells what the rest of the function does with them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from heapflow.guards.cfg import Loop
from heapflow.ir.codes import OP_LOAD, OP_PHI, VALUE_INSTR
from heapflow.leaks.engine import FlowEngine
from heapflow.leaks.flow import ObjectRun
from heapflow.leaks.outcome import Flow, State
from heapflow.leaks.overwrites import PlacesOf
from heapflow.logic.space import Guard
from heapflow.svfg.graph import VRule

_PHIS: Final = frozenset({VRule.PHI, VRule.REGION_PHI})


@dataclass(slots=True)
class Turn:
    """An object at the end of a turn."""

    flow: Flow
    at_latch: dict[State, Guard] = field(default_factory=dict)  # header φs that hold it from now on
    entered: dict[State, Guard] = field(default_factory=dict)  # header φs, from before the loop

    @property
    def settled(self) -> Guard:
        return self.flow.freed | self.flow.escaped

    @property
    def assume(self) -> Guard:
        assert self.flow.assume is not None
        return self.flow.assume


class TurnRun(ObjectRun):
    """Follows an object through the blocks of one loop, once."""

    def __init__(
        self,
        engine: FlowEngine,
        func: int,
        starts: list[tuple[State, Guard]],
        loop: Loop,
        fresh: frozenset[int],
        places: PlacesOf,
        is_later: bool = False,  # the object was made before this turn
    ) -> None:
        self.loop, self.is_later = loop, is_later
        self.edge = -1
        self.within: set[int] | None = None  # an inner loop whose header's φ is being left
        self.kept: set[State] = set()  # φs of inner headers that a latch passes the object to
        self.turn = Turn(Flow(engine.space.false, engine.space.false, engine.space.false))
        super().__init__(engine, func, starts, fresh, places)
        self.places.changing = loop.blocks

    def go(self) -> Turn:
        self.turn.flow = self.run()
        return self.turn

    def _is_inside(self, instr: int) -> bool:
        block = self.guards.context.instr_block[instr]
        return block in self.loop.blocks and not self._skips(block)

    def _skips(self, block: int) -> bool:
        """A block that an inner loop's φ reaches only after a turn that replaced its first value."""
        return self.within is not None and block not in self.within

    def _leave(self, state: State, guard: Guard) -> None:
        inner = self._inner_loop(state[0]) if state not in self.kept else None
        self.within = inner.blocks if inner is not None else None
        super()._leave(state, guard)
        self.within = None

    def _inner_loop(self, node: int) -> Loop | None:
        """The inner loop that surely turns, if a node is a φ of its header."""
        context, block = self.guards.context, self.lists.block[node]
        inner = self.guards.loop_at.get(block)
        if inner is None or inner is self.loop or not self.lists.is_value(node):
            return None
        instr = context.instr_of(self.lists.value[node])
        if instr < 0 or context.op[instr] != OP_PHI or inner.header not in self.loop.blocks:
            return None
        return inner if self.guards.surely_turns(inner) else None

    def _keep(self, state: State) -> None:
        """Note that a φ of an inner header holds the object after a turn of that loop, too."""
        if self.edge < 0 or self.lists.rule[self.edge] not in _PHIS or state in self.kept:
            return
        inner = self._inner_loop(state[0])
        if inner is None or self.lists.edge_block[self.edge] not in inner.blocks:
            return
        self.kept.add(state)
        known = self.flow.reached.pop(state, None)  # follow it once more, now also out of the loop
        if known is not None:
            self.queued.discard(state)
            super()._reach(state, known, None)

    def _free(self, row: int, guard: Guard, held: int) -> None:
        if self._is_inside(self.lists.free_instr[row]):
            super()._free(row, guard, held)

    def _escape(self, row: int, guard: Guard) -> None:
        if self._is_inside(self.lists.escape_instr[row]):
            super()._escape(row, guard)

    def _call_site(self, state: State, guard: Guard, site: int, edges: list[int]) -> None:
        if self._is_inside(site):
            super()._call_site(state, guard, site, edges)

    def _intra(self, state: State, guard: Guard, edge: int) -> None:
        self.edge = edge
        super()._intra(state, guard, edge)
        self.edge = -1

    def _reach(self, state: State, guard: Guard, source: State | None) -> None:
        if source is not None:
            if self._skips(self.lists.block[state[0]]):
                return
            if not self.space.is_false(guard):
                self._keep(state)
        if source is None or self._stays(state, guard):
            super()._reach(state, guard, source)

    def _reads(self, held: int, value: int) -> Guard:
        """The counter with which the object was stored may be that of another turn."""
        return self.space.true

    def _is_certain(self, node: int) -> bool:
        """In a later turn `a[i]` is another element."""
        context, value = self.guards.context, self.lists.value[node]
        if not self.is_later or context.value_kind[value] != VALUE_INSTR:
            return True
        instr = context.value_index[value]
        if context.op[instr] != OP_LOAD or not self._is_inside(instr):
            return True
        base, _ = self.places.overwrites.address(context.operands(instr)[0])
        return not self.places.changes(base)

    def _stays(self, state: State, guard: Guard) -> bool:
        lists, block = self.lists, self.lists.block[state[0]]
        if self.edge >= 0 and block == self.loop.header and lists.rule[self.edge] in _PHIS:
            if lists.edge_block[self.edge] in self.loop.blocks:
                self._add(self.turn.at_latch, state, guard)
            else:
                self._add(self.turn.entered, state, guard)
            return False
        return block in self.loop.blocks

    def _add(self, table: dict[State, Guard], state: State, guard: Guard) -> None:
        if not self.space.is_false(guard):
            table[state] = table[state] | guard if state in table else guard


class CutRun(TurnRun):
    """The whole function, but without what goes through the φs of one loop's header."""

    def _is_inside(self, instr: int) -> bool:
        return True

    def _stays(self, state: State, guard: Guard) -> bool:
        return super()._stays(state, guard) or not (
            self.edge >= 0
            and self.lists.block[state[0]] == self.loop.header
            and self.lists.rule[self.edge] in _PHIS
        )


class AfterRun(ObjectRun):
    """From the states of a turn on, only what happens outside the loop."""

    def __init__(
        self,
        engine: FlowEngine,
        func: int,
        starts: list[tuple[State, Guard]],
        loop: Loop,
        fresh: frozenset[int],
        places: PlacesOf,
    ) -> None:
        self.loop = loop
        self.began = {state for state, _ in starts}
        self.outside_only = set(self.began)
        self.restricted = False
        super().__init__(engine, func, starts, fresh, places)

    def _skips(self, block: int) -> bool:
        return self.restricted and block in self.loop.blocks

    def _reads(self, held: int, value: int) -> Guard:
        return self.space.true  # as in a turn

    def _is_certain(self, node: int) -> bool:
        return (node, -1) not in self.began  # the turn itself has drawn its conclusions

    def _leave(self, state: State, guard: Guard) -> None:
        self.restricted = state in self.outside_only
        super()._leave(state, guard)

    def _reach(self, state: State, guard: Guard, source: State | None) -> None:
        if source is not None:
            if self._skips(self.lists.block[state[0]]):
                return
            self.outside_only.discard(state)
        super()._reach(state, guard, source)

    def _free(self, row: int, guard: Guard, held: int) -> None:
        if not self._skips(self.guards.context.instr_block[self.lists.free_instr[row]]):
            super()._free(row, guard, held)

    def _escape(self, row: int, guard: Guard) -> None:
        if not self._skips(self.guards.context.instr_block[self.lists.escape_instr[row]]):
            super()._escape(row, guard)

    def _call_site(self, state: State, guard: Guard, site: int, edges: list[int]) -> None:
        if not self._skips(self.guards.context.instr_block[site]):
            super()._call_site(state, guard, site, edges)
