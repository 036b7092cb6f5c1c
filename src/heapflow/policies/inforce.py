"""Which assumptions a run makes, and how often each of them acted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from heapflow.policies.policy import Policy


class Policies:
    """Asked where an assumption would act."""

    def __init__(self, without: Iterable[str] = ()) -> None:
        self.without = frozenset(without)
        self.acted: Counter[str] = Counter()
        self.at = -1  # the function that is being looked at
        self._by_func: dict[int, set[str]] = {}

    def makes(self, policy: Policy) -> bool:
        """Whether an assumption is made in this run."""
        return policy.name not in self.without

    def acts(self, policy: Policy) -> bool:
        """Whether an assumption is made, here and now; that it was is counted."""
        name = policy.name
        if name in self.without:
            return False
        self.acted[name] += 1
        known = self._by_func.get(self.at)
        if known is None:
            known = self._by_func[self.at] = set()
        known.add(name)
        return True

    def acted_in(self, funcs: Iterable[int]) -> frozenset[str]:
        """The assumptions that acted while one of these functions was looked at."""
        return frozenset[str]().union(*(self._by_func.get(func, ()) for func in funcs))
