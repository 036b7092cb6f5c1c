"""Mistakes are told as mistakes, before the work; 1 means findings and nothing else."""

from __future__ import annotations

import errno
import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from heapflow.cli.outputs import write_file
from heapflow.support.errors import UserError

LEAK = (
    "#include <stdlib.h>\nint f(int n){ char *p = malloc(8); if(n) return 1; free(p); return 0; }\n"
)
DEEP = "a = " + "[" * 5000


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HEAPFLOW_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "leak.c").write_text(LEAK)
    (tmp_path / "ok.c").write_text("int f(int n) { return n; }\n")
    return tmp_path


def shell(line: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A line of a shell in which `heapflow` is the command."""
    call = f'heapflow() {{ "{sys.executable}" -m heapflow "$@"; }}; {line}'
    environ = {**os.environ, **environment}
    return subprocess.run(
        ["bash", "-c", call], capture_output=True, text=True, env=environ, check=False, timeout=120
    )


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("heapflow check ok.c 2>/dev/full", 0),
        ("heapflow check leak.c 2>/dev/full", 1),
        ("heapflow check gone.c 2>/dev/full", 2),
        ("heapflow check --nonsense 2>/dev/full", 2),
        ("heapflow check ok.c 2>&-", 0),
        ("heapflow check leak.c >&-", 1),
        ("heapflow check leak.c >/dev/full", 2),
        ("heapflow config >/dev/full", 2),
    ],
)
def test_streams_that_cannot_be_written(line: str, status: int) -> None:
    done = shell(line)
    assert done.returncode == status
    assert "bug" not in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("kilobytes", [150_000, 250_000, 500_000])
def test_a_limited_address_space_is_named(kilobytes: int) -> None:
    done = shell(f"ulimit -v {kilobytes}; heapflow check --no-cache leak.c")
    assert done.returncode == 2
    assert "ulimit -v" in done.stderr
    assert "bug" not in done.stderr
    assert "Traceback" not in done.stderr


def test_a_bug_is_no_finding(here: Path) -> None:
    """Whether or not the traceback is shown."""
    script = (
        "import sys, heapflow.cli.settings as s, heapflow.cli as c\n"
        "s.dump_settings = lambda _: 1 / 0\nsys.argv = ['heapflow', 'config']\nc.main()\n"
    )
    for value in ("", "1"):
        environ = {**os.environ, "HEAPFLOW_DEBUG": value}
        call = [sys.executable, "-c", script]
        done = subprocess.run(call, env=environ, capture_output=True, text=True, check=False)
        assert done.returncode == 2
        assert ("Traceback" in done.stderr) is (value == "1")
        assert "a bug in heapflow" in done.stderr


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "m.toml: cannot read the model file: No such file"),
        ("[[[", "m.toml: not valid TOML"),
        (DEEP, "m.toml: not a model file: nested too deeply"),
        ("format = 1\nx = 5\n", "unknown key `x`"),
        ("format = 'a'\n", "`format` has the wrong type"),
        (
            '[[model]]\nfunctions = ["void *x(int)"]\neffects = ["fly ret"]\n',
            "`fly` is not an effect",
        ),
    ],
)
def test_mistakes_in_model_files(here: Path, text: str | None, message: str) -> None:
    if text is not None:
        (here / "m.toml").write_text(text)
    (here / "broken.c").write_text("int x\n")  # its error would come first, were it compiled first
    done = shell("heapflow check broken.c --models m.toml")
    assert done.returncode == 2
    assert message in done.stderr
    assert "bug" not in done.stderr
    assert "broken.c" not in done.stderr


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("heapflow.toml", 'format = ["x"]', "there is no format x"),
        ("pyproject.toml", "[tool]\nheapflow = 5\n", "`tool.heapflow` has to be a table"),
        ("heapflow.toml", DEEP, "nested too deeply"),
        ("heapflow.toml", 'models = ["a\\u0000b"]', "NUL"),
        ("heapflow.toml", 'baseline = "a\\u0000b"', "NUL"),
        ("compile_commands.json", "[" * 100_000, "nested too deeply"),
        (
            "compile_commands.json",
            '[{"file": "a\\u0000.c", "arguments": ["cc"]}]',
            "cannot be an argument",
        ),
        (
            "compile_commands.json",
            '[{"file": "\\ud800.c", "arguments": ["cc"]}]',
            "cannot be an argument",
        ),
    ],
)
def test_mistakes_in_settings_and_databases(here: Path, name: str, text: str, message: str) -> None:
    (here / name).write_text(text)
    done = shell("heapflow check .")
    assert done.returncode == 2
    assert message in done.stderr
    assert "bug" not in done.stderr


@pytest.mark.parametrize(
    ("command", "megabytes"),
    [
        ("check leak.c", 150),
        ("check leak.c", 1700),
        ("dump guards leak.c", 300),
        ("dump guards leak.c", 1100),
        ("graph --function f leak.c", 300),
    ],
)
def test_what_is_advised_about_address_space_helps(command: str, megabytes: int) -> None:
    """One message before the work, or the work is done; and what the message says is enough."""
    right = 1 if command.startswith("check") else 0
    done = shell(f"ulimit -v {megabytes << 10}; heapflow {command} --no-cache")
    if done.returncode == 2:
        assert done.stderr.startswith("heapflow: error: ") and done.stderr.count("error") == 1
        found = re.search(r"allow for it:  ulimit -v (\d+)", done.stderr)
        assert found is not None and int(found[1]) > megabytes << 10
        done = shell(f"ulimit -v {found[1]}; heapflow {command} --no-cache")
    assert done.returncode == right
    assert "Traceback" not in done.stderr and "error:" not in done.stderr


def test_a_table_of_tools_that_is_none(here: Path) -> None:
    (here / "pyproject.toml").write_text("tool = 5\n")
    assert shell("heapflow check ok.c").returncode == 0


@pytest.mark.parametrize(
    "line",
    [
        "heapflow check leak.c --format json -o /dev/full",
        "heapflow check leak.c --write-baseline /dev/full",
        "heapflow graph --function f leak.c -o /dev/null/x",
        "heapflow check leak.c --config /dev/zero",
        "heapflow check leak.c --baseline /dev/zero",
    ],
)
def test_places_that_cannot_be_written_or_read(line: str) -> None:
    done = shell(line)
    assert done.returncode == 2
    assert done.stderr.startswith("heapflow: error: /dev/")
    assert "bug" not in done.stderr


LONG = "x" * 300


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("check leak.c --write-baseline nowhere/known", "there is no directory nowhere"),
        ("check leak.c --write-baseline .", "this is a directory"),
        ("check leak.c --write-baseline ''", "this is a directory"),
        (f"check leak.c --write-baseline {LONG}", "File name too long"),
        ("check leak.c --write-baseline /proc/known", "cannot write"),
        ("check leak.c --format json:/proc/report", "cannot write"),
        ("check leak.c --format json:a --format sarif:./a", "two outputs would share"),
        ("check leak.c --format json:a --write-baseline a", "two outputs would share"),
        ("graph --function f leak.c -o nowhere/picture", "there is no directory nowhere"),
        (f"graph --function f leak.c -o {LONG}", "File name too long"),
        ("graph --function f leak.c -o taken", "this is a directory"),
        ("graph --source leak.c leak.c", "expected FILE:LINE"),
        ("capture -o /proc/database -- touch built", "cannot write"),
        ("capture -o nowhere/database -- touch built", "there is no directory nowhere"),
    ],
)
def test_outputs_are_checked_before_the_work(here: Path, line: str, said: str) -> None:
    (here / "taken.json").mkdir()
    before = sorted(here.iterdir())
    done = shell(f"heapflow {line}")
    assert done.returncode == 2
    assert done.stderr.startswith("heapflow: error: ") and done.stderr.count("error") == 1
    assert said in done.stderr and not done.stdout
    assert sorted(here.iterdir()) == before  # no cache: nothing was compiled; no file was begun


def test_a_report_that_cannot_be_written_leaves_the_old_one(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = here / "report.json"
    report.write_text("old")

    def full(handle: int, *_: object, **__: object) -> object:
        os.close(handle)
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("heapflow.support.files.os.fdopen", full)
    with pytest.raises(UserError, match=r"No space left on device\n  make room"):
        write_file(report, "new")
    assert report.read_text() == "old"
    assert [one.name for one in here.iterdir() if "report" in one.name] == ["report.json"]
    monkeypatch.undo()
    report.chmod(0o640)
    write_file(report, "new")
    assert report.read_text() == "new"
    assert stat.S_IMODE(report.stat().st_mode) == 0o640


def test_other_formats_are_written_when_one_cannot_be(here: Path) -> None:
    done = shell("heapflow check leak.c --format json:/dev/full --format sarif:leak.sarif")
    assert done.returncode == 2
    assert "name a file elsewhere" in done.stderr
    assert (here / "leak.sarif").stat().st_size > 1000


@pytest.mark.parametrize("place", ["nowhere/x.json", ".", "/proc/x/x.json"])
def test_places_are_looked_at_before_the_analysis(place: str) -> None:
    done = shell(f"heapflow check leak.c --format json:{place}")
    assert done.returncode == 2
    assert "\n  " in done.stderr  # a way out
    assert "functions" not in done.stderr


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("heapflow chekc leak.c", "did you mean `heapflow check`?"),
        ("heapflow leak.c", "heapflow check leak.c"),
        ("heapflow quux", "there are: check, capture"),
    ],
)
def test_mistyped_commands(line: str, hint: str) -> None:
    done = shell(line)
    assert done.returncode == 2
    assert hint in done.stderr


def test_an_include_that_no_file_matches_is_told() -> None:
    mistyped = shell("heapflow check leak.c --include 'srcc/'")
    assert mistyped.returncode == 0
    assert "--include srcc/: none of the files that were read is there" in mistyped.stderr
    for pattern in ("leak.c", "**/leak.c", "*.c"):
        done = shell(f"heapflow check leak.c --include '{pattern}'")
        assert "none of the files" not in done.stderr, pattern
