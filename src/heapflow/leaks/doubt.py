"""Whether an object seems safe only because conditions were rounded.

    switch (c) { case 0: return; case 1: free(p); return; … case 200: free(p); return; }

In:    one object's flow, its function's guards.     Out: where it is lost, or that nobody can say.
Where the reach condition of a block is too large, the block counts as reached whenever its dominator
is, and what is freed there as freed then. So ways are gone through once more, from where the object
comes from, with the conditions of their edges: what a block frees is freed on the ways through it.
Guarantees: what is returned are ways on which nothing frees the object or takes it out of our hands.
Too large a condition of a way becomes one of the ways that it stands for; if nothing is left of them
then, the object is undecided, not safe.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from heapflow.guards.bdd import Guard
from heapflow.guards.codes import OP_PHI, OP_RESUME, OP_RET
from heapflow.guards.function import FunctionGuards
from heapflow.leaks.lists import GraphLists
from heapflow.leaks.outcome import Flow

LIMIT: Final = "guards.most-nodes"
_MOST_NODES: Final = 300  # of the condition of one way; beyond, it is one of many
_MOST_BLOCKS: Final = 5000  # that are passed


def rests_on_rounding(lists: GraphLists, guards: FunctionGuards, flow: Flow) -> bool:
    """Whether blocks that are reached less often than it seems decide what became of an object."""
    inexact = guards.inexact
    if not inexact:
        return False
    if any(block in inexact for block, _ in flow.settled):
        return True
    return any(
        lists.block[node] in inexact and (held >= 0 or node in lists.returns)
        for node, held in flow.reached
    )


@dataclass(slots=True)
class UnsettledWays:
    """Ways from some blocks to an end of their function on which an object is still in our hands."""

    guards: FunctionGuards
    starts: dict[int, Guard]  # by block
    settled: dict[int, Guard]  # by block
    is_exact: bool = True  # no way was left out
    ways: dict[int, Guard] = field(default_factory=dict)

    def find(self) -> Guard:
        guards, space = self.guards, self.guards.context.space
        found, passed = space.false, 0
        self.ways.update(self.starts)
        for at in guards.order:
            way = self.ways.pop(at, None)
            if way is None:
                continue
            passed += 1
            if passed > _MOST_BLOCKS:
                self.is_exact = False
                break
            way = self._few(way & guards.comes_through(at) & ~self.settled.get(at, space.false))
            if space.is_false(way):
                continue
            if guards.context.op[guards.context.instr_start[at + 1] - 1] in (OP_RET, OP_RESUME):
                found = self._few(found | way)
            else:
                self._leave(at, way)
        return found

    def _leave(self, at: int, way: Guard) -> None:
        guards, target = self.guards, self.guards.context.edge_target
        for edge in guards.cfg.out_edges.get(at, ()):
            if edge not in guards.cfg.back_edges:
                self._go(target[edge], way & guards.first_condition(edge))
                continue
            here = way & guards.edge_condition(edge)
            for out in guards.loop_at[target[edge]].exits:  # after a turn, by any of them
                self._go(target[out], here)

    def _go(self, target: int, way: Guard) -> None:
        if not self.guards.context.space.is_false(way):
            known = self.ways.get(target)
            self.ways[target] = self._few(way if known is None else known | way)

    def _few(self, way: Guard) -> Guard:
        space = self.guards.context.space
        if space.size(way) <= _MOST_NODES:
            return way
        chosen = space.one_solution(way) or {}
        if len(chosen) + 2 < space.size(way):
            self.is_exact = False
        return space.cube(chosen)


def unsettled_ways(
    lists: GraphLists,
    guards: FunctionGuards,
    starts: list[tuple[int, Guard]],
    flow: Flow,
    kept: list[tuple[int, Guard]],
) -> tuple[Guard, bool]:
    """The ways on which an object is neither freed nor gone nor held, and whether none was left out.

    `kept`: the blocks from which on somebody holds it.
    A loop that releases runs at least once (SPARROW): what it frees, it frees where it begins.
    """
    cfg, space = guards.cfg, guards.context.space
    around = {index for block, _ in starts for index in cfg.loops_of.get(block, ())}
    returned, is_sure = _returned(lists, guards, flow)
    at_blocks: dict[int, list[Guard]] = {}
    for block, guard in [*flow.settled, *kept, *returned]:
        outer = [index for index in cfg.loops_of.get(block, ()) if index not in around]
        place = cfg.loops[outer[-1]].header if outer else block
        at_blocks.setdefault(place, []).append(guard)
    settled = {block: space.any_of(found) for block, found in at_blocks.items()}
    begin: dict[int, Guard] = {}
    for block, guard in starts:
        begin[block] = begin[block] | guard if block in begin else guard
    walk = UnsettledWays(guards, begin, settled)
    return walk.find(), walk.is_exact and is_sure


def _returned(
    lists: GraphLists, guards: FunctionGuards, flow: Flow
) -> tuple[list[tuple[int, Guard]], bool]:
    """The blocks that lead to a `return` of the object, and whether each leads nowhere else."""
    context, node_of = guards.context, lists.svfg.node_of_value
    found: list[tuple[int, Guard]] = []
    is_sure = True
    for (node, held), guard in flow.reached.items():
        if held >= 0 or node not in lists.returns:
            continue
        instr = context.instr_of(lists.value[node])
        if instr < 0 or context.op[instr] != OP_PHI:
            found += [(context.instr_block[at], guard) for at in lists.returns[node]]
            continue
        first = context.operand_start[instr]
        for position, operand in enumerate(context.operands(instr)):
            come = flow.reached.get((int(node_of[operand]), -1))
            if come is not None:
                block = context.operand_block[first + position]
                found.append((block, come))
                is_sure = is_sure and len(guards.cfg.out_edges.get(block, ())) == 1
    return found, is_sure
