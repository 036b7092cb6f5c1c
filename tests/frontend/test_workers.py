"""Tasks in processes that die, hang and fail."""

from __future__ import annotations

import faulthandler
import os
import signal
import time

import pytest

from heapflow.frontend import workers
from heapflow.frontend.workers import Crash, run_tasks, spread


def _work(task: str) -> str:
    faulthandler.disable()  # pytest would print the stack of what is meant to die
    if task == "die":
        os.kill(os.getpid(), signal.SIGSEGV)
    if task == "exit":
        os._exit(7)
    if task == "hang":
        time.sleep(60)
    return task.upper()


def outcome(tasks: list[str], jobs: int, time_limit: float = 30.0) -> list[str | Crash]:
    found = dict(run_tasks(_work, tasks, jobs, time_limit))
    return [found[index] for index in range(len(tasks))]


def test_every_task_is_done_once() -> None:
    tasks = [f"task {number}" for number in range(20)]
    assert outcome(tasks, 3) == [task.upper() for task in tasks]


def test_idle_workers_end_at_once() -> None:
    before = time.monotonic()
    assert outcome(["a", "b", "c"], 3) == ["A", "B", "C"]
    assert time.monotonic() - before < 4  # stopping one by one took five seconds each


def test_no_tasks() -> None:
    assert outcome([], 4) == []


def test_a_crash_costs_one_task() -> None:
    found = outcome(["a", "die", "b", "exit", "c"], 2)
    assert found[0::2] == ["A", "B", "C"]
    assert found[1] == Crash("crashed with signal 11 (SIGSEGV)")
    assert found[3] == Crash("ended with status 7")


def test_a_task_that_hangs_is_stopped() -> None:
    before = time.monotonic()
    found = outcome(["a", "hang", "b"], 1, time_limit=1.0)
    assert found == ["A", Crash("took longer than 1 s"), "B"]
    assert time.monotonic() - before < 20


def test_large_results_pass() -> None:
    (result,) = outcome(["x" * 3_000_000], 1)
    assert result == "X" * 3_000_000


def test_long_work_is_spread(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first tasks are done here; the rest elsewhere, with what this process has."""
    monkeypatch.setattr(workers, "_FIRST_SECONDS", 0.05)
    monkeypatch.setattr(workers, "_SECONDS_PER_PROCESS", 0.05)
    squares = {number: number * number for number in range(12)}

    def square(number: int) -> tuple[int, int]:
        time.sleep(0.03)
        return squares[number], os.getpid()

    found = spread(square, 12, 3, square)
    assert [value for value, _ in found] == list(squares.values())
    makers = [maker for _, maker in found]
    assert makers[0] == os.getpid()
    assert len({*makers} - {os.getpid()}) in (2, 3)


def test_short_work_and_one_job_stay_here(monkeypatch: pytest.MonkeyPatch) -> None:
    assert {*spread(lambda _: os.getpid(), 50, 4, lambda _: 0)} == {os.getpid()}
    monkeypatch.setattr(workers, "_FIRST_SECONDS", -1.0)
    monkeypatch.setattr(workers, "_SECONDS_PER_PROCESS", 1e-9)
    assert {*spread(lambda _: os.getpid(), 5, 1, lambda _: 0)} == {os.getpid()}
    assert spread(lambda _: os.getpid(), 0, 4, lambda _: 0) == []


def test_what_stands_in_for_a_process_that_dies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "_FIRST_SECONDS", 0.0)
    monkeypatch.setattr(workers, "_SECONDS_PER_PROCESS", 1e-9)
    here = os.getpid()

    def work(number: int) -> str:
        faulthandler.disable()
        time.sleep(0.01)
        if number % 2 and os.getpid() != here:
            os.kill(os.getpid(), signal.SIGSEGV)
        return f"made {number}"

    found = spread(work, 6, 2, lambda number: f"kept {number}")
    assert found == ["made 0", "made 1", "made 2", "kept 3", "made 4", "kept 5"]


def test_a_mistake_in_this_process_costs_one_task(monkeypatch: pytest.MonkeyPatch) -> None:
    def work(number: int) -> int:
        return 10 // number

    monkeypatch.delenv("HEAPFLOW_DEBUG", raising=False)
    assert spread(work, 3, 1, lambda number: -1) == [-1, 10, 5]
    monkeypatch.setenv("HEAPFLOW_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        spread(work, 3, 1, lambda number: -1)
