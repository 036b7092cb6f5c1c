"""heapflow from Python: `from heapflow import check`.

report = check("main.c", cflags=["-Iinclude"], ignore=["leak-at-exit"])
for finding in report.active:
    print(finding.allocation, finding.rule.value, finding.lost)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from heapflow.api.apply import apply_settings, model_files
from heapflow.config import Config
from heapflow.frontend.inputs import Inputs, find_inputs
from heapflow.frontend.load import Loaded
from heapflow.report.assemble import Choice, make_report
from heapflow.report.document import Report
from heapflow.report.finding import Finding, Summary
from heapflow.settings.read import SettingsFile, read_settings
from heapflow.settings.schema import KEYS, suggest
from heapflow.settings.settings import Settings, effective_settings
from heapflow.support.errors import UserError
from heapflow.support.run import Run


class Analysed(Protocol):
    """What the pipeline returns."""

    @property
    def findings(self) -> tuple[Finding, ...]: ...

    @property
    def summary(self) -> Summary: ...

    @property
    def loaded(self) -> Loaded | None: ...


def check(
    *inputs: str | Path,
    cflags: Sequence[str] = (),
    build: str | Path | None = None,
    config: str | Path | None = None,
    root: str | Path = ".",
    **settings: Any,
) -> Report:
    """Look for leaks in C files, bitcode files or directories with a compile_commands.json.

    `settings` are those of heapflow.toml, with underscores: `select=["never-freed"]`. A settings file
    is read only if `config` names one. Raises `heapflow.support.errors.HeapflowError` if it cannot
    run; files that cannot be analysed are in `report.summary.failed`.
    """
    # Who calls this names the file: it may say what the caller may say.
    named = read_settings(Path(config)) if config is not None else SettingsFile()
    file = replace(named, trusted=True)
    chosen = effective_settings(file, _named(settings))
    found = find_inputs([str(one) for one in inputs], cflags, str(build) if build else None)
    found = replace(found, named=(*found.named, Path(root)))
    with model_files(chosen) as models:
        run_config = run_configuration(chosen, models)
        analysed = analyse(found, run_config, Run())
    return report_of(analysed, found, chosen.choice(), Path(root))


def run_configuration(
    settings: Settings, models: tuple[Path, ...], use_cache: bool = True
) -> Config:
    """The configuration of every phase."""
    config = apply_settings(Config(), settings, models)
    frontend = replace(
        config.frontend,
        jobs=settings.jobs,
        clang=settings.text("clang") or None,
        use_cache=use_cache,
    )
    return replace(
        config,
        frontend=frontend,
        time_limit=settings.number("time-limit"),
        memory_limit=settings.number("memory-limit"),
    )


def analyse(inputs: Inputs, config: Config, run: Run) -> Analysed:
    """The whole analysis; loaded here, since it is most of heapflow."""
    from heapflow import pipeline

    return pipeline.analyse(inputs, config, run)


def report_of(analysed: Analysed, inputs: Inputs, choice: Choice, root: Path) -> Report:
    """What the user asked to see of what was found."""
    files: Iterable[str] = (str(unit.path) for unit in inputs.units)
    access = analysed.loaded.access(inputs, root) if analysed.loaded is not None else None
    return make_report(analysed.findings, analysed.summary, root, choice, files, access)


def _named(settings: dict[str, Any]) -> dict[str, object]:
    named: dict[str, object] = {}
    for name, value in settings.items():
        key = name.replace("_", "-")
        if key not in KEYS:
            raise UserError(f"unknown setting `{name}`; {suggest(key, tuple(KEYS))}")
        named[key] = value
    return named
