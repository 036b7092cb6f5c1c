"""Run a compiler that must not wait, neither for ever nor at a named pipe, nor take all memory.

In:    a command, where it runs, how long it may take.     Out: exit status, messages.
Guarantees: the command has ended when this returns; on Linux it never had more than `MOST_MEMORY`.

`#include` of a named pipe makes a compiler sleep until somebody writes into it, and nobody will. A
compiler that works is running, or waits for a disk, which the kernel tells from sleeping. So one
that has slept for some seconds and used no processor in them is ended. Only Linux tells; elsewhere
the limit of time is all there is.
`asm(".incbin \\"/dev/zero\\"")` is read by LLVM for as long as there is memory, and so is much else.
"""

from __future__ import annotations

import os
import re
import resource
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

_ASLEEP = (
    10.0  # seconds: file systems over a network take less to answer, or let wait uninterruptibly
)
_LOOK_EVERY = 1.0
# Bytes of address space. The largest sources known here (sqlite3.c, generated parsers) take one
# thousand million.
MOST_MEMORY = 8 << 30
_NO_MEMORY = re.compile(r"out of memory|std::bad_alloc|Cannot allocate memory", re.IGNORECASE)


def run_compiler(
    command: Sequence[str], directory: Path, environment: Mapping[str, str], time_limit: float
) -> tuple[int, str]:
    """Run it, with nothing to read and its output thrown away."""
    try:
        process = subprocess.Popen(
            command,
            cwd=directory,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
    except OSError as error:
        return 1, f"error: {error.strerror}: {error.filename}"
    try:
        _limit_memory(process.pid)
        status, said = _wait(process, time_limit)
        if status and _NO_MEMORY.search(said):
            return status, "error: the compiler ran out of memory"
        return status, said
    finally:
        if process.poll() is None:
            _end(process)


def _limit_memory(pid: int) -> None:
    """What it starts gets the same limit. One that the user set and that is lower stays."""
    if not hasattr(resource, "prlimit"):
        return
    with suppress(OSError):  # it has ended already
        soft, hard = resource.prlimit(pid, resource.RLIMIT_AS)
        given = [one for one in (soft, hard) if one != resource.RLIM_INFINITY]
        resource.prlimit(pid, resource.RLIMIT_AS, (min([MOST_MEMORY, *given]), hard))


def _wait(process: subprocess.Popen[bytes], time_limit: float) -> tuple[int, str]:
    started = awake = time.monotonic()
    before: tuple[str, ...] = ()
    while True:
        try:
            said = process.communicate(timeout=min(_LOOK_EVERY, time_limit))[1]
            return process.returncode, said.decode("utf-8", "replace")
        except subprocess.TimeoutExpired:
            now = time.monotonic()
        asleep = _sleepers(process.pid)
        if not asleep or asleep != before:
            before, awake = asleep, now
        if now - awake >= _ASLEEP:
            why = "the compiler waits for something, perhaps a named pipe that is included"
        elif now - started >= time_limit:
            why = f"the compiler took longer than {time_limit:g} s"
        else:
            continue
        _end(process)
        return 1, f"error: {why}"


def _end(process: subprocess.Popen[bytes]) -> None:
    """With those that it started."""
    for pid in (*_children(process.pid), process.pid):
        with suppress(OSError):
            os.kill(pid, 9)
    process.communicate()


def _sleepers(pid: int) -> tuple[str, ...]:
    """A process and those that it started, with the time they took; empty if one does not sleep."""
    found = []
    for one in (pid, *_children(pid)):
        try:
            # What is between the parentheses is a name, and may hold anything.
            fields = (
                Path(f"/proc/{one}/stat").read_text(errors="replace").rpartition(")")[2].split()
            )
            state, user, system = fields[0], fields[11], fields[12]
        except (OSError, IndexError):
            return ()
        if state != "S":
            return ()
        found.append(f"{one} {user} {system}")
    return tuple(found)


def _children(pid: int) -> tuple[int, ...]:
    try:
        text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    except OSError:
        return ()
    children = tuple(map(int, text.split()))
    return tuple(below for child in children for below in (*_children(child), child))
