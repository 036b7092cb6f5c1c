"""The whole analysis, top to bottom.

In:    inputs (files, a build), Config.     Out: AnalysisResult: findings and what was analysed.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from heapflow.checks import check_stage1, check_tables
from heapflow.config import Config
from heapflow.flow.source import Source
from heapflow.frontend.guesses import joined
from heapflow.frontend.inputs import Inputs, find_inputs
from heapflow.frontend.load import Loaded, load_program
from heapflow.frontend.workers import usable_cores
from heapflow.guards.book import GuardBook
from heapflow.inside import Inside
from heapflow.ir.program import Program
from heapflow.kept import keeper_of
from heapflow.leaks.detect import Detection
from heapflow.leaks.hint import edges_not_taken
from heapflow.leaks.prepare import prepare_detector
from heapflow.leaks.verdict import Verdict
from heapflow.memssa.borrowed import borrowed_variables
from heapflow.memssa.build import build_memory_ssa
from heapflow.modelled.take import take_models
from heapflow.models.load import Models, load_models
from heapflow.ownership.beliefs import form_beliefs
from heapflow.ownership.unseen import Unseen, count_unseen
from heapflow.pointsto.analyse import solve_points_to
from heapflow.policies.inforce import Policies
from heapflow.properties.candidates import Suspect, Suspects, find_suspects
from heapflow.properties.machine import Machines
from heapflow.replay.campaign import Asked, replay_all
from heapflow.replay.check import check_answers
from heapflow.replay.config import ReplayConfig
from heapflow.replay.hunt import Candidate
from heapflow.replay.knowledge import Knowledge
from heapflow.replay.misuse import candidate_of
from heapflow.replay.replay import Outcome, Replayed, Severity
from heapflow.replay.secondlook import SecondLook, look_again
from heapflow.replay.trials import try_clients
from heapflow.report.clientwitness import client_findings
from heapflow.report.finding import (
    FailedFile,
    Finding,
    GuessedFile,
    Summary,
    Unmodelled,
)
from heapflow.report.owners import under_owners
from heapflow.report.source import Sources
from heapflow.report.suspectwitness import misuse_findings
from heapflow.report.witness import WitnessMaker
from heapflow.support.collector import without_collector
from heapflow.support.limits import OutOfBudget, RunLimits
from heapflow.support.memory import give_back
from heapflow.support.run import Run
from heapflow.svfg.build import build_svfg

_DEEPEST = 20_000  # Python frames: summaries of callees are computed inside those of callers


@dataclass(frozen=True, slots=True)
class AnalysisResult:
    """What `heapflow check` shows."""

    findings: tuple[Finding, ...]
    summary: Summary
    loaded: Loaded | None = None


def analyse(inputs: Inputs, config: Config, run: Run, root: Path | None = None) -> AnalysisResult:
    """Load a program and look for leaks in it, as far as the limits of the run allow."""
    run.limits = RunLimits(config.time_limit or None, (config.memory_limit << 20) or None)
    try:
        with run.limits.watched():
            return _analyse(inputs, config, run, root)
    except OutOfBudget:
        summary = Summary(len(inputs.units), phases=tuple(run.phases), stopped=_stopped(run))
        return AnalysisResult((), summary)


def _stopped(run: Run) -> str:
    """Which limit of the run ended a phase, if one did."""
    return f"the {run.limits.over} was hit in the phase {run.at!r}" if run.limits.over else ""


def _analyse(inputs: Inputs, config: Config, run: Run, root: Path | None) -> AnalysisResult:
    loaded = load_program(inputs, config.frontend, run, run.progress)
    failed = tuple(FailedFile(one.name, one.error) for one in loaded.failures)
    if loaded.program is None:
        nothing = Summary(loaded.units, failed=failed, other_languages=inputs.languages)
        return AnalysisResult((), nothing, loaded)
    models = load_models(config.models)
    root = root or Path.cwd()
    sources = Sources(root, loaded.access(inputs, root))
    keeper = keeper_of(loaded, inputs, config, root)
    kept = keeper.find(run)
    result = AnalysisResult(kept.findings, kept.summary) if kept is not None else None
    if result is None:
        result = find_leaks(loaded.program, models, config, run, sources)
        keeper.keep(result.findings, result.summary, run)
    summary = result.summary
    complete = Summary(
        files=loaded.units,
        functions=summary.functions,
        allocations=summary.allocations,
        followed=summary.followed,
        decided=summary.decided,
        undecided=summary.undecided,
        failed=failed,
        unseen=summary.unseen,
        unmodelled=summary.unmodelled,
        unconfirmed=summary.unconfirmed,
        phases=tuple(run.phases),
        stopped=summary.stopped,
        policies=summary.policies,
        given_up=summary.given_up,
        other_languages=inputs.languages,
        guessed=tuple(GuessedFile(*one) for one in loaded.guesses),
    )
    return AnalysisResult(_with_guesses(result.findings, loaded, root), complete, loaded)


def _with_guesses(findings: tuple[Finding, ...], loaded: Loaded, root: Path) -> tuple[Finding, ...]:
    """Findings in files that were compiled without their build say what was guessed."""
    if not loaded.guesses:
        return findings
    said = {file: guesses.sentence() for file, guesses in loaded.guesses}
    everything = joined(guesses for _, guesses in loaded.guesses).sentence()

    def guessed(finding: Finding) -> str:
        return said.get(str(root.resolve() / finding.allocation.file), everything)

    return tuple(replace(one, guessed=guessed(one)) for one in findings)


def find_leaks(
    program: Program,
    models: Models,
    config: Config,
    run: Run,
    sources: Sources,
    inside: Inside | None = None,
) -> AnalysisResult:
    """Findings of a program, in the order of their places; `inside` hears what led to them."""
    sys.setrecursionlimit(max(_DEEPEST, sys.getrecursionlimit()))
    with without_collector():
        return _find_leaks(program, models, config, run, sources, inside)


def _find_leaks(
    program: Program,
    models: Models,
    config: Config,
    run: Run,
    sources: Sources,
    inside: Inside | None,
) -> AnalysisResult:
    jobs = config.frontend.jobs or usable_cores()
    with run.phase("models"):
        modelled = take_models(program, models, config.modelled)
        program = modelled.program
    with run.phase("beliefs"):
        beliefs = form_beliefs(program, modelled.models, config.unknown_functions, config.beliefs)
        in_force = beliefs.added_to(modelled.models)
        _count_limits(run, "models", modelled.limits_hit)
        _count_limits(run, "beliefs", beliefs.limits_hit)
    with run.phase("points-to"):
        points_to, calls = solve_points_to(program, in_force, config.pointsto, _rounds(run))
        given_up = points_to.limits_hit
        for what, count in given_up:
            run.hit_limit(f"points-to: {what}", count)
    with run.phase("memory SSA"):
        memory_ssa = build_memory_ssa(points_to, calls, in_force, config.memssa, run.step)
    with run.phase("value flow"):
        svfg = build_svfg(memory_ssa, lambda done, of: run.step(done, of, unit="steps"))
    if config.check_phases:
        with run.phase("checks"):
            check_tables(points_to, calls, memory_ssa, svfg)
    with run.phase("leaks"), run.limits.at_checks_only():
        policies = Policies(config.without)
        callees = memory_ssa.accesses.callees
        book = GuardBook(program, config.guards, in_force, callees, policies)
        detector = prepare_detector(
            points_to, memory_ssa, svfg, book, in_force.families, config.leaks
        )
        lists = detector.lists
        if inside is not None:
            detector.hear = inside.verdicts.append
        detection = detector.run(run.step, run.limits.check)
        if inside is not None:
            inside.followed(memory_ssa, svfg, book)
        for name, count in policies.in_force():
            run.count(f"policy {name}: times that it acted", count)
        stopped = _stopped(run)
        own = borrowed_variables(
            program, memory_ssa.accesses.callees, config.memssa, memory_ssa.memory.limits_hit
        )
        _count_limits(run, "memory", memory_ssa.memory.limits_hit)
        if config.check_phases:
            check_stage1(book, detection)
        # What is not asked again: replay needs the room.
        book.forget_call_sites()
        lists.forget()
        del detector, memory_ssa, points_to
        give_back()
    machines = Machines(in_force.families, in_force.machines)
    with run.phase("properties"), run.limits.at_checks_only():
        suspects = find_suspects(program, calls, in_force, config.properties, run.step)
    with run.phase("replay"), run.limits.at_checks_only():
        knowledge = Knowledge(program, calls, in_force, own, config.replay)
        again = look_again(knowledge, detection, config.replay, jobs, run)
        candidates = [*detection.leaks, *_cut_off(detection), *again.candidates]
        asked = [_losable(verdict, book, config.replay) for verdict in candidates]
        asked += [_droppable(*one) for one in suspects.descriptors]
        asked += [_misusable(one, suspects) for one in suspects.found]
        answers = replay_all(knowledge, asked, config.replay, jobs, run)
        if config.check_phases:
            check_answers(len(asked), answers)
        replayed = answers[: len(candidates)]
        first = len(candidates) + len(suspects.descriptors)
        dropped, misused = answers[len(candidates) : first], answers[first:]
        if inside is not None:
            inside.answered(candidates, replayed, book)
        stopped = stopped or _stopped(run)
        _count_stages(run, detection, replayed)
        _count_second_look(run, again)
        _count_suspects(run, suspects, dropped, misused)
    with run.phase("clients"), run.limits.at_checks_only():
        trials = try_clients(knowledge, calls, config.ownership, config.replay, jobs, run)
        stopped = stopped or _stopped(run)
    with run.phase("report"), run.limits.at_checks_only():
        maker = WitnessMaker(program, lists, sources, sources.root, beliefs, machines)
        first = len(candidates) - len(again.candidates)
        proposed = _findings(maker, candidates[:first], replayed[:first])
        more = _findings(maker, candidates[first:], replayed[first:])
        losses = under_owners(proposed, more)
        findings = _one_per_cause(losses + client_findings(maker, trials, losses))
        lost = _dropped(maker, suspects, dropped)
        misuses = misuse_findings(maker, suspects.found, misused)
        findings = _in_order(knowledge, findings, lost, misuses)
    run.count("functions of the program that are taken by their model", modelled.named)
    run.count("functions that those hand on to", modelled.handed)
    for what, count in sorted((detection.limits_hit + suspects.limits_hit).items()):
        run.hit_limit(what, count)
    summary = _summarise(
        program,
        count_unseen(svfg, config.beliefs),
        detection,
        again,
        maker,
        findings,
        replayed,
    )
    summary = replace(summary, stopped=stopped, policies=policies.in_force(), given_up=given_up)
    return AnalysisResult(findings, summary)


def _count_limits(run: Run, phase: str, limits_hit: Counter[str]) -> None:
    for what, count in sorted(limits_hit.items()):
        if count:
            run.hit_limit(f"{phase}: {what}", count)


def _count_stages(run: Run, detection: Detection, replayed: list[Replayed]) -> None:
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


def _count_suspects(
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


def _count_second_look(run: Run, again: SecondLook) -> None:
    run.count("blocks looked at a second time", again.looked_at)
    run.count("candidates of the second look", len(again.candidates))
    run.count("instructions executed in second looks", again.steps)
    if again.left_out:
        run.hit_limit("replay: blocks beyond the budget of second looks", again.left_out)


def _cut_off(detection: Detection) -> list[Verdict]:
    """Objects that the Boolean stage gave up on: execution decides."""
    return [verdict for verdict, _ in detection.cut_off]


def _rounds(run: Run) -> Callable[[int, int], None]:
    """Tell of the rounds of the points-to solver; how many there will be is not known."""
    return lambda rounds, size: run.step(rounds, 0, f"{size} variables and places", "round")


def _losable(verdict: Verdict, book: GuardBook, config: ReplayConfig) -> Asked:
    """The candidate of a verdict, made where it is replayed: the hint takes time."""
    source = verdict.source

    def make() -> Candidate:
        deferred = edges_not_taken(book, verdict, config.most_hint_nodes)
        return Candidate(source.func, source.chain, deferred)

    return Asked(make, source.func)


def _misusable(suspect: Suspect, suspects: Suspects) -> Asked:
    return Asked(lambda: candidate_of(suspect, suspects), suspect.func, is_loss=False)


def _droppable(func: int, chain: tuple[int, ...]) -> Asked:
    return Asked(lambda: Candidate(func, chain), func)


def _dropped(maker: WitnessMaker, suspects: Suspects, answers: list[Replayed]) -> list[Finding]:
    """Findings of descriptors that are lost: one per call that gives them, the shortest path."""
    kept: dict[tuple[int, ...], Finding] = {}
    for (_, chain), answer in zip(suspects.descriptors, answers, strict=True):
        if answer.outcome is Outcome.CONFIRMED and answer.severity is not Severity.AT_EXIT:
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


_SHOWN = (Outcome.CONFIRMED, Outcome.NOT_CONFIRMED, Outcome.NONE_WITHIN)


def _findings(
    maker: WitnessMaker, verdicts: list[Verdict], replayed: list[Replayed]
) -> list[Finding]:
    """A finding per candidate that was not refuted."""
    return [
        maker.finding(verdict, answer)
        for verdict, answer in zip(verdicts, replayed, strict=True)
        if answer.outcome in _SHOWN and not _is_closed_at_exit(maker, verdict, answer)
        if maker.broken_by_loss(verdict.source)
    ]


def _is_closed_at_exit(maker: WitnessMaker, verdict: Verdict, answer: Replayed) -> bool:
    """Whether a resource other than memory is lost only as the process ends, which releases it."""
    return maker.is_resource(verdict.source) and answer.severity is Severity.AT_EXIT


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


def _summarise(
    program: Program,
    unseen: Unseen,
    detection: Detection,
    again: SecondLook,
    maker: WitnessMaker,
    findings: tuple[Finding, ...],
    replayed: list[Replayed],
) -> Summary:
    cut_off = replayed[len(detection.leaks) :][: len(detection.cut_off)]
    still_open = _still_open(detection, cut_off) + again.still_open
    undecided = sorted(
        {maker.undecided(source, limit) for source, limit in still_open},
        key=lambda u: (u.allocation, u.limit, u.allocator),
    )
    unmodelled = [
        Unmodelled(program.func_name(func), count)
        for func, count in unseen.by_function.items()
        if count
    ]
    open_sites = {source.chain[0] for source, _ in still_open}
    return Summary(
        functions=sum(not program.is_declaration(f) for f in range(len(program.functions))),
        allocations=detection.sources,
        followed=detection.sources + detection.derived,
        decided=max(0, detection.sources - len(open_sites)),
        undecided=tuple(undecided),
        unseen=unseen.blocks,
        unmodelled=tuple(sorted(unmodelled, key=lambda u: (-u.allocations, u.function))),
        unconfirmed=sum(not finding.is_confirmed for finding in findings),
    )


def _still_open(detection: Detection, after: list[Replayed]) -> list[tuple[Source, str]]:
    """Objects that hit a limit, and on which execution had no answer or was not asked."""
    asked = {verdict.source for verdict, _ in detection.cut_off}
    found = [(source, limit) for source, limit in detection.undecided if source not in asked]
    for (verdict, limit), answer in zip(detection.cut_off, after, strict=True):
        if answer.outcome in (Outcome.NOT_CONFIRMED, Outcome.NONE_WITHIN):
            found.append((verdict.source, limit))
    return found


def analyse_files(
    files: Sequence[Path], flags: Sequence[str] = (), config: Config | None = None
) -> tuple[Finding, ...]:
    """Findings in a few C files, those that execution confirms."""
    inputs = find_inputs([str(file) for file in files], list(flags))
    found = analyse(inputs, config or Config(), Run()).findings
    return tuple(finding for finding in found if finding.is_confirmed)
