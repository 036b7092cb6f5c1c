"""What a long run is doing, on stderr, for someone who is watching."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from heapflow.support.run import Run
from heapflow.support.visible import visible

_HAS_ITS_OWN_BAR = "compile and read"
_OFTEN = 0.2  # seconds between two lines
_SELDOM = 30.0  # the same where nobody is watching
_LONG = 1.0  # seconds; a phase that took longer leaves a line


@dataclass
class WatchedRun(Run):
    """A run that names each phase while it works, with the counts it added and its time."""

    told: float = 0.0

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        before, start = dict(self.counters), time.perf_counter()
        if name != _HAS_ITS_OWN_BAR:
            sys.stderr.write(f"\r\x1b[K{name} …")
            sys.stderr.flush()
        try:
            with super().phase(name):
                yield
        finally:
            took = time.perf_counter() - start
            sys.stderr.write("\r\x1b[K")
            if took >= _LONG:
                added = [
                    f"{number - before.get(what, 0)} {what}"
                    for what, number in self.counters.items()
                    if number != before.get(what, 0)
                ]
                counts = f" ({', '.join(added)})" if added else ""
                sys.stderr.write(f"{name}: {took:.1f} s{counts}\n")
            sys.stderr.flush()

    def step(self, done: int, total: int, name: str = "", unit: str = "functions") -> None:
        now = time.perf_counter()
        if now - self.told >= _OFTEN:
            self.told = now
            sys.stderr.write(f"\r\x1b[K{self.at} … {how_far(done, total, name, unit)}")
            sys.stderr.flush()


@dataclass
class LoggedRun(Run):
    """A run that nobody watches: a line twice a minute, so that a log shows life."""

    begun: float = field(default_factory=lambda: time.perf_counter())
    told: float = field(default_factory=lambda: time.perf_counter())

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        with super().phase(name):
            self._tell("")
            yield

    def step(self, done: int, total: int, name: str = "", unit: str = "functions") -> None:
        self._tell(": " + how_far(done, total, name, unit))

    def _tell(self, more: str) -> None:
        now = time.perf_counter()
        if now - self.told >= _SELDOM:
            self.told = now
            sys.stderr.write(f"heapflow: {now - self.begun:.0f} s, {self.at}{more}\n")
            sys.stderr.flush()


def how_far(done: int, total: int, name: str, unit: str) -> str:
    """`12 of 40 functions (main)`, as far as each is known."""
    of = f"{done} of {total} {unit}" if total else f"{unit} {done}"
    return f"{of} ({visible(name)})" if name else of


def make_run(quiet: bool) -> Run:
    """A run that shows its progress: all the time on a terminal, else twice a minute."""
    if quiet:
        return Run()
    return WatchedRun() if sys.stderr.isatty() else LoggedRun()
