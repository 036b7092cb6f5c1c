"""Golden dumps: sets, calls and allocators of small programs.

`pytest tests/pointsto/test_golden.py --update-golden` rewrites them.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pointsto.truth import PROGRAMS, analyse

GOLDEN = Path(__file__).parent.parent / "golden" / "pointsto"
NAMES = (
    "container_of",
    "fields",
    "function_tables",
    "generic",
    "lists",
    "recursion",
    "unions",
    "wrappers",
)


@pytest.mark.parametrize("name", NAMES)
def test_dump(name: str, request: pytest.FixtureRequest) -> None:
    analysis = analyse(PROGRAMS / f"{name}.c")
    allocators = analysis.allocators.dump().replace(f"{PROGRAMS}/", "")
    found = f"{analysis.points_to.dump()}\n{analysis.calls.dump()}\n{allocators}"
    golden = GOLDEN / f"{name}.txt"
    if request.config.getoption("--update-golden"):
        golden.write_text(found)
    assert found == golden.read_text()
