"""A short look at a block that stage 1 calls safe: is there an execution that loses it after all?

In:    Knowledge, blocks (the function to begin in, the calls that lead to the allocation).
Out:   `Glance` of each: lost, handed to callers, released.
Stage 1 lets a block go where its conditions are rounded, where somebody might hold it, where a callee's
result decides. A bounded search without a proposal is cheap (a fiftieth of a second) and knows no such
reasons: what it loses is put to `Replayer`, which refines and decides.
Guarantees: bounded by steps; answers depend on the block alone.
Not modelled: refinement of calls (that is replay's). That an allocation fails is tried for blocks that
are made in a loop: stage 1 proposes others, but does not tell an earlier turn's block from this one's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from heapflow.replay.config import ReplayConfig
from heapflow.replay.events import EventKind
from heapflow.replay.hunt import Candidate
from heapflow.replay.knowledge import Knowledge
from heapflow.replay.search import Search
from heapflow.replay.state import State


@dataclass(frozen=True, slots=True)
class Glance:
    """What a short search saw of a block."""

    lost: bool = False  # in the function it began in, or lost to its callers
    inside: bool = False  # made and lost in one call: a search that begins there sees it, too
    handed: bool = False  # on some path callers get it
    released: bool = False  # on some path
    cuts: tuple[str, ...] = ()
    steps: int = 0


def glance_at(
    knowledge: Knowledge,
    config: ReplayConfig,
    func: int,
    chain: tuple[int, ...],
    most_steps: int,
    may_fail: bool = False,
) -> Glance:
    """Search from the entry of `func` for a loss of the block that `chain` makes."""
    search = Search(knowledge, config, Candidate(func, chain), may_fail=may_fail)
    found = search.run(most_steps)
    left = most_steps - found.steps
    holding = search.hunt.calls_holding(knowledge)
    if found.state is None and holding and left > 0:
        # What such a call gave holds the block: is it known to anybody?
        steps, search = found.steps, Search(knowledge, config, Candidate(func, chain), holding)
        found = search.run(left)
        found.steps += steps
    loss = found.state.loss if found.state is not None else None
    inside = found.state is not None and _is_made_inside(found.state)
    hunt = search.hunt
    cuts = tuple(sorted(found.cuts))
    lost = loss is not None and not inside
    return Glance(lost, inside, hunt.was_handed, hunt.was_released, cuts, found.steps)


def is_repeated(knowledge: Knowledge, chain: tuple[int, ...]) -> bool:
    """Whether a block is made in a loop, of its own function or of one that leads there."""
    for instr in chain:
        code, block = knowledge.code(knowledge.func_of(instr)), knowledge.instr_block[instr]
        if any(edge.target in code.distance((block,)) for edge in code.blocks[block].edges):
            return True
    return False


def _is_made_inside(state: State) -> bool:
    """Whether a block was lost in the very call that made it: nobody was called since from the function
    in which the search began. A callee that loses what it was given is another matter."""
    loss, trail = state.loss, state.trail
    if loss is None or loss.depth == 1:
        return False
    while trail is not None and trail.event[:3:2] != (EventKind.ALLOCATED, loss.obj):
        if trail.event.kind is EventKind.ENTERED and trail.event.depth == 1:
            return False
        trail = trail.before
    return trail is not None and trail.event.depth > 1


def affordable(
    knowledge: Knowledge,
    config: ReplayConfig,
    blocks: Sequence[tuple[int, tuple[int, ...]]],
) -> list[int]:
    """Numbers of the blocks that are looked at, as far as the budget goes."""
    first = nearest_first(knowledge, blocks)[
        : budget(knowledge, config) // max(config.glance_steps, 1)
    ]
    return sorted(first)


def budget(knowledge: Knowledge, config: ReplayConfig) -> int:
    """Instructions that may be executed for all blocks: it grows with the program."""
    steps = len(knowledge.instr_block) // max(config.instructions_per_glance_step, 1)
    return max(steps, config.least_glance_steps)


def nearest_first(knowledge: Knowledge, blocks: Sequence[tuple[int, tuple[int, ...]]]) -> list[int]:
    """Numbers of the blocks: what is made nearest and in the smallest functions first."""
    sizes = [knowledge.size(func) for func, _ in blocks]
    return sorted(range(len(blocks)), key=lambda n: (len(blocks[n][1]), sizes[n], n))
