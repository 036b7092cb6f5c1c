"""Which blocks of one function dominate which; blocks are counted from its first."""

from __future__ import annotations

from heapflow.ir.program import Program
from heapflow.support.dominators import Dominators, find_dominators


def block_dominators(program: Program, func: int) -> tuple[Dominators, list[list[int]]]:
    """The dominators, and the predecessors of each block."""
    blocks, start = program.blocks, program.functions.block_start
    first, last = int(start[func]), int(start[func + 1])
    successors = [
        (blocks.edge_target[blocks.edge_start[b] : blocks.edge_start[b + 1]] - first).tolist()
        for b in range(first, last)
    ]
    predecessors: list[list[int]] = [[] for _ in successors]
    for block, targets in enumerate(successors):
        for target in dict.fromkeys(targets):
            predecessors[target].append(block)
    return find_dominators(successors, predecessors), predecessors
