"""Every fact that a run shows is in the static result, with the filters on and off."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from heapflow.pointsto.callgraph import check_call_graph
from heapflow.pointsto.config import WITHOUT_FILTERS, PointsToConfig
from heapflow.pointsto.result import check_points_to
from tests.pointsto.generate import generated_program
from tests.pointsto.naive import Naive
from tests.pointsto.truth import PROGRAMS, analyse, missing_facts, run_and_log

SOURCES = sorted(path for path in PROGRAMS.glob("*.c") if path.name != "truth_runtime.c")
needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="no gcc to run programs with")


@needs_gcc
@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
@pytest.mark.parametrize("config", [PointsToConfig(), WITHOUT_FILTERS], ids=["filters", "plain"])
def test_observed_facts_are_known(source: Path, config: PointsToConfig, tmp_path: Path) -> None:
    facts = run_and_log(source, tmp_path)
    assert facts
    analysis = analyse(source, config)
    check_points_to(analysis.points_to)
    check_call_graph(analysis.calls)
    assert missing_facts(analysis, facts) == []


@needs_gcc
@pytest.mark.parametrize("seed", range(12))
def test_observed_facts_of_generated_programs(seed: int, tmp_path: Path) -> None:
    source = tmp_path / "generated.c"
    source.write_text(generated_program(seed))
    facts = run_and_log(source, tmp_path)
    assert missing_facts(analyse(source), facts) == []


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_naive_solver_agrees(source: Path) -> None:
    analysis = analyse(source)
    naive = Naive(analysis.generated.system, analysis.generated.layouts)
    naive.run()
    cells = analysis.solution.cells
    for var, solved in enumerate(analysis.numbering):
        bits = analysis.solution.var_set[solved] if solved >= 0 else 0
        members = [cell for cell in range(len(cells)) if bits >> cell & 1]
        assert {(cells.obj[c], cells.offset[c]) for c in members} == naive.pts(var)
