"""Stage 2: candidates are executed.

In:    candidates of stage 1, suspects of other rules, clients.     Out: `Stage2`: the answers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from heapflow.config import Config
from heapflow.frontend.workers import usable_cores
from heapflow.guards.guards import GuardBook
from heapflow.inside import Inside
from heapflow.invariants.find import Invariants, find_invariants
from heapflow.leaks.leaks import Detection, Verdict, edges_not_taken
from heapflow.policies import fields_keep
from heapflow.properties.candidates import Suspect, Suspects, find_suspects
from heapflow.replay.answer import Outcome, Replayed
from heapflow.replay.campaign import Asked, replay_all
from heapflow.replay.check import check_answers
from heapflow.replay.config import ReplayConfig
from heapflow.replay.hunt import Candidate
from heapflow.replay.knowledge import Knowledge
from heapflow.replay.misuse import candidate_of
from heapflow.replay.secondlook import SecondLook, look_again
from heapflow.replay.trials import Trials, try_clients
from heapflow.stages.candidates import Stage1
from heapflow.stages.counts import (
    count_limits,
    count_second_look,
    count_stages,
    count_suspects,
    stopped_by,
)
from heapflow.stages.known import Known
from heapflow.support.run import Run


@dataclass(frozen=True, slots=True)
class Stage2:
    """What execution says of everything that was asked."""

    knowledge: Knowledge
    candidates: list[Verdict]  # of stage 1, then those of the second look
    replayed: list[Replayed]  # the answers to these
    again: SecondLook
    suspects: Suspects
    dropped: list[Replayed]  # answers to descriptors that may be lost
    misused: list[Replayed]  # answers to the suspects
    trials: Trials
    stopped: str  # by which limit of the run, if it was


def execute(
    known: Known, stage1: Stage1, config: Config, run: Run, inside: Inside | None
) -> Stage2:
    """Candidates of all rules, then what callers that are not known may do."""
    program, models, calls = known.program, known.models, stage1.calls
    jobs = config.frontend.jobs or usable_cores()
    with run.phase("properties"), run.limits.at_checks_only():
        suspects = find_suspects(program, calls, models, config.properties, run.step)
    with run.phase("invariants"), run.limits.at_checks_only():
        invariants = _keep(known, stage1, config, run)
    with run.phase("replay"), run.limits.at_checks_only():
        knowledge = Knowledge(program, calls, models, stage1.own, config.replay, invariants)
        again = look_again(knowledge, stage1.detection, config.replay, jobs, run)
        candidates = [*stage1.detection.leaks, *_cut_off(stage1.detection), *again.candidates]
        asked = [_losable(verdict, stage1.book, config.replay) for verdict in candidates]
        asked += [_droppable(*one) for one in suspects.descriptors]
        asked += [_misusable(one, suspects) for one in suspects.found]
        answers = replay_all(knowledge, asked, config.replay, jobs, run)
        if config.check_phases:
            check_answers(len(asked), answers)
        first, last = len(candidates), len(candidates) + len(suspects.descriptors)
        replayed, dropped, misused = answers[:first], answers[first:last], answers[last:]
        if inside is not None:
            inside.answered(candidates, replayed, stage1.book)
        stopped = stage1.stopped or stopped_by(run)
        count_stages(run, stage1.detection, replayed)
        count_second_look(run, again)
        count_suspects(run, suspects, dropped, misused)
        further = _of_other_makers(suspects.found, misused)
        asked = [_misusable(one, suspects) for one in further]
        answers = replay_all(knowledge, asked, config.replay, jobs, run) if asked else []
        for suspect, answer in zip(further, answers, strict=True):
            if answer.outcome is Outcome.CONFIRMED:
                suspects.found.append(suspect)
                misused.append(answer)
    with run.phase("clients"), run.limits.at_checks_only():
        trials = try_clients(
            knowledge, calls, config.ownership, config.replay, known.policies, jobs, run
        )
        stopped = stopped or stopped_by(run)
    return Stage2(
        knowledge, candidates, replayed, again, suspects, dropped, misused, trials, stopped
    )


def _keep(known: Known, stage1: Stage1, config: Config, run: Run) -> Invariants:
    """What the program keeps true; with the assumption about fields, as long as it is made."""
    program, policies = known.program, stage1.policies
    with_fields = fields_keep.is_made(policies)
    found = find_invariants(
        program, stage1.calls, known.models, config.invariants, with_fields, config.check_phases
    )
    acted = fields_keep.count_loads(policies, map(program.func_of, found.loads))
    run.count("policy fields-keep: times that it acted", acted)
    run.count("parameters that are known for the whole program", len(found.params))
    count_limits(run, "invariants", found.limits_hit)
    return found


def _cut_off(detection: Detection) -> list[Verdict]:
    """Objects that the Boolean stage gave up on: execution decides."""
    return [verdict for verdict, _ in detection.cut_off]


def _losable(verdict: Verdict, book: GuardBook, config: ReplayConfig) -> Asked:
    """The candidate of a verdict, made where it is replayed: the hint takes time."""
    source = verdict.source

    def make() -> Candidate:
        deferred = edges_not_taken(book, verdict, config.most_hint_nodes)
        return Candidate(source.func, source.chain, deferred)

    return Asked(make, source.func)


def _misusable(suspect: Suspect, suspects: Suspects) -> Asked:
    return Asked(
        lambda: candidate_of(suspect, suspects),
        suspect.func,
        is_loss=False,
        is_own=suspect.is_own,
        is_sure=suspect.is_sure,
        far=suspect.far,
    )


def _of_other_makers(suspects: list[Suspect], answers: list[Replayed]) -> list[Suspect]:
    """Of what is confirmed: the same for blocks that other calls of the function make. These are other
    blocks, with paths of their own."""
    found: list[Suspect] = []
    for suspect, answer in zip(suspects, answers, strict=True):
        if answer.path is not None and answer.outcome is Outcome.CONFIRMED:
            made = answer.path.made_by
            others = [maker for maker in suspect.makers if maker not in made] if made else []
            found += [replace(suspect, maker=maker) for maker in others]
    return found


def _droppable(func: int, chain: tuple[int, ...]) -> Asked:
    return Asked(lambda: Candidate(func, chain), func)
