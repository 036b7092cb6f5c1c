"""Findings of suspects of misuse: those that execution confirmed, and those of which it had no answer.

In:    WitnessMaker, suspects, what execution says of each.     Out: findings.
A suspect that a bound kept from an answer is shown by `--all`, with the bound.
"""

from __future__ import annotations

from heapflow.properties.candidates import Doubt, Suspect
from heapflow.replay.answer import Outcome, Replayed
from heapflow.report.finding import Confidence, Finding, Place, Step, StepKind
from heapflow.report.witness import WitnessMaker
from heapflow.rules.decide import rule_of_suspect

_OPEN = (Outcome.NOT_CONFIRMED, Outcome.NONE_WITHIN)


def misuse_findings(
    maker: WitnessMaker, suspects: list[Suspect], answers: list[Replayed]
) -> list[Finding]:
    """One per place at which something goes wrong, or may, and block that is known to be another."""
    asked = list(zip(suspects, answers, strict=True))
    confirmed = [
        one
        for one in asked
        if one[1].outcome is Outcome.CONFIRMED and not maker.is_of_a_copy(one[1].path)
    ]
    told = [(maker.misuse(answer), suspect, answer) for suspect, answer in confirmed]
    found = [(finding, _made(maker, answer)) for finding, one, answer in told if one.maker < 0]
    found.sort(key=lambda f: (f[0].order, len(f[0].steps), f[0].allocation))
    found += [(_suspected(maker, *one), ()) for one in asked if one[1].outcome in _OPEN]
    kept: dict[Place, tuple[Finding, tuple[Place, ...]]] = {}
    for finding, made in found:
        kept.setdefault(finding.lost, (finding, made))
    others: dict[tuple[Place, tuple[Place, ...]], Finding] = {}
    for finding, suspect, answer in told:
        made = _made(maker, answer)
        if suspect.maker >= 0 and kept.get(finding.lost, (finding, ()))[1] != made:
            others.setdefault((finding.lost, made), finding)
    return [*(finding for finding, _ in kept.values()), *others.values()]


def _made(maker: WitnessMaker, answer: Replayed) -> tuple[Place, ...]:
    """What made the block of a finding, and the calls that led there."""
    assert answer.path is not None
    return tuple(map(maker.place, answer.path.made_by))


def _suspected(maker: WitnessMaker, suspect: Suspect, answer: Replayed) -> Finding:
    """What may go wrong, without a path."""
    rule, by = rule_of_suspect(suspect)
    at = maker.place(min(suspect.then))
    first = maker.place(suspect.first) if suspect.first >= 0 else at
    before = (Step(StepKind.RELEASED, first, ""),) if suspect.doubt is Doubt.AFTER_RELEASE else ()
    return Finding(
        rule=rule,
        allocation=first,
        allocator="",
        lost=at,
        lost_by=by,
        steps=(*before, Step(StepKind.LOST, at, "")),
        confidence=Confidence.LOW,
        outcome=answer.outcome.value,
        bounds=answer.bounds,
        block=(min(suspect.then), suspect.first),
    )
