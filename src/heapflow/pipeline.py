"""The whole analysis, top to bottom.

In:    inputs (files, a build), Config.     Out: AnalysisResult: findings and what was analysed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from heapflow.config import Config
from heapflow.frontend.guesses import joined
from heapflow.frontend.inputs import Inputs, find_inputs
from heapflow.frontend.load import Loaded, load_program
from heapflow.inside import Inside
from heapflow.ir.program import Program
from heapflow.kept import keeper_of
from heapflow.models.load import Models, load_models
from heapflow.report.finding import FailedFile, Finding, GuessedFile, Summary
from heapflow.report.source import Sources
from heapflow.stages.candidates import find_candidates
from heapflow.stages.counts import stopped_by
from heapflow.stages.execution import execute
from heapflow.stages.findings import make_findings, summarise
from heapflow.stages.known import know
from heapflow.support.collector import without_collector
from heapflow.support.limits import OutOfBudget, RunLimits
from heapflow.support.memory import give_back
from heapflow.support.run import Run


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
        summary = Summary(len(inputs.units), phases=tuple(run.phases), stopped=stopped_by(run))
        return AnalysisResult((), summary)


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
    known = know(program, models, config, run)
    stage1 = find_candidates(known, config, run, inside)
    give_back()
    stage2 = execute(known, stage1, config, run, inside)
    with run.phase("report"), run.limits.at_checks_only():
        findings, undecided = make_findings(known, stage1, stage2, sources)
    for what, count in sorted((stage1.detection.limits_hit + stage2.suspects.limits_hit).items()):
        run.hit_limit(what, count)
    summary = summarise(known, stage1, stage2, findings, undecided)
    return AnalysisResult(findings, summary)


def analyse_files(
    files: Sequence[Path], flags: Sequence[str] = (), config: Config | None = None
) -> tuple[Finding, ...]:
    """Findings in a few C files, those that execution confirms."""
    inputs = find_inputs([str(file) for file in files], list(flags))
    found = analyse(inputs, config or Config(), Run()).findings
    return tuple(finding for finding in found if finding.is_confirmed)
