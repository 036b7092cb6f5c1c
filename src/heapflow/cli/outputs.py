"""Where the report goes: formats to files or stdout, the summary to stderr, and the exit status."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import click

from heapflow.report.document import Report
from heapflow.report.finding import Level
from heapflow.settings.schema import FORMATS, suggest
from heapflow.support.errors import ExitCode, UserError
from heapflow.support.files import require_writable, write_whole


@dataclass(frozen=True, slots=True)
class Output:
    """One format and its file; None is stdout."""

    format: str
    path: Path | None = None


def plan_outputs(formats: tuple[str, ...], output: str | None) -> tuple[Output, ...]:
    """From `--format` and `-o`; `-o` names the file of the one format that has none."""
    planned = []
    for text in formats:
        name, _, file = text.partition(":")
        planned.append(Output(name, Path(file) if file and file != "-" else None))
    if output is not None:
        homeless = [one for one in planned if one.path is None]
        if len(homeless) != 1:
            raise UserError(
                f"-o {output}: {len(homeless)} formats have no file of their own\n"
                "  write:  --format terminal --format sarif:out.sarif"
            )
        file_path = Path(output) if output != "-" else None
        planned = [Output(one.format, one.path or file_path) for one in planned]
    if sum(one.path is None for one in planned) > 1:
        raise UserError(
            "two formats would share stdout\n  give one a file:  --format json:report.json"
        )
    for one in planned:
        if one.format not in FORMATS:
            raise UserError(f"there is no format {one.format}\n  {suggest(one.format, FORMATS)}")
    check_places(one.path for one in planned if one.path is not None)
    return tuple(planned)


def check_places(paths: Iterable[Path]) -> None:
    """Files that one run writes: each can be written, and no two are one."""
    seen: dict[str, Path] = {}
    for path in paths:
        check_place(path)
        first = seen.setdefault(os.path.realpath(path), path)
        if first is not path and (path.is_file() or not path.exists()):
            raise UserError(f"{path}: two outputs would share this file\n  give one another name")


def check_place(path: Path) -> None:
    """Before minutes of analysis: whether a file can be written, as far as that can be known."""
    try:
        if path.is_dir():
            raise UserError(
                f"{path}: this is a directory\n  name a file in it:  {path / 'report.json'}"
            )
        require_writable(path)
    except OSError as error:
        if not path.absolute().parent.is_dir():
            raise UserError(
                f"{path}: there is no directory {path.parent}\n  make it, or name another file"
            ) from None
        raise UserError(
            f"{path}: cannot write: {error.strerror}\n  name a file elsewhere"
        ) from None


def write_file(path: Path, text: str) -> None:
    """Write what was asked for; what was there stays if that fails."""
    try:
        write_whole(path, text)
    except OSError as error:
        raise UserError(
            f"{path}: cannot write: {error.strerror}\n"
            "  make room or name a file elsewhere, and run it again (what was compiled is kept)"
        ) from None


def render(report: Report, name: str, colour: bool = False) -> str:
    """The report in a format; a renderer is loaded when it is used."""
    module = import_module(f"heapflow.report.render.{name}")
    function: Callable[..., str] = getattr(module, f"render_{name}")
    return function(report, colour=colour) if name == "terminal" else function(report)


def write_outputs(report: Report, outputs: tuple[Output, ...], colour: str) -> None:
    from heapflow.report.render.terminal import use_colour

    failed: UserError | None = None
    for output in outputs:
        terminal = output.path is None and sys.stdout.isatty()
        wanted = use_colour(terminal, os.environ) if colour == "auto" else colour == "always"
        text = render(report, output.format, wanted)
        if output.path is None:
            click.echo(text, nl=False, color=True)
            continue
        try:
            write_file(output.path, text)
        except UserError as error:  # the other formats are written all the same
            failed = failed or error
    if failed is not None:
        raise failed


def exit_status(report: Report, fail_on: Level, exit_zero: bool, only_c: bool = False) -> ExitCode:
    """What was not analysed comes before what was found (docs/decisions/0050).

    With `only_c`, files in other languages are expected to be left out.
    """
    summary = report.summary
    if report.nothing_analysed or summary.stopped:
        return ExitCode.PARTLY_ANALYSED
    if exit_zero:
        return ExitCode.CLEAN
    if summary.failed or report.dropped or (summary.other_languages and not only_c):
        return ExitCode.PARTLY_ANALYSED
    counted = (finding for finding in report.active if not finding.in_tests)
    found = any(finding.level >= fail_on for finding in counted)
    return ExitCode.FINDINGS if found else ExitCode.CLEAN
