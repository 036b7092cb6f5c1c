"""Run a command to its end or to a time limit, and tell what it cost.

Out:   `Measured`: status, output, CPU of the process and of all that it waited for, peak memory.
Guarantees: nothing that was started is left running after the time limit.
Not modelled: the sum of what parallel processes hold; the peak is that of the largest one, and never
       below that of the measuring process itself (Linux counts the moment before `exec`).
"""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Measured:
    """How a command ended and what it cost."""

    status: int  # as the shell says it: 128 + signal if it was killed
    stdout: str
    stderr: str
    cpu_seconds: float
    wall_seconds: float
    peak_mb: float
    timed_out: bool


def run_measured(
    command: Sequence[str],
    cwd: Path | str = ".",
    limit: float = 600.0,
    environment: Mapping[str, str] | None = None,
) -> Measured:
    """Run `command`; `limit` is in seconds of wall time."""
    begun = time.monotonic()
    # Files, not pipes: a full pipe would need a reader while the process is waited for.
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(
            command,
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            env={**os.environ, "LC_ALL": "C", **(environment or {})},
            start_new_session=True,
        )
        expired = threading.Event()
        clock = threading.Timer(limit, _end_group, (process.pid, expired))
        clock.start()
        try:
            _, status, use = os.wait4(process.pid, 0)
        finally:
            clock.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        texts = [stream.read().decode("utf-8", "replace") for stream in (out, err)]
    code = process.returncode
    return Measured(
        status=128 - code if code < 0 else code,
        stdout=texts[0],
        stderr=texts[1],
        cpu_seconds=use.ru_utime + use.ru_stime,
        wall_seconds=time.monotonic() - begun,
        peak_mb=use.ru_maxrss / 1024,
        timed_out=expired.is_set(),
    )


def _end_group(group: int, expired: threading.Event) -> None:
    expired.set()
    os.killpg(group, signal.SIGKILL)
