"""Strong updates: what the refinement must cut off, and that it only cuts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from heapflow.pointsto.analyse import Analysis
from heapflow.pointsto.config import PointsToConfig
from heapflow.pointsto.result import check_points_to
from tests.pointsto.truth import PROGRAMS, analyse

SOURCES = sorted(path for path in PROGRAMS.glob("*.c") if path.name != "truth_runtime.c")


def logged(analysis: Analysis, number: int) -> set[str]:
    """Names of the objects that the pointer of one LOG may hold."""
    points_to, program = analysis.points_to, analysis.points_to.program
    for call in analysis.generated.direct_targets:
        operands = program.operands(call)
        if program.func_name(program.direct_callee(call)) != "hf_log":
            continue
        if program.values.number[operands[1]] == number:
            return {points_to.cell_name(cell) for cell in points_to.targets(operands[2]).tolist()}
    raise LookupError(number)


def test_stores_replace_what_a_variable_held() -> None:
    analysis = analyse(PROGRAMS / "strong_updates.c")
    assert logged(analysis, 2) == {"main.a"}
    assert logged(analysis, 3) == {"main.b"}
    assert logged(analysis, 4) == {"main.a"}
    assert logged(analysis, 6) == {"main.a"}


def test_calls_may_change_a_variable_whose_address_is_known() -> None:
    analysis = analyse(PROGRAMS / "strong_updates.c")
    assert logged(analysis, 7) >= {"main.a", "main.b", "main.c"}
    assert logged(analysis, 8) >= {"main.a", "main.b", "main.c"}


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_sets_only_shrink(source: Path) -> None:
    refined = analyse(source).points_to
    plain = analyse(source, PointsToConfig(refine=False)).points_to
    check_points_to(refined)
    assert np.array_equal(refined.cell_obj, plain.cell_obj)
    for value in range(len(plain.value_set)):
        assert set(refined.targets(value).tolist()) <= set(plain.targets(value).tolist())
