"""What counts as found and as solved, and versions out of a git directory."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from benchmarks.published import (
    git_directory,
    is_found,
    is_still_there,
    run_case,
    table,
)

CASE = {
    "id": "one",
    "kind": "error-path",
    "alloc": {"file": "src/a.c", "line": 10},
    "loss": {"file": "src/a.c", "line": 20},
    "alloc_after": {"file": "src/a.c", "line": 12},
}


def _finding(allocated: int, lost: int, file: str = "a.c") -> dict[str, dict[str, object]]:
    return {
        "allocation": {"file": file, "line": allocated},
        "lost": {"file": file, "line": lost},
    }


@pytest.mark.parametrize(
    ("finding", "found"),
    [
        (_finding(13, 90), True),
        (_finding(14, 90), False),
        (_finding(90, 17), True),
        (_finding(10, 20, "b.c"), False),
    ],
)
def test_found(finding: dict[str, dict[str, object]], found: bool) -> None:
    assert is_found([finding], CASE) is found


def test_still_reported_by_allocation_only() -> None:
    assert is_still_there([_finding(12, 90)], CASE)
    assert not is_still_there([_finding(90, 20)], CASE)
    assert not is_still_there([_finding(12, 90)], {**CASE, "alloc_after": None})


LEAKS = """#include <stdlib.h>
int f(int n) {
    char *p = malloc(4);
    if (n) return 1;
    free(p);
    return 0;
}
"""


def test_runs_both_versions(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    file = tree / "a.c"

    def commit(text: str) -> str:
        file.write_text(text)
        git = ("git", "-C", str(tree), "-c", "user.name=n", "-c", "user.email=e")
        subprocess.run([*git, "init", "-q"], check=True)
        subprocess.run([*git, "add", "a.c"], check=True)
        subprocess.run([*git, "commit", "-qm", "c"], check=True)
        return subprocess.check_output([*git, "rev-parse", "HEAD"], text=True).strip()

    parent = commit(LEAKS)
    fixed = commit(LEAKS.replace("if (n) return 1;", "if (n) { free(p); return 1; }"))
    place = {"file": "a.c", "line": 3}
    case = {**CASE, "alloc": place, "alloc_after": place, "loss": {"file": "a.c", "line": 4}}
    case |= {"files": ["a.c"], "more": [], "parent": parent, "commit": fixed}
    row = run_case(case, tree / ".git", tmp_path / "work", alone=True, limit=61)
    assert (row["found"], row["still"], row["failed"]) == (True, False, False)
    assert table([row]).splitlines()[1:] == ["  error-path: 1 of 1"]


def test_git_directory(tmp_path: Path) -> None:
    assert git_directory(tmp_path, "owner/name") is None
    bare = tmp_path / "owner+name" / "repo"
    subprocess.run(["git", "init", "-q", "--bare", str(bare)], check=True)
    assert git_directory(tmp_path, "owner/name") == bare
