"""What the questions about one candidate took, and which bounds they met."""

from __future__ import annotations

from heapflow.replay.executor import Executor
from heapflow.replay.search import Found


class Spent:
    """Grows with every search."""

    def __init__(self) -> None:
        self.steps = self.rounds = self.solved = 0
        self.left_out: set[str] = set()
        self.hurried = False  # some bound of steps was met
        self.glimpsed = False  # some path was seen
        self.skips = False  # by searches that pass loops

    def on_search(self, found: Found) -> None:
        self.steps += found.steps
        self.solved += found.solved

    def since(self, before: int, executor: Executor) -> int:
        """Count the steps that an executor took since it had taken so many."""
        more = executor.steps - before
        self.steps += more
        return more
