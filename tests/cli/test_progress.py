"""Progress is for people: on a terminal, on stderr, and gone when the work is done."""

from __future__ import annotations

import io
import sys

import pytest

from heapflow.cli import progress
from heapflow.cli.progress import LoggedRun, WatchedRun, make_run
from heapflow.support.run import Run


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_only_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert type(make_run(quiet=False)) is LoggedRun
    assert type(make_run(quiet=True)) is Run
    monkeypatch.setattr(sys, "stderr", Terminal())
    assert type(make_run(quiet=False)) is WatchedRun
    assert type(make_run(quiet=True)) is Run


def test_phases_with_counts_and_time(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(progress, "_LONG", 0.0)
    run = make_run(quiet=False)
    run.count("files", 2)
    with run.phase("points-to"):
        run.count("objects", 7)
    lines = terminal.getvalue().replace("\r\x1b[K", "\n").split("\n")
    assert "points-to …" in lines
    assert "points-to: 0.0 s (7 objects)" in lines
    assert [cost.name for cost in run.phases] == ["points-to"]


def test_the_line_is_removed_when_a_phase_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with pytest.raises(ValueError, match="x"), make_run(quiet=False).phase("leaks"):
        raise ValueError("x")
    assert terminal.getvalue().endswith("\r\x1b[K")


def test_a_log_shows_life(monkeypatch: pytest.MonkeyPatch) -> None:
    log, clock = io.StringIO(), [100.0]
    monkeypatch.setattr(sys, "stderr", log)
    monkeypatch.setattr("time.perf_counter", lambda: clock[0])
    run = make_run(quiet=False)
    with run.phase("leaks"):
        run.step(1, 9, "early")
        clock[0] += 29
        run.step(2, 9, "not yet")
        clock[0] += 2
        run.step(3, 9, "f\x1b")
        run.step(4, 9, "just told")
        clock[0] += 30
    with run.phase("points-to"):
        clock[0] += 30
        run.step(7, 0, "50 places", "round")
    assert log.getvalue().splitlines() == [
        "heapflow: 31 s, leaks: 3 of 9 functions (f\\x1b)",
        "heapflow: 61 s, points-to",
        "heapflow: 91 s, points-to: round 7 (50 places)",
    ]
