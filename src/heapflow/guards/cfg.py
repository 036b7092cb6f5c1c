"""One function's control flow for guards: forward edges, loops, and a topological order.

Back edges are the retreating edges of a depth-first walk; on reducible flow (all but a few `goto` into
loops) these are the edges to loop headers. Without them the graph is acyclic.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, field

from heapflow.ir.codes import EDGE_UNWIND
from heapflow.ir.ids import BlockId, EdgeId, FuncId
from heapflow.ir.program import Program
from heapflow.support.dominators import find_dominators, find_frontiers


@dataclass(slots=True)
class Loop:
    """A natural loop."""

    header: BlockId
    blocks: set[BlockId]
    latches: list[BlockId] = field(default_factory=list)
    exits: list[EdgeId] = field(default_factory=list)  # edge ids that leave it


@dataclass(slots=True)
class FunctionCfg:
    """Blocks are program-wide ids; edges are indices into the program's edge columns."""

    entry: BlockId
    order: list[BlockId]  # reachable blocks, topological on forward edges
    out_edges: dict[BlockId, list[EdgeId]]
    in_edges: dict[BlockId, list[EdgeId]]  # forward edges only
    back_edges: set[EdgeId]
    loops: list[Loop]
    loops_of: dict[BlockId, list[int]]  # block -> loop indices, innermost first
    above: dict[BlockId, BlockId]  # block -> its immediate dominator
    frontier: dict[BlockId, list[BlockId]]  # block -> joins where what it did meets something else
    rejoins: dict[
        BlockId, BlockId
    ]  # join -> its dominator, if every way on from that leads to the join


def build_cfg(program: Program, func: FuncId) -> FunctionCfg:
    """The control flow of a function with a body."""
    blocks = program.blocks
    first, last = (BlockId(int(program.functions.block_start[func + i])) for i in (0, 1))
    base = int(blocks.edge_start[first])
    starts = (blocks.edge_start[first : last + 1]).tolist()
    targets: list[BlockId] = blocks.edge_target[base : starts[-1]].tolist()
    kinds = blocks.edge_kind[base : starts[-1]].tolist()
    out_edges: dict[BlockId, list[EdgeId]] = {}
    for index, block in enumerate(map(BlockId, range(first, last))):
        # Unwinding is not followed: C has no handlers that resume.
        out_edges[block] = [
            EdgeId(e)
            for e in range(starts[index], starts[index + 1])
            if kinds[e - base] != EDGE_UNWIND
        ]
    order, back = _depth_first(first, out_edges, targets, base)
    in_edges: dict[BlockId, list[EdgeId]] = {block: [] for block in order}
    for block in order:
        for edge in out_edges[block]:
            if edge not in back:
                in_edges[targets[edge - base]].append(edge)
    loops = _find_loops(order, out_edges, back, targets, base)
    loops_of: dict[BlockId, list[int]] = {}
    for index in sorted(range(len(loops)), key=lambda i: len(loops[i].blocks)):
        for block in loops[index].blocks:
            loops_of.setdefault(block, []).append(index)
    successors = {b: [targets[e - base] for e in out_edges[b]] for b in order}
    above, frontier, rejoins = _find_rejoins(order, successors)
    return FunctionCfg(
        first, order, out_edges, in_edges, back, loops, loops_of, above, frontier, rejoins
    )


def leads_to(
    cfg: FunctionCfg, edge_target: list[BlockId], block: BlockId, others: Container[int]
) -> bool:
    """Whether a way leads from a block to one of others; none is needed if it is one of them."""
    seen, pending = {block}, [block]
    while pending:
        at = pending.pop()
        if at in others:
            return True
        for edge in cfg.out_edges.get(at, ()):
            if edge_target[edge] not in seen:
                seen.add(edge_target[edge])
                pending.append(edge_target[edge])
    return False


def _depth_first(
    entry: BlockId, out_edges: dict[BlockId, list[EdgeId]], targets: list[BlockId], base: int
) -> tuple[list[BlockId], set[EdgeId]]:
    """Reverse postorder of the reachable blocks, and the retreating edges."""
    state: dict[BlockId, int] = {entry: 1}  # 1 open, 2 closed
    postorder: list[BlockId] = []
    back: set[EdgeId] = set()
    stack: list[tuple[BlockId, int]] = [(entry, 0)]
    while stack:
        block, position = stack.pop()
        edges = out_edges[block]
        advanced = False
        while position < len(edges):
            edge = edges[position]
            position += 1
            target = targets[edge - base]
            seen = state.get(target)
            if seen == 1:
                back.add(edge)
            elif seen is None:
                state[target] = 1
                stack.append((block, position))
                stack.append((target, 0))
                advanced = True
                break
        if not advanced:
            state[block] = 2
            postorder.append(block)
    postorder.reverse()
    return postorder, back


def _find_loops(
    order: list[BlockId],
    out_edges: dict[BlockId, list[EdgeId]],
    back: set[EdgeId],
    targets: list[BlockId],
    base: int,
) -> list[Loop]:
    predecessors: dict[BlockId, list[BlockId]] = {}
    source_of: dict[EdgeId, BlockId] = {}
    for block in order:
        for edge in out_edges[block]:
            predecessors.setdefault(targets[edge - base], []).append(block)
            source_of[edge] = block
    by_header: dict[BlockId, Loop] = {}
    for edge in sorted(back):
        header, latch = targets[edge - base], source_of[edge]
        loop = by_header.setdefault(header, Loop(header, {header}))
        loop.latches.append(latch)
        stack = [latch]
        while stack:
            block = stack.pop()
            if block not in loop.blocks:
                loop.blocks.add(block)
                stack += predecessors.get(block, ())
    for loop in by_header.values():
        loop.exits = [
            edge
            for block in sorted(loop.blocks)
            for edge in out_edges[block]
            if targets[edge - base] not in loop.blocks
        ]
    return [by_header[header] for header in sorted(by_header)]


def _find_rejoins(
    order: list[BlockId], successors: dict[BlockId, list[BlockId]]
) -> tuple[dict[BlockId, BlockId], dict[BlockId, list[BlockId]], dict[BlockId, BlockId]]:
    """Immediate dominators, dominance frontiers, and the joins that post-dominate their dominator.

    All ways out of the function and all loops without an exit lead to one imagined last block.
    """
    number = {block: index for index, block in enumerate(order)}
    forward = [sorted({number[t] for t in successors[block]}) for block in order]
    backward: list[list[int]] = [[] for _ in order]
    for source, following in enumerate(forward):
        for target in following:
            backward[target].append(source)
    joins = [index for index, sources in enumerate(backward) if len(sources) > 1]
    if not joins:  # a tree
        above = {order[t]: order[s] for t, sources in enumerate(backward) for s in sources}
        return above, {}, {}
    ends = [index for index, following in enumerate(forward) if not following]
    ending = set(ends)
    while ends:
        for source in backward[ends.pop()]:
            if source not in ending:
                ending.add(source)
                ends.append(source)
    dominators = find_dominators(forward, backward)
    last = [i + 1 for i, following in enumerate(forward) if not following or i not in ending]
    reverse_next = [last] + [[s + 1 for s in sources] for sources in backward]
    reverse_back: list[list[int]] = [[]] + [[t + 1 for t in following] for following in forward]
    for index in last:
        reverse_back[index] = [*reverse_back[index], 0]
    after = find_dominators(reverse_next, reverse_back)
    idoms = dominators.idom
    return (
        {order[index]: order[idom] for index, idom in enumerate(idoms) if idom >= 0},
        {
            order[index]: [order[join] for join in met]
            for index, met in enumerate(find_frontiers(dominators, backward))
            if met
        },
        {
            order[join]: order[idoms[join]]
            for join in joins
            if idoms[join] >= 0 and after.dominates(join + 1, idoms[join] + 1)
        },
    )
