"""Summaries that hold for many location sets.

In:    what a run compared with the location set in which its object lies.     Out: `Comparisons`.
A summary is asked for an object that lies in some location set. The run that makes it looks at the set
only to see whether it meets others: what a load reads, what a callee sees. Another set that meets the
same ones, and misses the same ones, would be followed through the same steps to the same result: one is
enough. `xmalloc` gets to see objects in hundreds of different places, and touches none.
Guarantees: a summary is shared only if all its comparisons are known, those of its callees included;
one from which something was left out, for being too many calls away, only with who is as far away.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

_Summary = TypeVar("_Summary")


class Comparisons:
    """What one run compared the location set of its object with, and what came of it."""

    __slots__ = (
        "_lacked",
        "_met",
        "_met_here",
        "_missed_here",
        "_part",
        "_part_met",
        "cut_at",
        "is_complete",
        "is_cut",
    )

    def __init__(self, is_cut: bool = False) -> None:
        self.is_complete = True  # else: something depends on the set in a way that is not known
        self.is_cut = is_cut  # something was not followed, since it was too deep
        self.cut_at = 0  # how deep the run itself was, if so
        self._met_here: set[int] = set()  # numbers of location sets
        self._missed_here: set[int] = set()
        self._met: set[int] = set()  # location sets, as bits
        self._lacked = 0  # all that was missed, as one set
        self._part: int | None = None  # what the last who used the summary sees of all sets,
        self._part_met: set[int] = set()  # and that part of those that were met

    def note(self, other: int, meets: bool) -> None:
        """The set was compared with another one, by number."""
        (self._met_here if meets else self._missed_here).add(other)

    def use(self, callee: Comparisons | None) -> None:
        """A summary was used: what it lacks is lacking here, too."""
        if callee is not None and callee.is_cut:
            self.is_cut = True

    def include(self, callee: Comparisons | None, seen: int) -> None:
        """A summary was used for the part of the set that a callee sees."""
        if callee is None or not callee.is_complete:
            self.is_complete = False
            return
        self._part = None
        self._met |= callee._met_in(seen)
        self._lacked |= callee._lacked & seen

    def _met_in(self, seen: int) -> set[int]:
        """The part of what was met that can be seen; asked again and again for the same one."""
        if self._part != seen:
            self._part, self._part_met = seen, {other & seen for other in self._met}
        return self._part_met

    def finish(self, location_sets: Sequence[int], depth: int) -> None:
        """Nothing will be added any more, by a run at that depth."""
        self._part = None
        if self.is_cut:
            self.cut_at = depth
        self._met.update([location_sets[other] for other in self._met_here])
        for other in self._missed_here:
            self._lacked |= location_sets[other]
        self._met_here.clear()
        self._missed_here.clear()

    def fit(self, bits: int, depth: int) -> bool:
        """Whether another location set would have compared the same way, at that depth."""
        return (
            self.cut_at <= depth
            and not bits & self._lacked
            and all(bits & other for other in self._met)
        )


def first_that_fits(
    known: Sequence[tuple[Comparisons, _Summary]], bits: int, depth: int
) -> _Summary | None:
    """The first summary made for a set that cannot be told from this one."""
    for compared, summary in known:
        if compared.fit(bits, depth):
            return summary
    return None
