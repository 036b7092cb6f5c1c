"""What `--stats` tells of the stages."""

from __future__ import annotations

from collections import Counter

from heapflow.leaks.leaks import Detection
from heapflow.properties.candidates import Suspects
from heapflow.replay.answer import Outcome, Replayed
from heapflow.replay.secondlook import SecondLook
from heapflow.support.run import Run


def stopped_by(run: Run) -> str:
    """Which limit of the run ended a phase, if one did."""
    return f"the {run.limits.over} was hit in the phase {run.at!r}" if run.limits.over else ""


def count_limits(run: Run, phase: str, limits_hit: Counter[str]) -> None:
    for what, count in sorted(limits_hit.items()):
        if count:
            run.hit_limit(f"{phase}: {what}", count)


def count_stages(run: Run, detection: Detection, replayed: list[Replayed]) -> None:
    """What was left of the objects after each stage."""
    objects = detection.sources + detection.derived
    left = len(detection.leaks) + len(detection.undecided)
    run.count("objects followed, those handed to callers included", objects)
    run.count("objects that the Boolean stage removed", objects - left)
    run.count("objects that hit a limit of the Boolean stage", len(detection.undecided))
    run.count("candidates of the Boolean stage", len(detection.leaks))
    for outcome in Outcome:
        same = [one for one in replayed if one.outcome is outcome]
        run.count(f"candidates {outcome.value}", len(same))
    run.count("instructions executed", sum(one.steps for one in replayed))
    run.count("questions to the solver", sum(one.solved for one in replayed))
    for one in replayed:
        for bound in (*one.bounds, *one.left_out):
            run.hit_limit(f"replay: {bound}", 1)


def count_suspects(
    run: Run, suspects: Suspects, dropped: list[Replayed], misused: list[Replayed]
) -> None:
    """What became of suspects; a bound that keeps one from an answer is counted like that of a leak."""
    run.count("descriptors followed", len(suspects.descriptors))
    run.count("suspects of misuse", len(suspects.found))
    for outcome in Outcome:
        same = [one for one in misused if one.outcome is outcome]
        run.count(f"suspects {outcome.value}", len(same))
    run.count("instructions executed for descriptors", sum(one.steps for one in dropped))
    run.count("instructions executed for suspects", sum(one.steps for one in misused))
    for one in (*dropped, *misused):
        for bound in (*one.bounds, *one.left_out):
            run.hit_limit(f"suspects: {bound}", 1)
    for what, count in sorted(suspects.limits_hit.items()):
        run.hit_limit(f"properties: {what}", count)


def count_second_look(run: Run, again: SecondLook) -> None:
    run.count("blocks looked at a second time", again.looked_at)
    run.count("candidates of the second look", len(again.candidates))
    run.count("instructions executed in second looks", again.steps)
    if again.left_out:
        run.hit_limit("replay: blocks beyond the budget of second looks", again.left_out)
