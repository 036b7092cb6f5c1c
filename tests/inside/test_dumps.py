"""`heapflow dump guards|flow|verdicts`, compared with files that people have read.

`pytest tests/inside/test_dumps.py --update-golden` rewrites them.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner

from heapflow.cli import command
from heapflow.config import Config
from heapflow.frontend.inputs import find_inputs
from heapflow.frontend.load import load_program
from heapflow.inside import Inside, Shown
from heapflow.ir.program import Program
from heapflow.models.load import load_models
from heapflow.pipeline import find_leaks
from heapflow.report.source import Sources
from heapflow.support.run import Run

HERE = Path(__file__).parent
FIGURE2 = HERE.parent / "c" / "leaks" / "saber_tse14_fig02.c"
GOLDEN = HERE.parent / "golden" / "inside"
PROGRAMS = {"handed": HERE / "handed.c", "loop": HERE / "loop.c", "figure2": FIGURE2}
PROGRAMS["wrappers"] = HERE.parent / "c" / "pointsto" / "wrappers.c"


@cache
def program_of(name: str) -> Program:
    loaded = load_program(find_inputs([str(PROGRAMS[name])]), Config().frontend, Run())
    assert loaded.program is not None
    return loaded.program


def shown(name: str, phase: Shown, jobs: int = 1) -> str:
    config = Config()
    config = replace(config, frontend=replace(config.frontend, jobs=jobs))
    inside = Inside(phase)
    find_leaks(program_of(name), load_models(), config, Run(), Sources(HERE), inside)
    return inside.text


def test_one_place_reached_twice() -> None:
    """Nodes of one name under other conditions are one line."""
    lines = shown("wrappers", Shown.FLOW).splitlines()
    objects = [number for number, line in enumerate(lines) if not line.startswith(" ")]
    for start, end in zip(objects, [*objects[1:], len(lines)], strict=True):
        names = [line.split(":")[0] for line in lines[start:end] if "reaches" in line]
        assert names == sorted(set(names))


@pytest.mark.parametrize("phase", list(Shown))
@pytest.mark.parametrize("name", [name for name in PROGRAMS if name != "wrappers"])
def test_golden(name: str, phase: Shown, request: pytest.FixtureRequest) -> None:
    text = shown(name, phase)
    golden = GOLDEN / f"{name}.{phase.value}.txt"
    if request.config.getoption("--update-golden"):
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(text)
    assert text == golden.read_text()


@pytest.mark.parametrize("phase", list(Shown))
def test_the_number_of_processes_changes_nothing(phase: Shown) -> None:
    assert shown("handed", phase) == shown("handed", phase, jobs=2)


@pytest.mark.parametrize("phase", list(Shown))
def test_command(phase: Shown) -> None:
    result = CliRunner().invoke(command, ["dump", phase.value, str(PROGRAMS["loop"])])
    assert result.exit_code == 0
    assert result.stdout == (GOLDEN / f"loop.{phase.value}.txt").read_text()
