"""A second look at what stage 1 calls safe: bounded executions propose candidates of their own.

In:    Knowledge, verdicts that are doubtful, which blocks stage 1 knows.     Out: candidates.
A block that execution hands to callers, and that stage 1 did not hand on, is looked at in them, too.
Guarantees: bounded by a budget that grows with the program; the same whatever the number of processes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from heapflow.frontend.workers import spread
from heapflow.leaks.secondlook import handed_up
from heapflow.leaks.verdict import Verdict
from heapflow.replay.config import ReplayConfig
from heapflow.replay.glance import Glance, affordable, glance_at
from heapflow.replay.knowledge import Knowledge


@dataclass(slots=True)
class SecondLook:
    """What came of it."""

    candidates: list[Verdict] = field(default_factory=list)
    looked_at: int = 0
    left_out: int = 0  # beyond the budget
    steps: int = 0


def look_again(
    knowledge: Knowledge,
    settled: list[Verdict],
    known: set[tuple[int, int]],
    config: ReplayConfig,
    jobs: int,
    is_over: Callable[[], bool],
) -> SecondLook:
    """Look at the blocks that the budget allows, then at those that callers get."""
    blocks = [(one.source.func, one.source.chain) for one in settled]
    chosen = affordable(knowledge, config, blocks)
    result = SecondLook(left_out=len(settled) - len(chosen))
    wave = [settled[number] for number in chosen]
    for _ in range(config.glance_depth):
        if not wave:
            break
        glances = _glances(knowledge, wave, config, jobs, is_over)
        result.looked_at += len(wave)
        result.steps += sum(glance.steps for glance in glances)
        further: list[Verdict] = []
        for verdict, glance in zip(wave, glances, strict=True):
            if glance.lost:
                elsewhere = verdict.safe_elsewhere and bool(verdict.flow.frees)
                is_safe = elsewhere or glance.released or glance.handed
                result.candidates.append(replace(verdict, safe_elsewhere=is_safe))
            if glance.handed:
                further += _at_callers(knowledge, verdict, known, config)
        wave = further
    return result


def _glances(
    knowledge: Knowledge,
    verdicts: list[Verdict],
    config: ReplayConfig,
    jobs: int,
    is_over: Callable[[], bool],
) -> list[Glance]:
    def look(number: int) -> Glance:
        if is_over():
            return Glance()
        source = verdicts[number].source
        return glance_at(knowledge, config, source.func, source.chain)

    return spread(look, len(verdicts), jobs, lambda number: Glance())


def _at_callers(
    knowledge: Knowledge, verdict: Verdict, known: set[tuple[int, int]], config: ReplayConfig
) -> list[Verdict]:
    """The block at calls of its function that stage 1 did not hand it to."""
    source, found = verdict.source, []
    if knowledge.calls is None:
        return []
    for call in knowledge.calls.callers(source.func)[: config.glance_callers]:
        key = (source.chain[0], call)
        if key not in known and call not in source.chain:
            known.add(key)
            found.append(handed_up(verdict, knowledge.func_of(call), call))
    return found
