"""One finding for each cause: call sites that lose their memory in the same way are one.

A wrapper, or what it calls, that drops the block it was given to fill has one fault however often it
is called. Blocks lost in the function that asked for them are faults of their own, unless
- one variable holds them all (`p = n ? part(s) : whole(s);`) and they are lost at once,
- the callee loses them itself (`add(&b, "x"); add(&b, "y");` where `add` overwrites `b.data`),
- one call makes them and nobody keeps its result, or they lie in one another: `parse(text);` with six
  blocks in what it returns,
- they stand on the lines of a table: the same call, line by line, each lost where it is made.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from heapflow.report.finding import Finding, LostBy, StepKind


def group_findings(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Findings in order; the first of each group stands for the others, which are its `also_at`."""
    ordered = _seen_once(sorted(findings, key=lambda finding: finding.order))
    holders = _holders(ordered)
    groups: dict[object, list[Finding]] = {}
    keys = [_key(finding, number) for number, finding in enumerate(ordered)]
    for number, finding in enumerate(ordered):
        groups.setdefault(keys[holders.get(number, number)], []).append(finding)
    return tuple(_merge(group) for group in groups.values())


def _seen_once(ordered: list[Finding]) -> list[Finding]:
    """Without those that tell of the same block, made and lost at the same places, from further out."""
    plain = {(one.rule, one.allocation, one.lost) for one in ordered}
    return [one for one in ordered if not any(key in plain for key in _further_in(one))]


def _further_in(finding: Finding) -> list[object]:
    """What the same loss is called where the block is made."""
    made = [step.place for step in finding.steps if step.kind is StepKind.ALLOCATED]
    return [(finding.rule, place, finding.lost) for place in made if place != finding.allocation]


def _key(finding: Finding, number: object) -> object:
    """What findings of one cause have in common."""
    if finding.rule.is_misuse:
        return number  # one for each block already: each has a path of its own
    key: object = _cause(finding)
    if finding.lost.function == finding.allocation.function:
        own = (key, finding.variable) if finding.variable else number
        key = _fault_of_callee(finding) or _ignored(finding) or own
    return key


def _cause(finding: Finding) -> object:
    return (finding.rule, finding.allocator, finding.lost, finding.lost_by, finding.frees)


def _holders(ordered: list[Finding]) -> dict[int, int]:
    """By numbers: the block that holds another, of those that no variable holds.

    Either it is known to be lost with it, on a path through the same call; or both are lost by the same
    event, at which the other had its last pointer in memory.
    """
    known: dict[object, list[int]] = {}
    at: dict[object, int] = {}
    for number, finding in enumerate(ordered):
        for place in set(finding.lost_with):
            known.setdefault((finding.rule, place), []).append(number)
        if finding.variable:
            at.setdefault((finding.rule, finding.lost, finding.lost_by), number)
    found: dict[int, int] = {}
    for number, finding in enumerate(ordered):
        if finding.variable or finding.lost_with or finding.lost_by is LostBy.RESULT_UNUSED:
            continue
        for holder in known.get((finding.rule, finding.allocation), ()):
            if ordered[holder].allocation in (*finding.call_chain, finding.allocation):
                found.setdefault(number, holder)
        same = at.get((finding.rule, finding.lost, finding.lost_by))
        if same is not None:
            found.setdefault(number, same)
    return found


def _ignored(finding: Finding) -> object:
    """Blocks of one call whose result nobody keeps; calls of a table, one per line."""
    if finding.lost_by is not LostBy.RESULT_UNUSED:
        return None
    if finding.lost.is_on_line_of(finding.allocation):
        shape = tuple(step.kind for step in finding.steps)
        where = finding.allocation.file, finding.allocation.function
        return finding.rule, finding.allocator, where, shape
    return finding.rule, finding.allocation, finding.lost


def _fault_of_callee(finding: Finding) -> object:
    """What a callee keeps in its caller's memory and overwrites when it is called again."""
    made = [step.place for step in finding.steps if step.kind is StepKind.ALLOCATED]
    if finding.lost_by is not LostBy.OVERWRITTEN or finding.allocation in made:
        return None
    holder = finding.lost.function, finding.variable
    return finding.rule, finding.allocator, *holder, finding.frees, *made


def _merge(group: list[Finding]) -> Finding:
    if len(group) == 1:
        return group[0]
    first = next((one for one in group if one.lost_with or one.variable), group[0])
    held = {one.allocation for one in group if first.variable and not one.variable}
    inner = {place for one in group for place in one.lost_with} | held - {first.allocation}
    places = {place for one in group for place in (one.allocation, *one.also_at)}
    return replace(
        first,
        also_at=tuple(sorted(places - inner - {first.allocation})),
        lost_with=tuple(sorted(inner)),
        blocks=sum(one.blocks for one in group),
    )
