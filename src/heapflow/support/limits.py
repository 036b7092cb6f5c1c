"""Limits of a whole run: seconds on the clock, and memory.

While limits are watched, a timer looks at them a few times a second. A phase that can stop where it is
asks `check`; in others the timer itself raises `OutOfBudget`. Only the main thread can have a timer: in
another one, `check` looks by itself.
Not modelled: memory of the processes that compile.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import Final

from heapflow.support.memory import resident_bytes

_LOOK_EVERY: Final = 0.1  # seconds


class OutOfBudget(Exception):
    """A run has used what it may; the text says which limit it was."""


@dataclass
class RunLimits:
    """What a run may use, and whether it did."""

    seconds: float | None = None
    memory: int | None = None  # bytes
    begun: float = field(default_factory=time.monotonic)
    over: str = ""  # the limit that was hit
    _is_timed: bool = False
    _interrupts: bool = True
    _looked: float = 0.0

    def check(self) -> None:
        """Raise `OutOfBudget` if a limit was hit."""
        if not self._is_timed and (self.seconds is not None or self.memory is not None):
            now = time.monotonic()
            if now - self._looked > _LOOK_EVERY:
                self._looked = now
                self._look()
        if self.over:
            raise OutOfBudget(self.over)

    def are_over(self) -> bool:
        """Whether a limit was hit, also in a process that was forked from the one with the timer."""
        self._look()
        return bool(self.over)

    def _look(self) -> None:
        if self.seconds is not None and time.monotonic() - self.begun > self.seconds:
            self.over = self.over or f"time limit of {self.seconds:g} s"
        elif self.memory is not None and resident_bytes() > self.memory:
            self.over = self.over or f"memory limit of {self.memory >> 20} MB"

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Look at the limits from now on."""
        bounded = self.seconds is not None or self.memory is not None
        if not bounded or threading.current_thread() is not threading.main_thread():
            yield
            return
        before = signal.signal(signal.SIGALRM, self._ring)
        signal.setitimer(signal.ITIMER_REAL, _LOOK_EVERY, _LOOK_EVERY)
        self._is_timed = True
        try:
            yield
        finally:
            self._is_timed = False
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    @contextmanager
    def at_checks_only(self) -> Iterator[None]:
        """A part of the run that stops where it asks `check`, and nowhere else."""
        before, self._interrupts = self._interrupts, False
        try:
            yield
        finally:
            self._interrupts = before

    def _ring(self, number: int, frame: FrameType | None) -> None:
        self._look()
        if self.over and self._interrupts:
            self._interrupts = False  # once is enough
            raise OutOfBudget(self.over)
