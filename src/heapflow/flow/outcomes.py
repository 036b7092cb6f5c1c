"""The conditions under which an object is freed or out of our hands, as one run finds them."""

from __future__ import annotations

from collections import Counter

from heapflow.flow.config import LeakConfig
from heapflow.flow.outcome import Flow
from heapflow.ir.ids import BlockId
from heapflow.logic.space import Guard, GuardSpace


class Outcomes:
    """Collects into a flow's `freed` and `escaped`, and says when nothing else can matter."""

    def __init__(
        self,
        config: LeakConfig,
        limits_hit: Counter[str],
        flow: Flow,
        space: GuardSpace,
        unsettled: Guard,  # where the object is neither freed nor out of our hands
    ) -> None:
        self.config, self.limits_hit = config, limits_hit
        self.flow, self.space = flow, space
        self.overfull = False
        self._unsettled = unsettled
        self._more_freed: list[Guard] = []  # these wait to be joined
        self._more_escaped: list[Guard] = []
        self._count = 0  # times that something was added

    def add(self, block: BlockId, freed: Guard | None = None, escaped: Guard | None = None) -> None:
        """Add to the conditions of being freed or out of our hands, unless they outgrow their bound.

        The first ones count at once, since they may settle everything. Later ones wait: joining many
        small conditions with each other first is cheaper than each with the large one.
        """
        if self.overfull:
            return
        if freed is not None:
            self._more_freed.append(freed)
            self.flow.settled.append((block, freed))
        if escaped is not None:
            self._more_escaped.append(escaped)
            self.flow.settled.append((block, escaped))
        self._count += 1
        if len(self._more_freed) + len(self._more_escaped) > self._count // max(
            self.config.waiting_share, 1
        ):
            self.settle()

    def settle(self) -> None:
        """Take the outcomes that wait into account.

        An outcome that is too large ends the run: what it leaves unsettled is not asked any more.
        """
        flow, space = self.flow, self.space
        more: list[Guard] = []
        if self._more_freed:
            more.append(space.any_of(self._more_freed))
            flow.freed = flow.freed | more[-1]
            self._more_freed.clear()
        if self._more_escaped:
            more.append(space.any_of(self._more_escaped))
            flow.escaped = flow.escaped | more[-1]
            self._more_escaped.clear()
        if self._count >= self.config.measured_from and not self.overfull:
            largest = max(space.size(flow.freed), space.size(flow.escaped))
            if largest > self.config.most_outcome_nodes:
                self.limits_hit["outcome condition too large"] += 1
                self.give_up("leaks.most-outcome-nodes")
                self.overfull = True
        if not self.overfull:
            for settled in more:
                self._unsettled = self._unsettled & ~settled

    def give_up(self, limit: str) -> None:
        self.flow.decided = False
        self.flow.limit = self.flow.limit or limit

    def are_final(self) -> bool:
        """Freed or out of our hands in any case, or beyond saying: nothing else can matter."""
        return self.overfull or self.space.is_false(self._unsettled)
