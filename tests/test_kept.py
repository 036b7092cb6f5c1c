"""A report is read instead of made only if nothing at all has changed."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from heapflow import kept, pipeline
from heapflow.config import Config
from heapflow.flow.config import LeakConfig
from heapflow.frontend.inputs import find_inputs
from heapflow.frontend.load import FrontendSettings
from heapflow.kept import Keeper, code_fingerprint
from heapflow.pipeline import AnalysisResult, analyse
from heapflow.report.finding import Summary
from heapflow.support.run import Run

HEADER = "#define SIZE 8\n"
SOURCE = """#include <stdlib.h>
#include "sizes.h"
void *keep(void);
int f(void) { char *p = malloc(SIZE); return p != 0; }
"""


class Project:
    """A directory with a program, a cache, and the number of analyses that were made."""

    def __init__(self, root: Path) -> None:
        self.root, self.made = root, 0
        self.source, self.header = root / "a.c", root / "sizes.h"
        self.source.write_text(SOURCE)
        self.header.write_text(HEADER)
        settings = FrontendSettings(cache_directory=root / "cache", jobs=1)
        self.config, self.flags = Config(frontend=settings), ["-O0"]

    def check(self, where: Path | None = None) -> AnalysisResult:
        inputs = find_inputs([str(self.source)], self.flags)
        return analyse(inputs, self.config, Run(), where or self.root)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    found = Project(tmp_path)
    really = pipeline.find_leaks

    def counted(*given: object) -> AnalysisResult:
        found.made += 1
        return really(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(pipeline, "find_leaks", counted)
    return found


def test_the_same_run_again_is_read(project: Project) -> None:
    first, again = project.check(), project.check()
    assert project.made == 1
    assert [f.rule for f in first.findings] and again.findings == first.findings
    assert replace(again.summary, phases=()) == replace(first.summary, phases=())


def _source(project: Project) -> None:
    project.source.write_text(SOURCE + "int more;\n")


def _header(project: Project) -> None:
    project.header.write_text("#define SIZE 16\n")


def _comment(project: Project) -> None:
    project.source.write_text(SOURCE + "/* no code */\n")


def _flags(project: Project) -> None:
    project.flags = ["-O0", "-DMORE"]


def _settings(project: Project) -> None:
    project.config = replace(project.config, leaks=LeakConfig(most_turns=2))


def _limit(project: Project) -> None:
    project.config = replace(project.config, time_limit=1000)


def _models(project: Project) -> None:
    path = project.root / "more.toml"
    path.write_text("")
    project.config = replace(project.config, models=(path,))


CHANGES = (_source, _header, _comment, _flags, _settings, _limit, _models)


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_any_change_is_analysed(project: Project, change: Callable[[Project], None]) -> None:
    project.check()
    change(project)
    project.check()
    assert project.made == 2
    project.check()
    assert project.made == 2


def test_another_tree_whose_sources_may_be_shown(project: Project, tmp_path: Path) -> None:
    project.check()
    (tmp_path / "sub").mkdir()
    project.check(tmp_path / "sub")
    assert project.made == 2


def test_a_model_that_changes(project: Project) -> None:
    _models(project)
    project.check()
    project.config.models[0].write_text("# changed\n")
    project.check()
    assert project.made == 2


def test_other_code_of_heapflow(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.check()
    monkeypatch.setattr(kept, "code_fingerprint", lambda: "another")
    project.check()
    assert project.made == 2


def test_every_file_of_heapflow_counts(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    seen = {code_fingerprint(tmp_path)}
    for name, text in (("a.py", "x"), ("a.py", "y"), ("models/b.toml", "x"), ("b.py", "x")):
        (tmp_path / name).write_text(text)
        seen.add(code_fingerprint(tmp_path))
    assert len(seen) == 5
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "a.pyc").write_text("x")
    assert code_fingerprint(tmp_path) in seen


def test_damage_is_analysed_again(project: Project) -> None:
    project.check()
    (entry,) = (p for p in project.root.glob("cache/v*/entries/report/**/*") if p.is_file())
    entry.write_bytes(entry.read_bytes()[:-1])
    project.check()
    assert project.made == 2


def test_without_a_cache_nothing_is_kept(project: Project) -> None:
    settings = replace(project.config.frontend, use_cache=False)
    project.config = replace(project.config, frontend=settings)
    project.check()
    project.check()
    assert project.made == 2


def test_what_a_limit_ended_is_not_kept(project: Project) -> None:
    project.check()
    (entry,) = (p for p in project.root.glob("cache/v*/entries/report/**/*") if p.is_file())
    entry.unlink()
    keeper = Keeper(None, "")
    keeper.keep((), Summary(stopped="the time limit"), Run())  # no cache: nothing to do
    from heapflow.frontend.cache import Cache

    cache = Cache(project.root / "cache")
    Keeper(cache, "00" * 16).keep((), Summary(stopped="the time limit"), Run())
    assert cache.get("report", "00" * 16) is None
    Keeper(cache, "00" * 16).keep((), Summary(), Run())
    assert cache.get("report", "00" * 16) is not None


class _Runs:
    def __reduce__(self) -> tuple[object, tuple[str, ...]]:
        return os.system, ("true",)


def test_only_values_of_reports_are_read() -> None:
    with pytest.raises(pickle.UnpicklingError, match="no part of a report"):
        kept._Plain(__import__("io").BytesIO(pickle.dumps(_Runs()))).load()
    assert kept._read(pickle.dumps(_Runs())) is None
    assert kept._read(b"") is None
