"""One run of the tool: phases with their cost, counters, limits that were hit.

A phase is timed in CPU seconds (this process and its waited-for children) and wall seconds. Counters
and limits are shown by `--stats` and the closing summary, so nothing is dropped in silence.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from heapflow.support.limits import RunLimits


@dataclass(frozen=True, slots=True)
class PhaseCost:
    """What one phase took."""

    name: str
    wall_seconds: float
    cpu_seconds: float


def cpu_seconds() -> float:
    """CPU time of this process and of its finished children."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


@dataclass
class Run:
    """Collects what happened; passed through the pipeline."""

    phases: list[PhaseCost] = field(default_factory=list)
    counters: Counter[str] = field(default_factory=Counter)
    limits_hit: Counter[str] = field(default_factory=Counter)
    # Told how many of how many parts of a long phase are done, and the name of the last one.
    progress: Callable[[int, int, str], None] | None = None
    limits: RunLimits = field(default_factory=RunLimits)
    at: str = ""  # the phase

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        self.at = name
        wall, cpu = time.perf_counter(), cpu_seconds()
        try:
            yield
        finally:
            self.phases.append(PhaseCost(name, time.perf_counter() - wall, cpu_seconds() - cpu))

    def step(self, done: int, total: int, name: str = "", unit: str = "functions") -> None:
        """Told in the middle of a long phase; who watches shows it. A total of 0 is not known."""

    def count(self, what: str, how_many: int = 1) -> None:
        self.counters[what] += how_many

    def hit_limit(self, which: str, how_many: int = 1) -> None:
        self.limits_hit[which] += how_many
