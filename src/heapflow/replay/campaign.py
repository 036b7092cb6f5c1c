"""All candidates of a run within a budget: a short search for each, long ones for as many as it pays.

In:    Knowledge, `Asked` of each candidate (made where it is executed).     Out: `Replayed` of each.
Nine of ten losses that replay finds at all, it finds within 1,500 instructions of one search; most that
it does not find use up whatever a search may use. So every candidate gets a short search first. Those
that only its steps ended get a long one, in the smallest functions first, as far as a budget goes that
grows with the program.
Guarantees: the same whatever the number of processes. What gets no long search keeps its short answer,
which names the bound, and is counted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from heapflow.frontend.workers import spread
from heapflow.replay.config import ReplayConfig
from heapflow.replay.hunt import Candidate
from heapflow.replay.knowledge import Knowledge
from heapflow.replay.replay import Outcome, Replayed, Replayer
from heapflow.support.run import Run


@dataclass(frozen=True, slots=True)
class Asked:
    """A candidate that is not made yet: the hint takes time."""

    make: Callable[[], Candidate]
    func: int
    is_loss: bool = True


def replay_all(
    knowledge: Knowledge, asked: list[Asked], config: ReplayConfig, jobs: int, run: Run
) -> list[Replayed]:
    """What execution says of each candidate; one on which a process dies is not confirmed."""
    short = _short(config, _share(knowledge, len(asked), config))
    answers = _replay(knowledge, asked, short, jobs, run, "")
    hurried = [number for number, answer in enumerate(answers) if answer.hurried]
    chosen = _affordable(knowledge, asked, answers, hurried, config)
    longer = [asked[number] for number in chosen]
    again = _replay(knowledge, longer, config, jobs, run, "long searches")
    for number, answer in zip(chosen, again, strict=True):
        steps = answers[number].steps + answer.steps
        answers[number] = replace(answer, steps=steps)
    run.count("candidates searched for at length", len(chosen))
    if len(chosen) < len(hurried):
        run.hit_limit(
            "replay: candidates beyond the budget of long searches", len(hurried) - len(chosen)
        )
    return answers


def _share(knowledge: Knowledge, candidates: int, config: ReplayConfig) -> int:
    """Steps that each candidate may take at first: many candidates in a small program get less."""
    share = config.short_steps_per_instruction * len(knowledge.instr_block) // max(candidates, 1)
    return max(config.least_short_steps, min(config.most_short_steps, share))


def _short(config: ReplayConfig, share: int) -> ReplayConfig:
    return replace(
        config,
        most_steps=min(share, config.most_steps),
        most_search_steps=min(config.first_search_steps, config.most_search_steps),
        most_misuse_steps=min(config.first_misuse_steps, config.most_misuse_steps),
    )


def _affordable(
    knowledge: Knowledge,
    asked: list[Asked],
    answers: list[Replayed],
    hurried: list[int],
    config: ReplayConfig,
) -> list[int]:
    """Numbers of the candidates that get a long search: what seemed confirmed, then what has a path
    unless a callee excludes it, then losses, then misuses; in small functions first."""
    left = config.long_steps_per_instruction * len(knowledge.instr_block)
    left = max(left, config.least_long_steps)

    def order(number: int) -> tuple[bool, bool, bool, int, int]:
        one, answer = asked[number], answers[number]
        is_confirmed, size = answer.outcome is Outcome.CONFIRMED, knowledge.code(one.func).size
        return not is_confirmed, not answer.glimpsed, not one.is_loss, size, number

    chosen: list[int] = []
    for number in sorted(hurried, key=order):
        is_loss = asked[number].is_loss
        left -= config.most_search_steps if is_loss else config.most_misuse_steps
        if left < 0:
            break
        chosen.append(number)
    return sorted(chosen)


def _replay(
    knowledge: Knowledge,
    asked: list[Asked],
    config: ReplayConfig,
    jobs: int,
    run: Run,
    name: str,
) -> list[Replayed]:
    def replay(number: int) -> Replayed:
        if run.limits.are_over():
            return Replayed(Outcome.NOT_CONFIRMED, bounds=(run.limits.over,))
        return Replayer(knowledge, config, asked[number].make()).run()

    def crashed(number: int) -> Replayed:
        return Replayed(Outcome.NOT_CONFIRMED, bounds=("crash",))

    tell = partial(run.step, name=name, unit="candidates")
    return spread(replay, len(asked), jobs, crashed, tell)
