"""All candidates of a run within a budget: brief searches for all, longer ones for as many as it pays.

In:    Knowledge, `Asked` of each candidate (made where it is executed).     Out: `Replayed` of each.
Four of five losses that replay finds at all, it finds within 400 instructions of one search; most that
it does not find use up whatever a search may use. So there are rounds. A scout searches for every
candidate once and briefly, with calls passed; of losses that bounds kept from it, another one passes
loops, out of a budget of its own: or candidates in loops would leave none for the others. Where a scout
finds a path, that is looked into: calls that it rests on are entered, callers are tried. The others are
searched for once more. Losses of which a path was seen, with loops executed or passed, and which a
bound left open, are searched for with loops passed. Then, what only its steps ended, with all that one
candidate may take; misuses have rounds of their own there, or the losses of a large file would leave
nothing for them. Each round goes as far as its budget, which grows with the program. What is charged is
what was executed, a batch at a time. A round of searches of which no path was seen before ends earlier
where it settles nothing: after a part of its budget without an answer.
Guarantees: the same whatever the number of processes. What a round leaves out keeps the answer of the
round before, which names the bound, and is counted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from heapflow.frontend.workers import spread
from heapflow.replay.answer import NO_BUDGET, Outcome, Replayed, Severity
from heapflow.replay.config import ReplayConfig
from heapflow.replay.hunt import Candidate
from heapflow.replay.knowledge import Knowledge
from heapflow.replay.replay import Replayer
from heapflow.support.run import Run

_IN_LOOPS = frozenset(("steps", "turns"))  # bounds that a search meets in loops


@dataclass(frozen=True, slots=True)
class Asked:
    """A candidate that is not made yet: the hint takes time."""

    make: Callable[[], Candidate]
    func: int
    is_loss: bool = True
    is_own: bool = True  # whether the function acquires what it is about
    is_sure: bool = True  # whether it is about one pointer, and not about two into one list
    far: int = 0  # of a misuse: instructions between what releases and what comes after it


@dataclass(frozen=True, slots=True)
class Round:
    """Searches of one length."""

    config: ReplayConfig
    steps: int  # that all of them may take, as long as another batch is begun
    name: str
    glimpsed: bool | None = None  # for candidates of which a path was found before, or for others
    losses: bool | None = None  # for losses, or for misuses
    decides: bool = False  # not for what is confirmed, and a note at most; of losses for no other
    skips: bool = False  # loops are passed: for losses that are not confirmed
    patience: int = 0  # steps without an answer after which it ends; 0: however long

    def is_for(self, asked: Asked, answer: Replayed) -> bool:
        if not answer.hurried or self.losses not in (None, asked.is_loss):
            return False
        if self.skips and self.config.scouts:
            is_cut = not _IN_LOOPS.isdisjoint(answer.bounds)
            may_skip = self.config.skips_loops and asked.is_loss
            return may_skip and is_cut and not answer.glimpsed
        if self.skips:
            is_open = answer.outcome is not Outcome.CONFIRMED and not answer.rests_on_invented
            return is_open and answer.glimpsed
        if answer.skips:
            return False
        if self.decides and (answer.outcome is Outcome.CONFIRMED or asked.is_loss):
            return answer.outcome is Outcome.CONFIRMED and answer.severity is Severity.LASTING
        return self.glimpsed in (None, answer.glimpsed)


def replay_all(
    knowledge: Knowledge, asked: list[Asked], config: ReplayConfig, jobs: int, run: Run
) -> list[Replayed]:
    """What execution says of each candidate; one on which a process dies is not confirmed."""
    return replay_in_rounds(knowledge, asked, _rounds(knowledge, config), jobs, run)


def replay_in_rounds(
    knowledge: Knowledge,
    asked: list[Asked],
    rounds: tuple[Round, ...],
    jobs: int,
    run: Run,
    unit: str = "candidates",
) -> list[Replayed]:
    """The same with rounds of one's own."""
    answers = [_NOT_BEGUN] * len(asked)
    for one in rounds:
        waiting = [n for n, answer in enumerate(answers) if one.is_for(asked[n], answer)]
        waiting.sort(key=lambda number: _order(knowledge, asked[number], answers[number], number))
        done = _replay_within(knowledge, asked, answers, waiting, one, jobs, run, unit)
        if one.name:
            run.count(f"{unit} with {one.name}", done)
        if done < len(waiting):
            what = one.name or "searches"
            run.hit_limit(f"replay: {unit} beyond the budget of {what}", len(waiting) - done)
    return answers


_NOT_BEGUN = Replayed(Outcome.NOT_CONFIRMED, bounds=(NO_BUDGET,), hurried=True)


def _rounds(knowledge: Knowledge, config: ReplayConfig) -> tuple[Round, ...]:
    """A scout for each, then what it found, then what was cut short."""
    size = len(knowledge.instr_block)
    scout = replace(
        config,
        scouts=True,
        most_search_steps=min(config.scout_search_steps, config.most_search_steps),
        most_misuse_steps=min(config.scout_misuse_steps, config.most_misuse_steps),
    )
    refine = replace(
        config,
        most_steps=min(config.refine_steps, config.most_steps),
        most_search_steps=min(config.refine_search_steps, config.most_search_steps),
        most_misuse_steps=min(config.refine_misuse_steps, config.most_misuse_steps),
        most_refined_steps=min(config.refine_steps, config.most_refined_steps),
        most_fail_steps=min(config.refine_search_steps // 2, config.most_fail_steps),
    )

    def budget(per_instruction: int, least: int) -> int:
        return max(per_instruction * size, least)

    second = budget(config.second_per_instruction, config.least_second)
    long = budget(config.long_per_instruction, config.least_long)
    passing = budget(config.passing_per_instruction, config.least_passing)
    # Of small programs, each misuse that is suspected gets its second search.
    misused = max(second // 2, config.least_second)

    def seconds(steps: int, losses: bool) -> Round:
        name = "second searches" if losses else "second searches for a misuse"
        is_small = steps <= config.least_second  # then the whole budget costs next to nothing
        patience = 0 if is_small else steps // max(config.patient_part, 1)
        if patience and not losses:
            patience = max(patience, config.least_second)  # as much as a small program has
        return Round(refine, steps, name, glimpsed=False, losses=losses, patience=patience)

    return (
        Round(scout, budget(config.scout_per_instruction, config.least_scout), ""),
        Round(
            scout,
            budget(config.passing_scout_per_instruction, config.least_passing_scout),
            "scouts that pass loops",
            losses=True,
            skips=True,
        ),
        Round(
            refine,
            budget(config.refine_per_instruction, config.least_refine),
            "paths looked into",
            glimpsed=True,
        ),
        seconds(second, losses=True),
        seconds(misused, losses=False),
        Round(
            replace(
                refine, most_misuse_steps=min(config.third_misuse_steps, config.most_misuse_steps)
            ),
            misused,
            "third searches for a misuse",
            glimpsed=False,
            losses=False,
        ),
        Round(
            refine,
            passing,
            "searches that pass loops",
            losses=True,
            skips=True,
            patience=passing // max(config.patient_part, 1),
        ),
        Round(config, long // 2, "long searches", glimpsed=True, losses=True, decides=True),
        Round(
            config,
            long // 2,
            "long searches for a misuse",
            glimpsed=True,
            losses=False,
            decides=True,
        ),
    )


def _order(
    knowledge: Knowledge, one: Asked, answer: Replayed, number: int
) -> tuple[bool, bool, tuple[bool, bool, bool], int, int, int]:
    """What seemed confirmed first, then what has a path unless a callee excludes it, then losses,
    then misuses: those of what the function itself acquired, then others, of which a path has to make
    up what they are like, and those of two pointers at last. What goes wrong soon after the release
    comes first: little can turn it away. Then small functions."""
    kind = (not one.is_loss, not one.is_sure, not one.is_own)
    is_confirmed = answer.outcome is Outcome.CONFIRMED
    size = knowledge.size(one.func)
    return not is_confirmed, not answer.glimpsed, kind, one.far, size, number


def _replay_within(
    knowledge: Knowledge,
    asked: list[Asked],
    answers: list[Replayed],
    waiting: list[int],
    one: Round,
    jobs: int,
    run: Run,
    unit: str,
) -> int:
    """Candidates in their order until the round's steps, or its patience, are used up; how many."""
    left, done = one.steps, 0
    patient_until = left - one.patience if one.patience else 0
    while done < len(waiting) and left > patient_until:
        # As many as would use it up if each took all that it may: batches depend on no process.
        most = max(one.config.least_batch, left // max(one.config.most_steps, 1))
        batch = waiting[done : done + (most if left >= one.config.most_steps else 1)]
        skips = [one.skips for _ in batch]
        again = _replay(knowledge, [asked[n] for n in batch], skips, one, jobs, run, unit)
        for number, answer in zip(batch, again, strict=True):
            left -= answer.steps
            if one.patience and answer.outcome is not Outcome.NOT_CONFIRMED:
                patient_until = max(left - one.patience, 0)
            before = answers[number]
            if one.skips and answer.outcome is not Outcome.CONFIRMED:
                answer = _as_before(before, answer)
            answers[number] = replace(answer, steps=before.steps + answer.steps)
        done += len(batch)
    return done


def _as_before(before: Replayed, answer: Replayed) -> Replayed:
    """Where loops were passed and no loss was confirmed, it may be lost in turns that were passed."""
    if not answer.skips or before.skips:
        return replace(before, steps=answer.steps)
    is_turns = before.bounds == ("turns",)
    outcome = Outcome.NONE_WITHIN if is_turns else before.outcome
    return replace(before, outcome=outcome, steps=answer.steps, glimpsed=True, skips=True)


def _replay(
    knowledge: Knowledge,
    asked: list[Asked],
    skips: list[bool],
    one: Round,
    jobs: int,
    run: Run,
    unit: str,
) -> list[Replayed]:
    def replay(number: int) -> Replayed:
        if run.limits.are_over():
            return Replayed(Outcome.NOT_CONFIRMED, bounds=(run.limits.over,))
        return Replayer(knowledge, one.config, asked[number].make(), skips[number]).run()

    def crashed(number: int) -> Replayed:
        return Replayed(Outcome.NOT_CONFIRMED, bounds=("crash",))

    tell = partial(run.step, name=one.name, unit=unit)
    return spread(replay, len(asked), jobs, crashed, tell)
