"""Blocks that are lost with the object that holds them: which of them deserve a finding of their own.

In:    verdicts on all sources.     Out: those that were left to their owner's finding, but that nobody
       ever frees.
An owner that leaks takes along what its fields hold, and most often one forgotten call of its
destructor loses them all: one finding, which lists the others. But if nothing in the program frees
such a block, neither alone nor in a destructor, freeing the owner does not help: it is lost on its own
account (valgrind calls it "indirectly lost").
A block counts as cared for if any source with one of its objects is freed, escapes, is undecided, or is
still held when a function ends that nobody in the program calls: the outside may have a destructor.
"""

from __future__ import annotations

from heapflow.leaks.verdict import Verdict
from heapflow.logic.space import GuardSpace


class Withheld:
    """Collects verdicts; answers when all functions are done."""

    def __init__(self, space: GuardSpace) -> None:
        self.space = space
        self._cared_for: set[int] = set()
        self._verdicts: list[Verdict] = []

    def note(self, verdict: Verdict, has_callers: bool) -> None:
        """Every verdict, reported or not: who takes care of the object."""
        flow, is_false = verdict.flow, self.space.is_false
        if (
            not flow.decided
            or flow.frees
            or not is_false(flow.freed)
            or not is_false(flow.escaped)
            or (not has_callers and not is_false(verdict.survives))
        ):
            self._cared_for |= verdict.source.objects

    def add(self, verdict: Verdict) -> None:
        """A loss that is told in the owner's finding."""
        if not verdict.safe_elsewhere:
            self._verdicts.append(verdict)

    def never_freed(self) -> list[Verdict]:
        """Those that nobody frees."""
        return [one for one in self._verdicts if self._cared_for.isdisjoint(one.source.objects)]
