"""A second look at what stage 1 calls safe: bounded executions propose candidates of their own.

In:    Knowledge, Detection (what is doubtful, what met a limit).     Out: candidates, what stays open.
A block that execution hands to callers, and that stage 1 did not hand on, is looked at in them, too.
Guarantees: bounded by a budget that grows with the program; the same whatever the number of processes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from functools import partial

from heapflow.flow.flow import Source
from heapflow.frontend.workers import spread
from heapflow.ir.ids import FuncId, InstrId
from heapflow.leaks.leaks import Detection, Verdict, handed_up
from heapflow.replay.config import ReplayConfig
from heapflow.replay.glance import (
    Glance,
    affordable,
    budget,
    glance_at,
    is_repeated,
    nearest_first,
)
from heapflow.replay.knowledge import Knowledge
from heapflow.support.run import Run


@dataclass(slots=True)
class SecondLook:
    """What came of it."""

    candidates: list[Verdict] = field(default_factory=list)
    looked_at: int = 0
    left_out: int = 0  # beyond the budget
    # What a limit of stage 1 makes safe, and a look that met a bound, or was left out, does not.
    still_open: list[tuple[Source, str]] = field(default_factory=list)
    steps: int = 0


def look_again(
    knowledge: Knowledge,
    detection: Detection,
    config: ReplayConfig,
    jobs: int,
    run: Run,
) -> SecondLook:
    """Look at the blocks that the budget allows, then at those that callers get.

    What is safe only because of a limit has a budget of its own. What stage 1 gave up is executed as a
    candidate in any case: here it is asked whether callers get it, which stage 1 does not tell then.
    """
    result = SecondLook()
    wave = _affordable(knowledge, detection.settled, config)
    doubtful = detection.rounded + [(replace(one), limit) for one, limit in detection.cut_off]
    limits = dict(doubtful)  # verdicts are told apart by what they are, not by what they say
    asked = {verdict for verdict, _ in doubtful[len(detection.rounded) :]}
    unsure = _affordable(knowledge, [verdict for verdict, _ in doubtful], config)
    result.left_out = len(detection.settled) - len(wave) + len(doubtful) - len(unsure)
    left_out = limits.keys() - set(unsure)
    result.still_open += [(one.source, limit) for one, limit in doubtful if one in left_out]
    wave += unsure
    left = budget(knowledge, config)
    safe: list[tuple[Verdict, Glance]] = []
    for turn in range(config.glance_depth):
        if not wave:
            break
        before = len(wave)
        wave, glances = _short_looks(knowledge, wave, limits.keys(), config, jobs, run)
        result.left_out += before - len(wave)
        left -= sum(glance.steps for glance in glances)
        left -= (before - len(wave)) * config.glance_steps
        # What callers get is looked at there: its own function can wait.
        here = [number for number, glance in enumerate(glances) if not glance.handed]
        steps = config.glance_long_steps
        left -= _look_longer(knowledge, wave, glances, here, steps, left, config, jobs, run)
        unsure_ones = [number for number, verdict in enumerate(wave) if verdict in limits]
        steps = config.glance_limited_steps
        left -= _look_longer(knowledge, wave, glances, unsure_ones, steps, left, config, jobs, run)
        result.looked_at += len(wave)
        result.steps += sum(glance.steps for glance in glances)
        further: list[Verdict] = []
        for verdict, glance in zip(wave, glances, strict=True):
            limit = limits.get(verdict, "")
            if glance.lost and verdict not in asked:
                elsewhere = verdict.safe_elsewhere and bool(verdict.flow.frees)
                is_safe = elsewhere or glance.released or glance.handed
                result.candidates.append(replace(verdict, safe_elsewhere=is_safe))
            is_open = bool(glance.cuts) and not glance.lost and verdict not in asked
            if glance.handed:
                above, all_of_them = _at_callers(knowledge, verdict, detection.known, config)
                further += above
                limits.update((one, limit) for one in above if limit)
                is_open |= not all_of_them or turn + 1 == config.glance_depth
            if limit and is_open:
                result.still_open.append((verdict.source, limit))
            elif not glance.lost and verdict not in asked:
                safe.append((verdict, glance))
        most = max(left, 0) // max(config.glance_steps, 1)
        wave, beyond = further[:most], further[most:]
        result.left_out += len(beyond)
        limited = [(one, limits.get(one, "")) for one in beyond]
        result.still_open += [(one.source, limit) for one, limit in limited if limit]
    _look_at_safe(knowledge, safe, left, config, jobs, run, result)
    return result


def _short_looks(
    knowledge: Knowledge,
    wave: list[Verdict],
    limited: Collection[Verdict],
    config: ReplayConfig,
    jobs: int,
    run: Run,
) -> tuple[list[Verdict], list[Glance]]:
    """Look at each block, the nearest first. Where these are a part of the budget and none of them is
    lost, the others are safe, too, but for those that only a limit makes so."""
    blocks = [(one.source.func, one.source.chain) for one in wave]
    part = budget(knowledge, config) // max(config.glance_steps * config.patient_part, 1)
    near = sorted(nearest_first(knowledge, blocks)[:part])

    def look(numbers: list[int]) -> None:
        some = [wave[number] for number in numbers]
        found = _glances(knowledge, some, config.glance_steps, config, jobs, run)
        seen.update(zip(numbers, found, strict=True))

    seen: dict[int, Glance] = {}
    look(near)
    goes_on = any(glance.lost for glance in seen.values())
    far = [n for n in range(len(wave)) if n not in seen]
    look([n for n in far if goes_on or wave[n] in limited])
    kept = sorted(seen)
    return [wave[n] for n in kept], [seen[n] for n in kept]


def _look_at_safe(
    knowledge: Knowledge,
    safe: list[tuple[Verdict, Glance]],
    left: int,
    config: ReplayConfig,
    jobs: int,
    run: Run,
    result: SecondLook,
) -> None:
    """With what is left, look longer at what callers get, and at blocks of loops with an allocation
    that fails."""
    verdicts, glances = [one for one, _ in safe], [glance for _, glance in safe]
    handed = [number for number, glance in enumerate(glances) if glance.handed]
    steps = config.glance_long_steps
    taken = _look_longer(knowledge, verdicts, glances, handed, steps, left, config, jobs, run)
    taken += _look_at_failures(knowledge, verdicts, glances, left - taken, config, jobs, run)
    result.steps += taken
    result.candidates += [
        replace(verdict, safe_elsewhere=True)
        for verdict, glance in zip(verdicts, glances, strict=True)
        if glance.lost
    ]


def _affordable(
    knowledge: Knowledge, verdicts: list[Verdict], config: ReplayConfig
) -> list[Verdict]:
    blocks = [(one.source.func, one.source.chain) for one in verdicts]
    return [verdicts[number] for number in affordable(knowledge, config, blocks)]


def _look_longer(
    knowledge: Knowledge,
    verdicts: list[Verdict],
    glances: list[Glance],
    asked: Iterable[int],
    steps: int,
    left: int,
    config: ReplayConfig,
    jobs: int,
    run: Run,
) -> int:
    """Look again at what a short search did not see to its end, as far as the budget goes: glances
    are replaced. The instructions that it took."""
    short = [
        number
        for number in asked
        if "steps" in glances[number].cuts
        if not (glances[number].lost or glances[number].inside)
    ]
    sources = [verdicts[number].source for number in short]
    order = nearest_first(knowledge, [(one.func, one.chain) for one in sources])
    affordable_ones = order[: max(left, 0) // max(steps, 1)]
    _count_left_out(run, len(order) - len(affordable_ones))
    chosen = sorted(short[number] for number in affordable_ones)
    again = [verdicts[number] for number in chosen]
    longer = _glances(knowledge, again, steps, config, jobs, run)
    for number, glance in zip(chosen, longer, strict=True):
        glances[number] = replace(glance, steps=glances[number].steps + glance.steps)
    return sum(glance.steps for glance in longer)


def _count_left_out(run: Run, how_many: int) -> None:
    if how_many > 0:
        run.hit_limit("replay: longer looks beyond the budget of second looks", how_many)


def _look_at_failures(
    knowledge: Knowledge,
    verdicts: list[Verdict],
    glances: list[Glance],
    left: int,
    config: ReplayConfig,
    jobs: int,
    run: Run,
) -> int:
    """Look at blocks of loops once more, with an allocation that fails, as far as the budget goes:
    glances that see a loss then are replaced. The instructions that it took."""
    repeated = [
        number
        for number, glance in enumerate(glances)
        if not (glance.lost or glance.inside)
        if is_repeated(knowledge, verdicts[number].source.chain)
    ]
    sources = [verdicts[number].source for number in repeated]
    order = nearest_first(knowledge, [(one.func, one.chain) for one in sources])
    affordable_ones = order[: max(left, 0) // max(config.glance_steps, 1)]
    _count_left_out(run, len(order) - len(affordable_ones))
    chosen = sorted(repeated[number] for number in affordable_ones)
    again = [verdicts[number] for number in chosen]
    failing = _glances(knowledge, again, config.glance_steps, config, jobs, run, may_fail=True)
    for number, glance in zip(chosen, failing, strict=True):
        before = glances[number]
        glances[number] = replace(before, lost=glance.lost, steps=before.steps + glance.steps)
    return sum(glance.steps for glance in failing)


def _glances(
    knowledge: Knowledge,
    verdicts: list[Verdict],
    most_steps: int,
    config: ReplayConfig,
    jobs: int,
    run: Run,
    may_fail: bool = False,
) -> list[Glance]:
    def look(number: int) -> Glance:
        if run.limits.are_over():
            return Glance()
        source = verdicts[number].source
        return glance_at(knowledge, config, source.func, source.chain, most_steps, may_fail)

    tell = partial(run.step, name="second looks", unit="blocks")
    return spread(look, len(verdicts), jobs, lambda number: Glance(), tell)


def _at_callers(
    knowledge: Knowledge,
    verdict: Verdict,
    known: set[tuple[InstrId, InstrId]],
    config: ReplayConfig,
) -> tuple[list[Verdict], bool]:
    """The block at calls of its function that stage 1 did not hand it to; whether those are all."""
    source, found = verdict.source, []
    if knowledge.calls is None:
        return [], True
    callers = knowledge.calls.callers(source.func)
    for call in callers[: config.glance_callers]:
        key = (source.chain[0], InstrId(call))
        if key not in known and call not in source.chain:
            known.add(key)
            found.append(handed_up(verdict, FuncId(knowledge.func_of(call)), InstrId(call)))
    return found, len(callers) <= config.glance_callers
