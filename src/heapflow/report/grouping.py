"""One finding for all call sites of a wrapper that lose their memory in the same way.

A wrapper, or what it calls, that drops the block it was given to fill has one fault however often it
is called. Blocks lost in the function that asked for them are faults of their own, unless one variable
holds them all (`p = n ? part(s) : whole(s);` with two calls of one function) and they are lost at once,
or the callee loses them itself (`add(&b, "x"); add(&b, "y");` where `add` overwrites `b.data`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from heapflow.report.finding import Finding, LostBy, StepKind


def group_findings(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Findings in order; the first of each group stands for the others, which are its `also_at`."""
    groups: dict[object, list[Finding]] = {}
    for number, finding in enumerate(sorted(findings, key=lambda finding: finding.order)):
        key: object = _cause(finding)
        if finding.lost.function == finding.allocation.function:
            own = (key, finding.variable) if finding.variable else number
            key = _fault_of_callee(finding) or own
        groups.setdefault(key, []).append(finding)
    return tuple(_merge(group) for group in groups.values())


def _cause(finding: Finding) -> object:
    return (finding.rule, finding.allocator, finding.lost, finding.lost_by, finding.frees)


def _fault_of_callee(finding: Finding) -> object:
    """What a callee keeps in its caller's memory and overwrites when it is called again."""
    made = [step.place for step in finding.steps if step.kind is StepKind.ALLOCATED]
    if finding.lost_by is not LostBy.OVERWRITTEN or finding.allocation in made:
        return None
    holder = finding.lost.function, finding.variable
    return finding.rule, finding.allocator, *holder, finding.frees, *made


def _merge(group: list[Finding]) -> Finding:
    first, *others = group
    if not others:
        return first
    places = {place for one in group for place in (one.allocation, *one.also_at)}
    return replace(first, also_at=tuple(sorted(places - {first.allocation})))
