"""`--check-phases`: the guarantees of all tables hold on a real run, and a broken one is named."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from heapflow import pipeline
from heapflow.config import Config
from heapflow.frontend.inputs import find_inputs
from heapflow.pointsto.analyse import solve_points_to
from heapflow.support.errors import InternalError
from heapflow.support.run import Run

EXAMPLE = Path(__file__).parent / "c" / "leaks" / "saber_tse14_fig02.c"


def _run(config: Config) -> list[str]:
    run = Run()
    pipeline.analyse(find_inputs([str(EXAMPLE)]), config, run)
    return [phase.name for phase in run.phases]


def _uncached(check: bool) -> Config:
    config = Config(check_phases=check)
    return replace(config, frontend=replace(config.frontend, use_cache=False))


def test_phases_are_checked_when_asked() -> None:
    assert "checks" in _run(_uncached(check=True))
    assert "checks" not in _run(_uncached(check=False))


def test_a_broken_table_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    solve = solve_points_to

    def broken(*arguments: Any) -> Any:
        points_to, calls = solve(*arguments)
        return replace(points_to, value_set=points_to.value_set[:-1]), calls

    monkeypatch.setattr(pipeline, "build_memory_ssa", lambda points_to, *rest: points_to)
    monkeypatch.setattr(pipeline, "build_svfg", lambda *rest: None)
    monkeypatch.setattr(pipeline, "solve_points_to", broken)
    with pytest.raises(InternalError, match="one set number per value"):
        _run(_uncached(check=True))
