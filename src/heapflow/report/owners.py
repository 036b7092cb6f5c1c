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
    together = [*findings, *more]  # by position from here on
    confirmed = [at for at, one in enumerate(together) if one.is_confirmed]
    by_allocation: dict[tuple[int, Place], int] = {}
    for at in sorted(confirmed, key=lambda at: together[at].order):
        by_allocation.setdefault((together[at].block[1], together[at].lost), at)
    lost_with: dict[int, set[Place]] = {}
    told_with: set[int] = set()
    for at, finding in enumerate(more, start=len(findings)):
        owners = [by_allocation.get((owner, finding.lost)) for owner in finding.owners]
        owner = next((one for one in owners if one is not None and one != at), None)
        if owner is not None:
            lost_with.setdefault(owner, set()).add(finding.allocation)
            told_with.add(at)
    return [
        replace(one, lost_with=tuple(sorted({*one.lost_with, *lost_with[at]})))
        if at in lost_with
        else one
        for at, one in enumerate(together)
        if at not in told_with
    ]
