"""A run that is killed leaves nothing that a later run could stumble over.

The command runs for real, with a cache of its own, and is killed at a point of its work; the run after
that has to say what a run says that nobody disturbed.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

FILES = 4
_UNIT = """
#include <stdlib.h>
int next_{n}(int);
char *make_{n}(int size) {{ return size > {n} ? malloc(size) : NULL; }}
int use_{n}(int size) {{
    char *block = make_{n}(size);
    if (block == NULL)
        return -1;
    if (size > 1{n}0)
        return next_{n}(size);
    free(block);
    return 0;
}}
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program of several files, each with a leak."""
    place = tmp_path_factory.mktemp("project")
    for number in range(FILES):
        (place / f"u{number}.c").write_text(_UNIT.format(n=number))
    calls = " + ".join(f"use_{number}(argc)" for number in range(FILES))
    names = "".join(f"int use_{number}(int);\n" for number in range(FILES))
    (place / "main.c").write_text(f"{names}int main(int argc, char **argv) {{ return {calls}; }}\n")
    return place


@pytest.fixture(scope="module")
def undisturbed(project: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    found = outcome(project, tmp_path_factory.mktemp("cache"))
    assert len(found["findings"]) == FILES
    return found


def start(project: Path, cache: Path, report: Path) -> subprocess.Popen[bytes]:
    names = sorted(path.name for path in project.glob("*.c"))
    command = [sys.executable, "-m", "heapflow", "check", *names, "-j", "2", "--no-config", "-q"]
    return subprocess.Popen(
        [*command, "--format", f"json:{report}"],
        cwd=project,
        env={**os.environ, "HEAPFLOW_CACHE_DIR": str(cache)},
        start_new_session=True,
    )


def outcome(project: Path, cache: Path) -> Any:
    """What a run to the end reports, without the times."""
    report = cache.parent / f"{cache.name}.json"
    assert start(project, cache, report).wait(60) == 1
    found = json.loads(report.read_text())
    del found["summary"]["phases"]
    return found


def entries(cache: Path) -> int:
    return sum(path.is_file() for path in cache.rglob("*"))


def kill_when(process: subprocess.Popen[bytes], ready: Callable[[], bool], everyone: bool) -> None:
    """SIGKILL to the process, or to its workers as well, as soon as `ready`."""
    while process.poll() is None and not ready():
        time.sleep(0.002)
    with contextlib.suppress(ProcessLookupError):
        if everyone:
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait(10)


def wait_for_workers(group: int) -> None:
    """Workers of a killed run end by themselves, each after the file that it has in hand."""
    for _ in range(200):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    os.killpg(group, signal.SIGKILL)
    pytest.fail("workers of a killed run are still there")


@pytest.mark.parametrize(
    ("kept", "everyone"),
    [(0, False), (2, False), (5, True), (9, False)],
    ids=["at the start", "main process", "all processes", "near the end"],
)
def test_killed_and_restarted(
    project: Path, undisturbed: Any, tmp_path: Path, kept: int, everyone: bool
) -> None:
    cache = tmp_path / "cache"
    killed = start(project, cache, tmp_path / "killed.json")
    kill_when(killed, lambda: entries(cache) >= kept, everyone)
    wait_for_workers(killed.pid)
    assert outcome(project, cache) == undisturbed


def test_killed_while_the_cache_is_written(project: Path, undisturbed: Any, tmp_path: Path) -> None:
    """Half an entry, as a full disk or a power failure leaves it, counts as none."""
    cache = tmp_path / "cache"
    assert outcome(project, cache) == undisturbed
    for number, path in enumerate(sorted(path for path in cache.rglob("*") if path.is_file())):
        data = path.read_bytes()
        path.write_bytes((b"", data[: len(data) // 2], data[:-1])[number % 3])
    assert outcome(project, cache) == undisturbed
