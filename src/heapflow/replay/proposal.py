"""Which way a search is to go: branches that it takes only when nothing else is left.

In:    a candidate with stage 1's condition, or a path that was found with fewer calls entered.
Out:   `Proposal`.
A path that was found says more than a condition: with a call of it entered, the next search keeps to
it, and looks for ways through the callee that let it go on as before.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from heapflow.replay.code import Block
from heapflow.replay.events import EventKind
from heapflow.replay.frame import Frame
from heapflow.replay.knowledge import Knowledge
from heapflow.replay.state import State

_Jump = tuple[int, int]  # from block to block


@dataclass(frozen=True, slots=True)
class Proposal:
    """Ways that speak against it."""

    deferred: frozenset[int] = frozenset()  # edges
    strays: frozenset[_Jump] = frozenset()  # jumps that only such edges make

    def is_against(self, frame: Frame, source: int, target: int) -> bool:
        """Whether a jump goes against the proposal. Where a loop must be entered, leaving it by its
        own test after a turn does not."""
        if (source, target) not in self.strays:
            return False
        header = frame.code.own_exits().get((source, target))
        return header is None or header not in frame.turns


def by_condition(knowledge: Knowledge, func: int, deferred: frozenset[int]) -> Proposal:
    """The edges of the candidate's function that its condition does not take."""
    if not deferred:
        return Proposal()
    return Proposal(deferred, _only_by(knowledge.code(func).blocks.values(), deferred))


def by_path(knowledge: Knowledge, path: State) -> Proposal:
    """At every branch of a path, the edges that it did not take there."""
    taken: set[int] = set()
    branches: dict[int, Block] = {}
    for event in path.events():
        if event.kind is EventKind.BRANCH:
            taken.add(event.detail)
            block = knowledge.instr_block[event.instr]
            branches[block] = knowledge.code(knowledge.block_func[block]).blocks[block]
    edges = (edge.id for block in branches.values() for edge in block.edges)
    deferred = frozenset(edges) - taken
    return Proposal(deferred, _only_by(branches.values(), deferred))


def _only_by(blocks: Iterable[Block], deferred: frozenset[int]) -> frozenset[_Jump]:
    """Jumps that no other edge makes."""
    edges = [(block.id, edge) for block in blocks for edge in block.edges]
    taken = {(source, edge.target) for source, edge in edges if edge.id not in deferred}
    return frozenset((source, edge.target) for source, edge in edges) - taken
