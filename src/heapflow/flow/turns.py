"""One turn of a loop, for an object that is held when the turn begins.

In:    start states with guards, the loop.     Out: `Turn`: what became of the object in that turn.
The bounded CFG merges the loop's entry and its latch at the header's φs. Here they are kept apart: a
run inside the loop stops where values pass from a latch to the header, and says what they are; a run
that begins there and goes on after the loop tells what the rest of the function does with them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from heapflow.flow.ask import Summaries
from heapflow.flow.follow import follow
from heapflow.flow.outcome import Flow, State
from heapflow.flow.overwrites import PlacesOf
from heapflow.flow.scope import Scope
from heapflow.flow.track import Track
from heapflow.guards.guards import Loop
from heapflow.ir.codes import OP_LOAD, OP_PHI, VALUE_INSTR
from heapflow.ir.ids import BlockId, FuncId, InstrId, LocationSetId, NodeId, ObjectId, ValueId
from heapflow.logic.space import Guard
from heapflow.svfg.graph import VRule

_PHIS: Final = frozenset({VRule.PHI, VRule.REGION_PHI})
Starts = list[tuple[State, Guard]]


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


@dataclass(frozen=True, slots=True)
class Looping:
    """Turns of one loop, for the objects that a function answers for."""

    summaries: Summaries
    func: FuncId
    loop: Loop
    fresh: frozenset[ObjectId]

    def turn(self, starts: Starts, places: PlacesOf, is_later: bool = False) -> Turn:
        """Through the blocks of the loop, once; `is_later`: it was made before this turn."""
        return self._go(_OneTurn(self.loop, is_later), starts, places)

    def before(self, starts: Starts, places: PlacesOf) -> Turn:
        """The whole function, but without what goes through the φs of the loop's header."""
        return self._go(_OneTurn(self.loop, is_later=False, is_whole=True), starts, places)

    def after(self, starts: Starts, places: PlacesOf) -> Flow:
        """From the states of a turn on, only what happens outside the loop."""
        scope = _AfterLoop(self.loop, starts)
        return follow(self.summaries, self.func, starts, self.fresh, places, scope=scope)

    def _go(self, scope: _OneTurn, starts: Starts, places: PlacesOf) -> Turn:
        flow = follow(self.summaries, self.func, starts, self.fresh, places, scope=scope)
        return Turn(flow, scope.at_latch, scope.entered)


class _OneTurn(Scope):
    """Up to the φs of a loop's header; `is_whole`: also outside of the loop."""

    def __init__(self, loop: Loop, is_later: bool, is_whole: bool = False) -> None:
        self.loop, self.is_later, self.is_whole = loop, is_later, is_whole
        self.at_latch: dict[State, Guard] = {}
        self.entered: dict[State, Guard] = {}
        self._within: set[BlockId] | None = None  # an inner loop whose header's φ is being left
        self._kept: set[State] = set()  # φs of inner headers that a latch passes the object to

    def changing(self) -> set[BlockId] | None:
        return self.loop.blocks

    def leave(self, track: Track, state: State) -> None:
        inner = self._inner_loop(track, state[0]) if state not in self._kept else None
        self._within = inner.blocks if inner is not None else None

    def done(self) -> None:
        self._within = None

    def has(self, track: Track, instr: InstrId) -> bool:
        return self.is_whole or self._is_inside(track, instr)

    def admits(self, track: Track, state: State, guard: Guard, edge: int) -> bool:
        if self._skips(track.lists.block[state[0]]):
            return False
        if not track.space.is_false(guard):
            self._keep(track, state, edge)
        return self._stays(track, state, guard, edge)

    def reads(self, track: Track, held: LocationSetId, value: ValueId) -> Guard:
        """The counter with which the object was stored may be that of another turn."""
        return track.space.true

    def is_certain(self, track: Track, node: NodeId) -> bool:
        """In a later turn `a[i]` is another element."""
        context, value = track.guards.context, track.lists.value[node]
        code = context.code
        if not self.is_later or code.value_kind[value] != VALUE_INSTR:
            return True
        instr = code.value_index[value]
        if code.op[instr] != OP_LOAD or not self.has(track, instr):
            return True
        base, _ = track.places.overwrites.address(code.operands(instr)[0])
        return not track.places.changes(base)

    def _is_inside(self, track: Track, instr: InstrId) -> bool:
        block = track.guards.context.code.instr_block[instr]
        return block in self.loop.blocks and not self._skips(block)

    def _skips(self, block: BlockId) -> bool:
        """A block that an inner loop's φ reaches only after a turn that replaced its first value."""
        return self._within is not None and block not in self._within

    def _inner_loop(self, track: Track, node: NodeId) -> Loop | None:
        """The inner loop that surely turns, if a node is a φ of its header."""
        context, block = track.guards.context, track.lists.block[node]
        code = context.code
        inner = track.guards.loop_at.get(block)
        if inner is None or inner is self.loop or not track.lists.is_value(node):
            return None
        instr = code.instr_of(track.lists.value[node])
        if instr < 0 or code.op[instr] != OP_PHI or inner.header not in self.loop.blocks:
            return None
        return inner if track.guards.surely_turns(inner) else None

    def _keep(self, track: Track, state: State, edge: int) -> None:
        """Note that a φ of an inner header holds the object after a turn of that loop, too."""
        if edge < 0 or track.lists.rule[edge] not in _PHIS or state in self._kept:
            return
        inner = self._inner_loop(track, state[0])
        if inner is None or track.lists.edge_block[edge] not in inner.blocks:
            return
        self._kept.add(state)
        track.follow_again(state)  # now also out of the loop

    def _stays(self, track: Track, state: State, guard: Guard, edge: int) -> bool:
        lists, block = track.lists, track.lists.block[state[0]]
        if edge >= 0 and block == self.loop.header and lists.rule[edge] in _PHIS:
            is_latch = lists.edge_block[edge] in self.loop.blocks
            table = self.at_latch if is_latch else self.entered
            if not track.space.is_false(guard):
                table[state] = table[state] | guard if state in table else guard
            return False
        return self.is_whole or block in self.loop.blocks


class _AfterLoop(Scope):
    """Outside of a loop, for what a turn left."""

    def __init__(self, loop: Loop, starts: Starts) -> None:
        self.loop = loop
        self._began = {state for state, _ in starts}
        self._outside_only = set(self._began)
        self._is_restricted = False

    def leave(self, track: Track, state: State) -> None:
        self._is_restricted = state in self._outside_only

    def has(self, track: Track, instr: InstrId) -> bool:
        return not self._skips(track.guards.context.code.instr_block[instr])

    def admits(self, track: Track, state: State, guard: Guard, edge: int) -> bool:
        if self._skips(track.lists.block[state[0]]):
            return False
        self._outside_only.discard(state)
        return True

    def reads(self, track: Track, held: LocationSetId, value: ValueId) -> Guard:
        return track.space.true  # as in a turn

    def is_certain(self, track: Track, node: NodeId) -> bool:
        return (node, -1) not in self._began  # the turn itself has drawn its conclusions

    def _skips(self, block: BlockId) -> bool:
        return self._is_restricted and block in self.loop.blocks
