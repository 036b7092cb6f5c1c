"""The whole analysis, top to bottom.

In:    inputs (files, a build), Config.     Out: AnalysisResult: findings and what was analysed.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from heapflow.config import Config
from heapflow.feasibility.solve import Answer, FeasibilityChecker, FeasibilityStats
from heapflow.frontend.inputs import Inputs, find_inputs
from heapflow.frontend.load import Loaded, load_program
from heapflow.frontend.workers import spread, usable_cores
from heapflow.guards.bdd import GuardOverflow
from heapflow.guards.book import GuardBook
from heapflow.ir.program import Program
from heapflow.leaks.detect import Detection
from heapflow.leaks.prepare import prepare_detector
from heapflow.leaks.verdict import Verdict
from heapflow.memssa.build import build_memory_ssa
from heapflow.modelled.take import take_models
from heapflow.models.load import Models, load_models
from heapflow.pointsto.analyse import solve_points_to
from heapflow.report.finding import FailedFile, Finding, Summary, Undecided, Unmodelled
from heapflow.report.source import Sources
from heapflow.report.witness import WitnessMaker
from heapflow.support.collector import without_collector
from heapflow.support.run import Run
from heapflow.svfg.build import build_svfg
from heapflow.svfg.graph import EscapeKind, Svfg

_DEEPEST = 20_000  # Python frames: summaries of callees are computed inside those of callers


@dataclass(frozen=True, slots=True)
class AnalysisResult:
    """What `heapflow check` shows."""

    findings: tuple[Finding, ...]
    summary: Summary
    loaded: Loaded | None = None


def analyse(inputs: Inputs, config: Config, run: Run, root: Path | None = None) -> AnalysisResult:
    """Load a program and look for leaks in it."""
    loaded = load_program(inputs, config.frontend, run, run.progress)
    failed = tuple(FailedFile(one.name, one.error) for one in loaded.failures)
    if loaded.program is None:
        return AnalysisResult((), Summary(files=loaded.units, failed=failed), loaded)
    models = load_models(config.models)
    result = find_leaks(loaded.program, models, config, run, root or Path.cwd())
    summary = result.summary
    complete = Summary(
        files=loaded.units,
        functions=summary.functions,
        allocations=summary.allocations,
        decided=summary.decided,
        undecided=summary.undecided,
        failed=failed,
        unmodelled=summary.unmodelled,
        phases=tuple(run.phases),
    )
    return AnalysisResult(result.findings, complete, loaded)


def find_leaks(
    program: Program, models: Models, config: Config, run: Run, root: Path
) -> AnalysisResult:
    """Findings of a program, in the order of their places."""
    sys.setrecursionlimit(max(_DEEPEST, sys.getrecursionlimit()))
    with without_collector():
        return _find_leaks(program, models, config, run, root)


def _find_leaks(
    program: Program, models: Models, config: Config, run: Run, root: Path
) -> AnalysisResult:
    jobs = config.frontend.jobs or usable_cores()
    with run.phase("points-to"):
        modelled = take_models(program, models)
        program, in_force = modelled.program, modelled.models
        points_to, calls = solve_points_to(program, in_force, config.pointsto)
    with run.phase("memory SSA"):
        memory_ssa = build_memory_ssa(points_to, calls, in_force, config.memssa)
    with run.phase("value flow"):
        svfg = build_svfg(memory_ssa)
    with run.phase("leaks"):
        book = GuardBook(program, config.guards, in_force, memory_ssa.accesses.callees)
        detector = prepare_detector(
            points_to, memory_ssa, svfg, book, in_force.families, config.leaks
        )
        lists = detector.lists
        detection = detector.run(run.step)
        del detector
        book.forget_call_sites()  # what is not asked again need not keep its nodes
    with run.phase("feasibility"):
        checker = FeasibilityChecker(book.context, config.feasibility)
        candidates = _feasible(checker, detection.leaks, jobs)
        _count_stages(run, detection, checker.stats)
    with run.phase("report"):
        maker = WitnessMaker(program, lists, book, Sources(root), root)
        findings = _one_per_cause(_findings(maker, candidates, jobs, run))
    run.count("functions of the program that are taken by their model", modelled.named)
    run.count("functions that those hand on to", modelled.handed)
    for what, count in sorted(detection.limits_hit.items()):
        run.hit_limit(what, count)
    summary = _summarise(program, svfg, detection, maker)
    return AnalysisResult(findings, summary)


def _count_stages(run: Run, detection: Detection, stats: FeasibilityStats) -> None:
    """What was left of the objects after each stage."""
    objects = detection.sources + detection.derived
    left = len(detection.leaks) + len(detection.undecided)
    run.count("objects followed, those handed to callers included", objects)
    run.count("objects that the Boolean stage removed", objects - left)
    run.count("undecided objects", len(detection.undecided))
    run.count("candidates of the Boolean stage", len(detection.leaks))
    run.count("candidates with nothing for the solver to relate, kept", stats.skipped)
    run.count("candidates put to the solver", stats.asked)
    run.count("candidates that the solver removed", stats.infeasible)
    run.count("candidates that the solver could not decide, kept", stats.unknown)


def _feasible(checker: FeasibilityChecker, leaks: list[Verdict], jobs: int) -> list[Verdict]:
    """The candidates that the solver does not refute; one that it crashes on is kept."""

    def each(ask: Callable[[int], Answer], count: int) -> list[Answer]:
        return spread(ask, count, jobs, lambda _: Answer.UNKNOWN)

    can_be = checker.are_feasible([leak.leaks for leak in leaks], each)
    return [leak for leak, is_kept in zip(leaks, can_be, strict=True) if is_kept]


def _findings(maker: WitnessMaker, leaks: list[Verdict], jobs: int, run: Run) -> list[Finding]:
    """A finding per leak, made in parallel; one whose path is beyond all bounds is told without it."""

    def make(number: int) -> tuple[Finding, bool]:
        maker.book.space.collect_garbage()
        try:
            return maker.finding(leaks[number]), True
        except GuardOverflow:
            maker.book.space.collect()
            return maker.finding(leaks[number], with_path=False), False

    made = spread(make, len(leaks), jobs, make)
    without = sum(not has_path for _, has_path in made)
    if without:
        run.hit_limit("nodes of a losing path", without)
    return [finding for finding, _ in made]


def _one_per_cause(found: list[Finding]) -> tuple[Finding, ...]:
    """The same allocation lost for the same reason is one finding, whichever caller it was.

    Lost where it was made, and lost in a caller with what it was put into, are two reasons.
    """
    kept: dict[tuple[object, ...], Finding] = {}
    for finding in sorted(found, key=lambda f: (f.order, len(f.steps))):
        place = finding.allocation
        cause = (finding.rule, bool(finding.call_chain))
        kept.setdefault((place.file, place.line, place.column, *cause), finding)
    return tuple(sorted(kept.values(), key=lambda f: f.order))


def _summarise(program: Program, svfg: Svfg, detection: Detection, maker: WitnessMaker) -> Summary:
    undecided = sorted(
        {Undecided(maker.place(source.site), "", limit) for source, limit in detection.undecided},
        key=lambda u: (u.allocation, u.limit),
    )
    unknown = svfg.escapes.kind == EscapeKind.UNKNOWN_CALL
    counts = Counter(svfg.escapes.callee[unknown].tolist())
    unmodelled = [
        Unmodelled(program.func_name(func), count) for func, count in counts.items() if func >= 0
    ]
    return Summary(
        functions=sum(not program.is_declaration(f) for f in range(len(program.functions))),
        allocations=detection.sources,
        decided=detection.sources - len(undecided),
        undecided=tuple(undecided),
        unmodelled=tuple(sorted(unmodelled, key=lambda u: (-u.allocations, u.function))),
    )


def analyse_files(
    files: Sequence[Path], flags: Sequence[str] = (), config: Config | None = None
) -> tuple[Finding, ...]:
    """Findings in a few C files."""
    inputs = find_inputs([str(file) for file in files], list(flags))
    return analyse(inputs, config or Config(), Run()).findings
