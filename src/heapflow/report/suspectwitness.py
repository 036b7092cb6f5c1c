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
    found = [maker.misuse(answer) for suspect, answer in confirmed if suspect.maker < 0]
    found.sort(key=lambda f: (f.order, len(f.steps), f.allocation))
    found += [_suspected(maker, *one) for one in asked if one[1].outcome in _OPEN]
    kept: dict[Place, Finding] = {}
    for finding in found:
        kept.setdefault(finding.lost, finding)
    others: dict[tuple[Place, Place], Finding] = {}
    for finding in (maker.misuse(answer) for suspect, answer in confirmed if suspect.maker >= 0):
        known = kept.get(finding.lost)
        if known is None or known.allocation != finding.allocation:
            others.setdefault((finding.lost, finding.allocation), finding)
    return [*kept.values(), *others.values()]


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
