"""A short look at a block that stage 1 calls safe: is there an execution that loses it after all?

In:    Knowledge, blocks (the function to begin in, the calls that lead to the allocation).
Out:   `Glance` of each: lost, handed to callers, released.
Stage 1 lets a block go where its conditions are rounded, where somebody might hold it, where a callee's
result decides. A bounded search without a proposal is cheap (a fiftieth of a second) and knows no such
reasons: what it loses is put to `Replayer`, which refines and decides.
Guarantees: bounded by steps; answers depend on the block alone.
Not modelled: allocations that fail (stage 1 proposes those), refinement of calls (that is replay's).
"""

from __future__ import annotations

from dataclasses import dataclass

from heapflow.replay.config import ReplayConfig
from heapflow.replay.hunt import Candidate
from heapflow.replay.knowledge import Knowledge
from heapflow.replay.search import Search


@dataclass(frozen=True, slots=True)
class Glance:
    """What a short search saw of a block."""

    lost: bool = False  # in the function it began in, or lost to its callers
    inside: bool = False  # lost in a callee: a search that begins there sees it, too
    handed: bool = False  # on some path callers get it
    released: bool = False  # on some path
    cuts: tuple[str, ...] = ()
    steps: int = 0


def glance_at(
    knowledge: Knowledge, config: ReplayConfig, func: int, chain: tuple[int, ...]
) -> Glance:
    """Search from the entry of `func` for a loss of the block that `chain` makes."""
    search = Search(knowledge, config, Candidate(func, chain))
    found = search.run(config.glance_steps)
    loss = found.state.loss if found.state is not None else None
    inside = loss is not None and loss.depth > 1
    hunt = search.hunt
    cuts = tuple(sorted(found.cuts))
    lost = loss is not None and not inside
    return Glance(lost, inside, hunt.was_handed, hunt.was_released, cuts, found.steps)


def affordable(
    knowledge: Knowledge, config: ReplayConfig, blocks: list[tuple[int, tuple[int, ...]]]
) -> list[int]:
    """Numbers of the blocks that are looked at: what is made nearest and in the smallest functions
    first, as far as the budget goes, which grows with the program."""
    left = len(knowledge.instr_block) // config.instructions_per_glance_step
    left = max(left, config.least_glance_steps)
    sizes = [knowledge.code(func).size for func, _ in blocks]
    order = sorted(range(len(blocks)), key=lambda n: (len(blocks[n][1]), sizes[n], n))
    return sorted(order[: left // config.glance_steps])
