"""`--new-since`: the old tree is analysed as it was, and only what is new counts."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from heapflow.frontend.inputs import Inputs
from heapflow.report.finding import Finding, LostBy, Place, Rule
from tests.cli.stub import Engine

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def git(*arguments: str) -> None:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    subprocess.run(["git", *identity, *arguments], check=True, capture_output=True)


def leaks_in(inputs: Inputs) -> Iterator[Finding]:
    """One leak per line with `leak NAME` in the files as they are on disk."""
    for unit in inputs.units:
        for number, line in enumerate(unit.path.read_text().splitlines(), 1):
            if line.startswith("leak"):
                place = Place(str(unit.path), number, 1, line.split()[1])
                yield Finding(
                    Rule.NEVER_FREED, place, "malloc", place, LostBy.RETURN, variable=place.function
                )


@pytest.fixture
def engine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Engine:
    """In a repository where `main` has one leak and the branch adds another."""
    monkeypatch.chdir(tmp_path)
    git("init", "-q", "-b", "main")
    (tmp_path / "src").mkdir()
    (tmp_path / "inc").mkdir()
    Path(".gitignore").write_text("gen.c\n")
    Path("src/a.c").write_text("leak old\nleak repaired\n")
    git("add", ".")
    git("commit", "-qm", "one")
    git("checkout", "-qb", "topic")
    Path("src/a.c").write_text("// moved\nleak fresh\nleak old\n")
    Path("src/new.c").write_text("leak added\n")
    Path("gen.c").write_text("leak generated\n")
    engine = Engine(monkeypatch, capsys, leaks_in)
    engine.install()
    return engine


def test_only_new_findings_count(engine: Engine) -> None:
    code, out, err = engine.run(
        "check", "src/a.c", "src/new.c", "gen.c", "--new-since", "main", "--", "-Iinc"
    )
    assert code == 1
    heads = [line for line in out.splitlines() if "error:" in line]
    assert [line.split(":")[:2] for line in heads] == [["src/a.c", "2"], ["src/new.c", "1"]]
    assert "against the baseline: 2 introduced, 1 fixed, 2 unchanged" in err


def test_old_tree_is_compiled_with_the_same_flags(engine: Engine, tmp_path: Path) -> None:
    flags = f"-I{tmp_path}/inc"
    engine.run("check", "src/a.c", "--new-since", "main", "--", flags, "-Iinc", "-DX=1")
    old, new = engine.inputs
    (unit,) = old.units
    tree = unit.path.parents[1]
    assert tree != tmp_path
    assert unit.own_flags[:3] == (f"-I{tree}/inc", "-Iinc", "-DX=1")
    assert unit.own_flags[3:] == ("-idirafter", str(tmp_path), "-idirafter", f"{tmp_path}/inc")
    assert Path(unit.directory) == tree
    assert not tree.exists()  # removed afterwards
    assert new.units[0].path == tmp_path / "src/a.c"


def test_the_fork_point_counts_not_the_tip(engine: Engine) -> None:
    """A leak that only `main` got after we left it is not fixed by us."""
    git("add", ".")
    git("commit", "-qm", "topic")
    git("checkout", "-q", "main")
    Path("src/a.c").write_text("leak old\nleak later\n")
    git("commit", "-qam", "later")
    git("checkout", "-q", "topic")
    _, _, err = engine.run("check", "src/a.c", "--new-since", "main")
    assert "1 introduced, 1 fixed, 1 unchanged" in err


def test_the_users_index_is_untouched(engine: Engine) -> None:
    git("add", "src/new.c")
    before = subprocess.run(
        ["git", "status", "--short"], capture_output=True, text=True, check=True
    )
    engine.run("check", "src/a.c", "--new-since", "main")
    after = subprocess.run(["git", "status", "--short"], capture_output=True, text=True, check=True)
    assert before.stdout == after.stdout


def test_baseline_and_new_since_exclude_each_other(engine: Engine) -> None:
    Path("known.json").write_text('{"format": 1, "findings": []}')
    code, _, err = engine.run("check", "src/a.c", "--new-since", "main", "--baseline", "known.json")
    assert code == 2
    assert "use one of them" in err
