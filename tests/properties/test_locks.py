"""Locks by `[[resource]]`: what a function is given, holds, and lets go of on some paths only."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from heapflow.api import check

SOURCE = Path(__file__).resolve().parent.parent / "c" / "resources" / "locks.c"
_LOCK = """
[[resource]]
name = "lock"
kind = "lock"
acquire = ["mutex_lock"]
release = ["mutex_unlock"]
"""


def _found(tmp_path: Path, settings: str) -> set[tuple[int, str]]:
    file = tmp_path / SOURCE.name
    shutil.copy(SOURCE, file)
    (tmp_path / "heapflow.toml").write_text(settings)
    report = check(file, root=tmp_path, config=tmp_path / "heapflow.toml")
    return {(one.primary.line, one.rule.value) for one in report.findings}


def test_locks_that_are_still_held(tmp_path: Path) -> None:
    marked = {
        (number, "resource-leak")
        for number, text in enumerate(SOURCE.read_text().splitlines(), start=1)
        if re.search(r"// RULE: resource-leak", text)
    }
    assert len(marked) == 5
    assert _found(tmp_path, _LOCK) == marked


def test_nothing_is_a_lock_by_itself(tmp_path: Path) -> None:
    assert _found(tmp_path, "") == set()
