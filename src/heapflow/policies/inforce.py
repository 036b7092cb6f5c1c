"""Which assumptions a run makes, and how often each of them acted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from heapflow.policies.table import NAMES


class Policies:
    """Asked where an assumption would act."""

    def __init__(self, without: Iterable[str] = ()) -> None:
        self.without = frozenset(without)
        assert self.without <= set(NAMES), f"no such policy: {self.without.difference(NAMES)}"
        self.acted: Counter[str] = Counter()
        self.at = -1  # the function that is being looked at
        self._by_func: dict[int, set[str]] = {}

    def in_force(self) -> tuple[tuple[str, int], ...]:
        """The assumptions that were made, and how often each acted."""
        return tuple((name, self.acted[name]) for name in NAMES if name not in self.without)

    def acts(self, name: str) -> bool:
        """Whether an assumption is made, here and now; that it was is counted."""
        if name in self.without:
            return False
        self.acted[name] += 1
        known = self._by_func.get(self.at)
        if known is None:
            known = self._by_func[self.at] = set()
        known.add(name)
        return True

    def acted_in(self, funcs: Iterable[int]) -> tuple[str, ...]:
        """The assumptions that acted while one of these functions was looked at."""
        found = set[str]().union(*(self._by_func.get(func, ()) for func in funcs))
        return tuple(name for name in NAMES if name in found)
