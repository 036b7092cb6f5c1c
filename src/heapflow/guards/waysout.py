"""The part of a complete condition under which control gets from a block to an end of its function.

    fp = fingerprint(key);  ra = art(key);  if (!fp || !ra) fatal("…");     … much more …     return;

Where ways meet and conditions get too large, reach conditions are rounded to what holds at the
dominator, and with them the condition of returning: the way into `fatal` seems to go on. So a leak's
condition, which is small against all conditions of a function, is carried along all ways from the block
that makes the object, with the conditions of the edges; what comes to a `return` is left of it.
In:    one function's guards, a block, a condition.     Out: the condition, narrowed.
Guarantees: nothing is dropped that reach conditions without bounds would keep: a way whose condition
gets too large carries the whole one.
Not modelled: what a further turn of a loop does: a turn that ends leaves by any exit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from heapflow.ir.codes import OP_RESUME, OP_RET
from heapflow.ir.ids import BlockId, EdgeId
from heapflow.logic.space import Guard

if TYPE_CHECKING:
    from heapflow.guards.function import FunctionGuards


def ways_out(guards: FunctionGuards, block: BlockId, lost: Guard, most_blocks: int = 0) -> Guard:
    """The condition without ways from the block that end in calls that do not come back."""
    return _Walk(guards, block, lost).run(most_blocks)


class _Walk:
    def __init__(self, guards: FunctionGuards, block: BlockId, lost: Guard) -> None:
        self.guards, self.block, self.lost = guards, block, lost
        self.context, self.space = guards.context, guards.context.space
        self.most_nodes = self.context.limits.most_way_nodes + self.space.size(lost)
        self.ways: dict[BlockId, Guard] = {block: lost}
        self.out = self.space.false

    def run(self, most_blocks: int = 0) -> Guard:
        first = self.guards.position.get(self.block)
        left = most_blocks or self.context.limits.most_way_blocks
        if first is None or self.space.is_false(self.lost):
            return self.lost
        for at in self.guards.order[first:]:
            way = self.ways.pop(at, None)
            if way is None:
                continue
            left -= 1
            if left < 0:
                self.context.limits_hit["blocks on the ways out"] += 1
                return self.lost
            self._pass(at, way)
            if self.out == self.lost:
                break
        return self.lost if self.ways else self.out

    def _pass(self, at: BlockId, way: Guard) -> None:
        guards, context = self.guards, self.context
        if guards.may_unwind and guards.unwinds_in(at):
            self.out = self.lost  # what a jump leaves behind is lost
            return
        way = way & guards.comes_through(at)
        if context.code.op[context.code.instr_start[at + 1] - 1] in (OP_RET, OP_RESUME):
            self._end(way)
            return
        for edge in guards.cfg.out_edges.get(at, ()):
            if self.space.is_false(way):
                break
            here = way & self._condition(at, edge)
            if edge in guards.cfg.back_edges:
                self._turn(context.code.edge_target[edge], here)
            else:
                self._go(context.code.edge_target[edge], here)

    def _condition(self, at: int, edge: EdgeId) -> Guard:
        """Where the walk begins in a loop's header, the turn need not be the first."""
        guards = self.guards
        return guards.edge_condition(edge) if at == self.block else guards.first_condition(edge)

    def _turn(self, header: BlockId, way: Guard) -> None:
        """Leaves a loop after a turn, by any exit: what decides it is no longer what it was."""
        loop = self.guards.loop_at[header]
        if not loop.exits and self.block in loop.blocks:  # what the turn made is forgotten
            self._end(way)
        for edge in loop.exits:
            self._go(self.context.code.edge_target[edge], way)

    def _go(self, target: BlockId, way: Guard) -> None:
        if self.space.is_false(way):
            return
        known = self.ways.get(target)
        here = way if known is None else known | way
        if self.space.size(here) > self.most_nodes:
            self.context.limits_hit["condition of a way out too large"] += 1
            here = self.lost
        self.ways[target] = here

    def _end(self, way: Guard) -> None:
        self.out = self.out | way
        if self.space.size(self.out) > self.most_nodes:
            self.context.limits_hit["condition of a way out too large"] += 1
            self.out = self.lost
