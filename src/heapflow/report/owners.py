"""Blocks that are lost together: told with the one that holds the others.

In:    findings of candidates that stage 1 proposed, and of those that a second look proposed.
Out:   all of them, each block once.
"""

from __future__ import annotations

from dataclasses import replace

from heapflow.report.finding import Finding, Place


def under_owners(findings: list[Finding], more: list[Finding]) -> list[Finding]:
    """The findings with those of the second look, but for blocks that are told of already. What is
    lost together with the block that holds it is told with that one."""
    told = {
        (place, one.block[1])
        for one in findings
        if one.is_confirmed
        for place in (one.allocation, one.lost)
    }
    more = [
        one
        for one in more
        if told.isdisjoint(((one.allocation, one.block[1]), (one.lost, one.block[1])))
    ]
    confirmed = [finding for finding in (*findings, *more) if finding.is_confirmed]
    by_allocation: dict[tuple[int, Place], Finding] = {}
    for finding in sorted(confirmed, key=lambda f: f.order):
        by_allocation.setdefault((finding.block[1], finding.lost), finding)
    lost_with: dict[int, set[Place]] = {}
    kept = list(findings)
    for finding in more:
        owners = [by_allocation.get((owner, finding.lost)) for owner in finding.owners]
        owner = next((one for one in owners if one is not None and one is not finding), None)
        if owner is None:
            kept.append(finding)
        else:
            lost_with.setdefault(id(owner), set()).add(finding.allocation)
    return [
        replace(one, lost_with=tuple(sorted({*one.lost_with, *lost_with[id(one)]})))
        if id(one) in lost_with
        else one
        for one in kept
    ]
