"""A run can be ended at any moment, says so, and leaves nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

# Holds the interpreter's lock, as native libraries do: no Python code runs meanwhile.
STUCK = """
import ctypes, subprocess, sys, tempfile
from heapflow.cli.supervise import supervised
def work():
    made = tempfile.mkdtemp()
    other = subprocess.Popen(["sleep", "60"])
    print(made, other.pid, flush=True)
    ctypes.PyDLL(None).sleep(60)
    return 0
sys.exit(supervised(work))
"""
CRASH = """
import os, sys
from heapflow.cli.supervise import supervised
sys.exit(supervised(lambda: os.abort()))
"""
MANY = "#include <stdlib.h>\n" + "".join(
    f"int f{n}(int *a) {{ char *p = malloc({n + 1}); if (a[{n}] > 3) return 1; free(p); return 0; }}\n"
    for n in range(4000)
)


def python(text: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", text], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def is_alive(pid: int) -> bool:
    """Whether a process runs: one that nobody has waited for does not."""
    status = Path(f"/proc/{pid}/stat")
    try:
        return status.read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def has_ended(pid: int) -> bool:
    """Whether a process that was killed is gone; the kernel may take a moment."""
    begun = time.monotonic()
    while is_alive(pid) and time.monotonic() - begun < 5:
        time.sleep(0.05)
    return not is_alive(pid)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_native_code(number: signal.Signals) -> None:
    process = python(STUCK)
    assert process.stdout is not None
    directory, pid = process.stdout.readline().split()
    process.send_signal(number)
    _, errors = process.communicate(timeout=10)  # by itself it would take a minute
    assert process.returncode == 128 + number
    assert "interrupted" in errors
    assert not Path(directory).exists()
    assert has_ended(int(pid))


def test_what_kills_the_analysis_is_said() -> None:
    process = python(CRASH)
    _, errors = process.communicate(timeout=10)
    assert process.returncode == 2
    assert "SIGABRT" in errors


def test_it_ends_with_the_one_that_waits() -> None:
    process = python(STUCK)
    assert process.stdout is not None
    _, other = process.stdout.readline().split()
    (child,) = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    process.kill()
    process.wait(timeout=10)
    os.kill(int(other), signal.SIGKILL)
    assert has_ended(int(child))


@pytest.mark.parametrize("after", [0.3, 1.2, 2.5])
def test_a_check_can_be_interrupted(after: float, tmp_path: Path) -> None:
    source, cache = tmp_path / "many.c", tmp_path / "cache"
    source.write_text(MANY)
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache), "TMPDIR": str(tmp_path)}
    command = [sys.executable, "-m", "heapflow", "check", str(source)]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    )
    time.sleep(after)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    assert process.returncode in (130, -signal.SIGINT)  # the latter while Python itself starts
    assert not list(tmp_path.glob("heapflow-*"))
    again = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert again.returncode == 1
    assert "4000 errors" in again.stderr


def check(source: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "heapflow", "check", str(source), *options]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_little_address_space_is_said(tmp_path: Path) -> None:
    source = tmp_path / "small.c"
    source.write_text("#include <stdlib.h>\nint f(void) { return malloc(1) != 0; }\n")
    command = f"ulimit -v 900000; exec {sys.executable} -m heapflow check {source}"
    found = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    assert found.returncode == 2
    assert "ulimit -v" in found.stderr
    assert "panicked" not in found.stderr


def test_limits_of_the_run(tmp_path: Path) -> None:
    source = tmp_path / "many.c"
    source.write_text(MANY)
    whole = check(source)
    assert whole.returncode == 1
    late = check(source, "--time-limit", "1")
    assert late.returncode == 3
    assert "time limit of 1 s" in late.stderr
    full = check(source, "--memory-limit", "60")
    assert full.returncode == 3
    assert "memory limit of 60 MB" in full.stderr
    assert check(source, "--time-limit", "0").returncode == 2
