"""Strong updates: what the refinement must cut off, and that it only cuts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from heapflow.pointsto import reaching
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


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_cells_do_not_touch_each_other(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A function with very many definitions is looked at cell by cell: the answer is the same."""
    together = analyse(source).points_to
    monkeypatch.setattr(reaching, "_TOGETHER", 1)
    apart = analyse(source).points_to
    for value in range(len(together.value_set)):
        assert together.targets(value).tolist() == apart.targets(value).tolist()


def test_many_calls_that_may_write_many_variables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of n calls defines each of n variables: no set of them is as long as that."""
    longest = 0

    def noted(
        definitions: list[reaching.Definition], numbers: list[int], *rest: dict[int, int] | int
    ) -> tuple[int, int]:
        nonlocal longest
        longest = max(longest, len(definitions))
        return after(definitions, numbers, *rest)  # type: ignore[arg-type]

    after = reaching._after
    monkeypatch.setattr(reaching, "_after", noted)
    names = range(120)
    source = tmp_path / "many.c"
    source.write_text(
        "#include <stdlib.h>\nint get(char **out);\nint f(void) {\n"
        + "".join(f"char *p{i} = 0;\n" for i in names)
        + "".join(f"if (get(&p{i})) goto out;\n" for i in names)
        + "out:\n"
        + "".join(f"free(p{i});\n" for i in names)
        + "return 0; }\n"
    )
    analyse(source)
    assert 0 < longest <= reaching._TOGETHER
