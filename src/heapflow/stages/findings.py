"""From answers to findings, and what the summary says.

In:    what both stages found.     Out: findings in the order of their places; `Summary`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from heapflow.flow.flow import Source
from heapflow.leaks.leaks import Detection, Verdict
from heapflow.policies.table import in_force, in_order
from heapflow.properties.candidates import Suspects
from heapflow.properties.machine import Machines
from heapflow.replay.answer import Outcome, Replayed, Severity
from heapflow.replay.knowledge import Knowledge
from heapflow.report.clientwitness import client_findings
from heapflow.report.finding import Finding, Summary, Undecided, Unmodelled
from heapflow.report.owners import under_owners
from heapflow.report.source import Sources
from heapflow.report.suspectwitness import misuse_findings
from heapflow.report.witness import WitnessMaker
from heapflow.rules.decide import Decisions
from heapflow.stages.candidates import Stage1
from heapflow.stages.execution import Stage2
from heapflow.stages.known import Known

_SHOWN = (Outcome.CONFIRMED, Outcome.NOT_CONFIRMED, Outcome.NONE_WITHIN)


def make_findings(
    known: Known, stage1: Stage1, stage2: Stage2, sources: Sources
) -> tuple[tuple[Finding, ...], tuple[Undecided, ...]]:
    """What is told, and the allocations about which nothing can be told."""
    machines = Machines(known.models.families, known.models.machines)
    program, lists, root = known.program, stage1.lists, sources.root
    decide = Decisions(program, lists.svfg.effects, machines)
    maker = WitnessMaker(program, lists, sources, root, known.beliefs, decide)
    first = len(stage2.candidates) - len(stage2.again.candidates)
    found = [
        _finding(maker, stage1, verdict, answer)
        for verdict, answer in zip(stage2.candidates, stage2.replayed, strict=True)
    ]
    proposed = [one for one in found[:first] if one is not None]
    more = [one for one in found[first:] if one is not None]
    losses = under_owners(proposed, more)
    findings = _one_per_cause(losses + client_findings(maker, stage2.trials, losses))
    lost = _dropped(maker, stage2.suspects, stage2.dropped)
    misuses = misuse_findings(maker, stage2.suspects.found, stage2.misused)
    still_open = {maker.undecided(source, limit) for source, limit in open_sources(stage1, stage2)}
    undecided = tuple(
        sorted(still_open, key=lambda one: (one.allocation, one.limit, one.allocator))
    )
    return _in_order(stage2.knowledge, findings, lost, misuses), undecided


def summarise(
    known: Known,
    stage1: Stage1,
    stage2: Stage2,
    findings: tuple[Finding, ...],
    undecided: tuple[Undecided, ...],
) -> Summary:
    """What was analysed, and what is left open."""
    program, detection, unseen = known.program, stage1.detection, stage1.unseen
    unmodelled = [
        Unmodelled(program.func_name(func), count)
        for func, count in unseen.by_function.items()
        if count
    ]
    open_sites = {source.chain[0] for source, _ in open_sources(stage1, stage2)}
    return Summary(
        functions=sum(not program.is_declaration(f) for f in range(len(program.functions))),
        allocations=detection.sources,
        followed=detection.sources + detection.derived,
        decided=max(0, detection.sources - len(open_sites)),
        undecided=undecided,
        unseen=unseen.blocks,
        unmodelled=tuple(sorted(unmodelled, key=lambda u: (-u.allocations, u.function))),
        unconfirmed=sum(not finding.is_confirmed for finding in findings),
        stopped=stage2.stopped,
        policies=in_force(stage1.policies),
        given_up=stage1.given_up,
    )


def open_sources(stage1: Stage1, stage2: Stage2) -> list[tuple[Source, str]]:
    """Objects without a verdict, with the limit that was hit."""
    detection = stage1.detection
    cut_off = stage2.replayed[len(detection.leaks) :][: len(detection.cut_off)]
    return _still_open(detection, cut_off) + stage2.again.still_open


def _still_open(detection: Detection, after: list[Replayed]) -> list[tuple[Source, str]]:
    """Objects that hit a limit, and on which execution had no answer or was not asked."""
    asked = {verdict.source for verdict, _ in detection.cut_off}
    found = [(source, limit) for source, limit in detection.undecided if source not in asked]
    for (verdict, limit), answer in zip(detection.cut_off, after, strict=True):
        if answer.outcome in (Outcome.NOT_CONFIRMED, Outcome.NONE_WITHIN):
            found.append((verdict.source, limit))
    return found


def _dropped(maker: WitnessMaker, suspects: Suspects, answers: list[Replayed]) -> list[Finding]:
    """Findings of descriptors that are lost: one per call that gives them, the shortest path."""
    kept: dict[tuple[int, ...], Finding] = {}
    for (_, chain), answer in zip(suspects.descriptors, answers, strict=True):
        if answer.outcome is not Outcome.CONFIRMED or maker.is_of_a_copy(answer.path):
            continue
        if answer.severity is not Severity.AT_EXIT:
            finding = maker.dropped(chain, answer)
            kept.setdefault((chain[-1], chain[0]), finding)
    return list(kept.values())


def _in_order(knowledge: Knowledge, *findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """In the order of their places. A function that is compiled several times (for a shared and a
    static library, in a header) is told of once; blocks of one function stay apart."""
    ordered = sorted((one for some in findings for one in some), key=lambda f: f.order)
    functions: dict[tuple[object, ...], int] = {}
    kept = []
    for one in ordered:
        made = knowledge.func_of(one.block[0]) if one.block else -1
        cause = (one.rule, one.is_confirmed, one.allocation, one.lost, one.lost_by, one.variable)
        if functions.setdefault((*cause, one.client), made) == made:
            kept.append(one)
    return tuple(kept)


def _finding(
    maker: WitnessMaker, stage1: Stage1, verdict: Verdict, answer: Replayed
) -> Finding | None:
    """The finding of a candidate, unless it was refuted or is no fault."""
    if answer.outcome not in _SHOWN or _is_closed_at_exit(maker, verdict, answer):
        return None
    if maker.is_of_a_copy(answer.path):
        return None
    if not maker.decide.broken_by_loss(verdict.source):
        return None
    passed = {maker.program.func_of(call) for call in verdict.source.chain}
    policies = in_order(stage1.policies.acted_in(passed))
    return replace(maker.finding(verdict, answer), policies=policies)


def _is_closed_at_exit(maker: WitnessMaker, verdict: Verdict, answer: Replayed) -> bool:
    """Whether a resource other than memory is lost only as the process ends, which releases it."""
    return maker.decide.is_resource(verdict.source) and answer.severity is Severity.AT_EXIT


def _one_per_cause(found: list[Finding]) -> tuple[Finding, ...]:
    """The same block lost for the same reason is one finding, whichever caller it was.

    Blocks of one place in the source are told apart by the calls that make them. Lost where it was
    made, and lost in a caller with what it was put into, are two reasons.
    """
    kept: dict[tuple[object, ...], Finding] = {}
    places: set[tuple[object, ...]] = set()
    for finding in sorted(found, key=lambda f: (f.order, len(f.steps))):
        cause = (finding.rule, finding.is_confirmed, bool(finding.call_chain))
        place = (finding.rule, finding.allocation, finding.lost, *finding.block[1:])
        if place not in places:
            kept.setdefault((*finding.block, *cause), finding)
        places.add(place)
    return tuple(sorted(kept.values(), key=lambda f: f.order))
