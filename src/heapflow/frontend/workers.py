"""Run a function over many tasks in forked processes, and survive what the tasks do to them.

In:    a function, tasks.         Out: (index, result) pairs as they finish.
Guarantees: a process that dies (a crash inside a native library) or takes too long costs only its own
       task, which yields a `Crash`; no process outlives the call.
Not modelled: systems without fork.

The standard pools either hang or give up altogether when a worker dies, hence this one.
"""

from __future__ import annotations

import contextlib
import gc
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, Generic, TypeVar

from heapflow.support.collector import collect_if_many, cycles_collected

_FIRST_SECONDS = 0.3  # tell how long the rest will take
# To fork a large process, and to copy what both write to, costs a part of what it saves.
_SECONDS_PER_PROCESS = 1.0
Task = TypeVar("Task")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Crash:
    """What became of a task whose process did not finish it."""

    reason: str


@dataclass(slots=True)
class _Worker(Generic[Task]):
    process: BaseProcess
    pipe: Connection
    index: int = -1  # task in hand, -1 idle
    since: float = 0.0


def run_tasks(
    work: Callable[[Task], Result], tasks: Sequence[Task], jobs: int, time_limit: float = 900.0
) -> Iterator[tuple[int, Result | Crash]]:
    """Apply `work` to every task in up to `jobs` processes."""
    waiting = iter(enumerate(tasks))
    workers = [_start(work) for _ in range(min(jobs, len(tasks)))]
    try:
        for worker in workers:
            _hand_out(worker, waiting)
        while any(worker.index >= 0 for worker in workers):
            busy = [worker for worker in workers if worker.index >= 0]
            ready = set(wait([worker.pipe for worker in busy], timeout=1.0))
            for worker in busy:
                late = time.monotonic() - worker.since > time_limit
                if worker.pipe not in ready and not late:
                    continue
                result = _collect(worker, late and worker.pipe not in ready, time_limit)
                yield worker.index, result
                if isinstance(result, Crash):
                    _stop(worker)
                    fresh = _start(work)
                    worker.process, worker.pipe = fresh.process, fresh.pipe
                _hand_out(worker, waiting)
    finally:
        for worker in workers:
            _stop(worker)


def spread(
    work: Callable[[int], Result],
    count: int,
    jobs: int,
    otherwise: Callable[[int], Result],
    told: Callable[[int, int], None] | None = None,
) -> list[Result]:
    """`work(0)` … `work(count - 1)`, in several processes if it takes long.

    `work` may use all that this process has, as it was when `spread` was called; its results are sent
    back, and must not depend on who makes them. `otherwise` stands in for a process that dies or hangs.
    `told` hears how many of how many are done.
    """
    # The first task prepares what all of them need, and says nothing about the others.
    found = [_alone(work, 0, otherwise)] if count else []
    begun = time.monotonic()
    processes = 1
    with cycles_collected() as collect:
        while len(found) < count and processes < 2:
            found.append(_alone(work, len(found), otherwise))
            collect()
            if told is not None:
                told(len(found), count)
            processes = min(jobs, _worthwhile(time.monotonic() - begun, len(found) - 1, count))
    left = range(len(found), count)
    rest: dict[int, Result | Crash] = {}
    for index, answer in run_tasks(work, left, processes):
        rest[index] = answer
        if told is not None:
            told(len(found) + len(rest), count)
    for index, number in enumerate(left):
        result = rest[index]
        found.append(otherwise(number) if isinstance(result, Crash) else result)
    return found


_OWN_MISTAKES = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)


def _alone(
    work: Callable[[int], Result], number: int, otherwise: Callable[[int], Result]
) -> Result:
    """One task in this process: a mistake of ours costs this task, as it does in another process."""
    try:
        return work(number)
    except _OWN_MISTAKES:
        if os.environ.get("HEAPFLOW_DEBUG"):
            raise
        return otherwise(number)


def _worthwhile(seconds: float, done: int, count: int) -> int:
    """How many processes the rest of the work is worth, if it is like what was done so far."""
    if seconds < _FIRST_SECONDS:
        return 1
    return int(seconds / done * (count - 1 - done) / _SECONDS_PER_PROCESS)


def _start(work: Callable[[Any], Any]) -> _Worker[Any]:
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(work, theirs, ours), daemon=True)
    # What is buffered now would be written by both processes.
    sys.stdout.flush()
    sys.stderr.flush()
    process.start()
    theirs.close()
    return _Worker(process, ours)


def _serve(work: Callable[[Any], Any], pipe: Connection, parents_end: Connection) -> None:
    """The worker: tasks in, results out, until the pipe closes."""
    parents_end.close()
    # The terminal sends Ctrl-C to all: the parent decides, and stops us.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # LLVM prints an assertion and aborts on some damaged bitcode; the parent says what happened.
    with Path(os.devnull).open("w") as nowhere:
        os.dup2(nowhere.fileno(), 2)
    # What was loaded before the fork stays for good, and a task's objects die with the task: the
    # collector would only walk over them, and copy the pages that the processes share.
    gc.freeze()
    gc.disable()
    with contextlib.suppress(EOFError, BrokenPipeError, ConnectionResetError):
        while True:
            pipe.send(work(pipe.recv()))
            collect_if_many()


def _hand_out(worker: _Worker[Task], waiting: Iterator[tuple[int, Task]]) -> None:
    worker.index, task = next(waiting, (-1, None))
    if task is not None:
        worker.since = time.monotonic()
        # A worker that died while idle shows as a crash when its answer is awaited.
        with contextlib.suppress(BrokenPipeError):
            worker.pipe.send(task)


def _collect(worker: _Worker[Any], late: bool, time_limit: float) -> Any:
    if late:
        return Crash(f"took longer than {time_limit:.0f} s")
    try:
        return worker.pipe.recv()
    except (EOFError, ConnectionResetError):
        worker.process.join(5.0)
        code = worker.process.exitcode
        if code is not None and code < 0:
            return Crash(f"crashed with signal {-code} ({signal.Signals(-code).name})")
        return Crash(f"ended with status {code}")


def _stop(worker: _Worker[Any]) -> None:
    worker.pipe.close()
    # In the middle of a task it would not look at the pipe; an idle one may not see that it is closed,
    # since workers forked later hold our end of it, too. Neither has anything to lose.
    worker.process.terminate()
    worker.process.join(5.0)
    if worker.process.is_alive():
        worker.process.kill()
        worker.process.join()


def usable_cores() -> int:
    """Cores that this process may use, which containers keep lower than what there is."""
    return len(os.sched_getaffinity(0))
