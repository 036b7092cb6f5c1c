"""Which part of a function an object is followed through.

In:    a run (`Track`).     Out: what of it counts: `Scope` leaves nothing out; turns of a loop
       (`turns.py`) and the inside of an owner (`leaks/lostwith.py`) leave out some.
A run asks its scope at five points, and nowhere else: before it leaves a state, at a release or escape,
at a call, when a state is reached, and where it draws conclusions from what a value carries.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from heapflow.ir.codes import OP_LOAD
from heapflow.ir.ids import BlockId, InstrId, LocationSetId, NodeId, ValueId
from heapflow.ir.kinds import CALLS
from heapflow.logic.space import Guard

if TYPE_CHECKING:
    from heapflow.flow.outcome import State
    from heapflow.flow.track import Track


class Scope:
    """The whole function."""

    def changing(self) -> set[BlockId] | None:
        """Blocks whose values change while the object is followed; None: those of loops."""
        return None

    def leave(self, track: Track, state: State) -> None:
        """What follows is about the successors of a state."""

    def done(self) -> None:
        """The successors of that state are done."""

    def has(self, track: Track, instr: InstrId) -> bool:
        """Whether what an instruction does counts."""
        return True

    def at_call(self, track: Track, held: LocationSetId, site: InstrId, guard: Guard) -> Guard:
        """The condition under which a call gets to see the object."""
        return guard

    def admits(self, track: Track, state: State, guard: Guard, edge: int) -> bool:
        """Whether a state that was reached (over this edge, if it was one) is followed further."""
        return True

    def reads(self, track: Track, held: LocationSetId, value: ValueId) -> Guard:
        """The condition under which a load reads the element of an array that holds the object."""
        code = track.guards.context.code
        stored, load = track.places.stored_at(held), code.instr_of(value)
        if stored is None or load < 0 or code.op[load] != OP_LOAD:
            return track.space.true
        reads, is_so = track.engine.reads(track.guards, stored, load)
        track.assumed_on_the_way = track.assumed_on_the_way & is_so
        return reads

    def is_certain(self, track: Track, node: NodeId) -> bool:
        """Whether a value that may carry the object has it in the last turn of its loops, too.

        A call in a loop that gives an object from before the loop gives something else in the end.
        """
        code = track.guards.context.code
        instr = code.instr_of(track.lists.value[node])
        if instr < 0 or code.op[instr] not in CALLS:
            return True
        loops = track.guards.cfg.loops_of.get(code.instr_block[instr], ())
        return all(index in track.start_loops for index in loops)
