"""The examples compile and are read as what they are."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from heapflow.frontend.capture import capture_build, write_database
from heapflow.frontend.inputs import find_inputs
from heapflow.frontend.load import FrontendSettings, load_program

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.c")), ids=lambda path: path.name)
def test_single_files(path: Path) -> None:
    loaded = load_program(find_inputs([str(path)]), FrontendSettings(jobs=1))
    assert not loaded.failures
    assert loaded.program is not None
    assert not loaded.program.unread


@pytest.mark.skipif(not shutil.which("make") or not shutil.which("cc"), reason="needs make and cc")
def test_two_programs_of_one_tree(tmp_path: Path) -> None:
    build = ["make", "-s", "-C", str(EXAMPLES / "inventory"), f"OUT={tmp_path}"]
    outcome = capture_build(build)
    assert outcome.status == 0
    write_database(outcome.captured, tmp_path / "compile_commands.json")
    inputs = find_inputs([str(tmp_path)])
    targets = {
        Path(unit.source).name: [Path(t).name for t in unit.targets] for unit in inputs.units
    }
    assert targets == {
        "main.c": ["inventory"],
        "report.c": ["inventory"],
        "store.c": ["inventory", "total"],
        "total.c": ["total"],
    }
    loaded = load_program(inputs, FrontendSettings(jobs=1))
    assert loaded.program is not None
    mains = [
        f for f in range(len(loaded.program.functions)) if loaded.program.func_name(f) == "main"
    ]
    assert len(mains) == 2
