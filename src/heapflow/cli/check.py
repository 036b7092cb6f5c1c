"""`heapflow check`: the analysis, from the command line to the exit status."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from heapflow.cli.choices import setting_options, settings_from
from heapflow.cli.frontend import (
    ProgramCommand,
    inputs_from,
    program_options,
    progress_bar,
    tell_about,
    tell_about_inputs,
    tell_about_sources,
)
from heapflow.cli.outputs import (
    check_places,
    exit_status,
    plan_outputs,
    write_file,
    write_outputs,
)
from heapflow.cli.progress import make_run
from heapflow.cli.said import tell
from heapflow.frontend.inputs import Inputs
from heapflow.report.assemble import Choice
from heapflow.report.document import Report
from heapflow.report.patterns import matches
from heapflow.report.wording import count
from heapflow.settings.settings import Settings
from heapflow.support.collector import collect_cycles
from heapflow.support.errors import UserError
from heapflow.support.run import Run


@click.command(cls=ProgramCommand, name="check")
@program_options
@setting_options
@click.option(
    "-o", "output", type=click.Path(), metavar="FILE", help="File for the format that has none."
)
@click.option(
    "--write-baseline",
    type=click.Path(),
    metavar="FILE",
    help="Write all findings to FILE as known ones.",
)
@click.option("--new-since", metavar="GIT-REF", help="Count only what came after leaving GIT-REF.")
@click.option("--all", "everything", is_flag=True, help="Also what no execution confirms.")
@click.option("--exit-zero", is_flag=True, help="Exit status 0 whatever is found.")
@click.option(
    "--root",
    type=click.Path(exists=True, file_okay=False),
    default=".",
    metavar="DIR",
    help="Name files relative to DIR  [here]",
)
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto")
@click.option("-v", "--verbose", is_flag=True, help="Say what was and was not analysed.")
@click.option(
    "--stats", is_flag=True, help="What each phase cost and each stage removed, on stderr."
)
@click.option(
    "--check-phases", is_flag=True, help="Check what each phase guarantees of its tables."
)
@click.option("-q", "--quiet", is_flag=True, help="No summary and no progress on stderr.")
@click.pass_context
def command(ctx: click.Context, /, **options: Any) -> int:
    """Look for memory leaks in a C program.

    INPUT is a C file, a .bc or .ll file, or a directory; without any it is the current one. Flags of
    C files come from the compile_commands.json beside them, in the directories above, or in their
    `build*` directories (`heapflow capture -- make` records one); more may follow `--`.

    Settings come from the nearest heapflow.toml or pyproject.toml; options win over them.
    """
    settings = settings_from(options)
    outputs = plan_outputs(settings.strings("format"), options["output"])
    if options["write_baseline"] is not None:
        baseline = Path(options["write_baseline"])
        check_places([*(one.path for one in outputs if one.path is not None), baseline])
    choice = replace(settings.choice(), unconfirmed=options["everything"])
    found = inputs_from(ctx, options)
    if not options["quiet"]:
        tell_about_inputs(found)
    found = replace(found, named=(*found.named, Path(options["root"])))
    run = make_run(options["quiet"])
    report = _analyse(found, settings, choice, run, options)
    report = replace(report, made=_today(), command=shlex.join(["heapflow", *sys.argv[1:]]))
    write_outputs(report, outputs, options["color"])
    if options["write_baseline"]:
        report = _write_baseline(report, Path(options["write_baseline"]))
    if not options["quiet"]:
        from heapflow.report.render.summary import render_summary

        tell(render_summary(report, options["verbose"]))
    tell_about_sources(report.sources, _files_of(report))
    for pattern in _idle_patterns(choice, found, report):
        tell(f"warning: --include {pattern}: none of the files that were read is there")
    if options["stats"]:
        tell(_stats(run))
    only_c = settings.text("other-languages") == "ignore"
    return exit_status(report, settings.fail_on, options["exit_zero"], only_c)


def _analyse(
    found: Inputs, settings: Settings, choice: Choice, run: Run, options: dict[str, Any]
) -> Report:
    from heapflow.api import analyse, report_of, run_configuration
    from heapflow.api.apply import model_files
    from heapflow.models.load import load_models

    root = Path(options["root"])
    since = options["new_since"]
    if since and choice.baseline is not None:
        raise UserError("--new-since and a baseline both say what is known: use one of them")
    with model_files(settings) as models:
        if models:
            load_models(models)  # a mistake in them is told before the work, not after
        config = run_configuration(settings, models, not options["no_cache"])
        config = replace(config, check_phases=options["check_phases"])
        if since:
            from heapflow.cli.since import findings_at

            before = findings_at(since, found, lambda old: analyse(old, config, Run()), root)
            choice = replace(choice, baseline=before, baseline_name=f"present in {since}")
            collect_cycles()
        with nullcontext() if options["quiet"] else progress_bar(run) as run.progress:
            analysed = analyse(found, config, run)
    if analysed.loaded is not None and not options["quiet"]:
        tell_about(analysed.loaded, options["verbose"])
    return report_of(analysed, found, choice, root)


def _idle_patterns(choice: Choice, found: Inputs, report: Report) -> Iterator[str]:
    """What the user wants to be told of that no file matches: mostly a name that is mistyped."""
    if not choice.include:
        return
    opened = report.sources.access.opened if report.sources.access is not None else ()
    files = [Path(os.path.normpath(one)) for one in opened] + [one.path for one in found.units]
    absolute = [Path(os.path.abspath(one)) for one in files]  # noqa: PTH100  links stay as they are
    for pattern in choice.include:
        if not any(matches(one, (pattern,)) for one in absolute):
            yield pattern.text


def _files_of(report: Report) -> Iterator[str]:
    """The files that findings name."""
    for finding in report.findings:
        yield from (finding.allocation.file, finding.lost.file)
        yield from (step.place.file for step in finding.steps)


def _today() -> str:
    """The date of the run; SOURCE_DATE_EPOCH sets it for pages that have to be the same."""
    given = os.environ.get("SOURCE_DATE_EPOCH", "")
    now = datetime.fromtimestamp(int(given), UTC) if given.isdigit() else datetime.now(UTC)
    return now.strftime("%Y-%m-%d %H:%M UTC")


def _write_baseline(report: Report, path: Path) -> Report:
    """Write it; from then on everything that was found is known."""
    from heapflow.report.baseline import apply_baseline, dump_baseline, known

    write_file(path, dump_baseline(report.findings))
    tell(f"wrote {count(len(report.active), 'finding')} to {path}")
    entries = [known(finding) for finding in report.findings]
    findings, _ = apply_baseline(report.findings, entries, f"known in {path.name}")
    return replace(report, findings=findings, fixed=report.fixed or ())


def _stats(run: Run) -> str:
    """CPU seconds by phase, what the stages of detection left, and limits that were hit."""
    rows = [f"{phase.cpu_seconds:10.2f} s  {phase.name}" for phase in run.phases]
    rows += [f"{number:10}    {what}" for what, number in run.counters.items()]
    rows += [f"{number:10}    limit: {what}" for what, number in sorted(run.limits_hit.items())]
    return "".join(f"{row}\n" for row in rows)
