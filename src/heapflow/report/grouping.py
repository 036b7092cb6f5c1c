"""One finding for all call sites of a wrapper that lose their memory in the same way.

A wrapper, or what it calls, that drops the block it was given to fill has one fault however often it
is called. Blocks lost in the function that asked for them are faults of their own, unless one variable
holds them all (`p = n ? part(s) : whole(s);` with two calls of one function) and they are lost at once.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from heapflow.report.finding import Finding


def group_findings(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Findings in order; the first of each group stands for the others, which are its `also_at`."""
    groups: dict[object, list[Finding]] = {}
    for number, finding in enumerate(sorted(findings, key=lambda finding: finding.order)):
        key: object = _cause(finding)
        if finding.lost.function == finding.allocation.function:
            key = (key, finding.variable) if finding.variable else number
        groups.setdefault(key, []).append(finding)
    return tuple(_merge(group) for group in groups.values())


def _cause(finding: Finding) -> object:
    return (finding.rule, finding.allocator, finding.lost, finding.lost_by, finding.frees)


def _merge(group: list[Finding]) -> Finding:
    first, *others = group
    if not others:
        return first
    places = {place for one in group for place in (one.allocation, *one.also_at)}
    return replace(first, also_at=tuple(sorted(places - {first.allocation})))
