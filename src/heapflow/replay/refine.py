"""Search, enter the calls that the answer rests on, search again.

In:    a candidate.     Out: `Refined`: a path whose conditions rest on inputs alone, or which bound
was met. At first, calls that do not touch the block are passed. If a path is found whose conditions
rest on what such a call returned or wrote, that call is entered and the search begins anew.
"""

from __future__ import annotations

from heapflow.replay.hunt import Candidate
from heapflow.replay.inquiry import Inquiry
from heapflow.replay.matters import Matters
from heapflow.replay.otherpaths import OtherPaths
from heapflow.replay.passedcalls import Refined
from heapflow.replay.search import Found, Search
from heapflow.replay.solver import Solver
from heapflow.replay.state import State

Inner = tuple[State, frozenset[int]] | None  # a path, and the calls that are entered on it


class Refiner:
    """Searches for one candidate."""

    def __init__(self, inquiry: Inquiry, others: OtherPaths) -> None:
        self._knowledge, self._config, self._spent = (
            inquiry.knowledge,
            inquiry.config,
            inquiry.spent,
        )
        self._grounds, self._calls, self._others = inquiry.grounds, inquiry.calls, others
        self._solver = Solver.bounded(inquiry.config, inquiry.knowledge.answers)

    def search(
        self,
        candidate: Candidate,
        enter: frozenset[int],
        may_fail: bool,
        like: State | None = None,
    ) -> Search:
        """One search, with some calls entered."""
        knowledge, config = self._knowledge, self._config
        search = Search(knowledge, config, candidate, enter, may_fail, self._solver, like)
        search.hunt.skips = self._spent.skips
        return search

    def refine(
        self, candidate: Candidate, may_fail: bool, most: int, beyond: bool, inner: Inner = None
    ) -> Refined:
        """`most`: steps of one search. `beyond`: also on paths that use a released block."""
        spent, config = self._spent, self._config
        # The path that was found last, and the calls that were entered for it.
        like, enter = inner if inner is not None else (None, frozenset[int]())
        rounds = 0
        taken: tuple[Refined, frozenset[int]] | None = None  # and calls on which it rests
        before: Refined | None = None
        picks = False
        while True:
            rounds += 1
            spent.rounds += 1
            search = self.search(candidate, enter, may_fail, like)
            search.executor.goes_beyond, search.executor.picks = beyond, picks
            left = self.steps_left(candidate, most, refines=rounds > 1)
            is_deep = candidate.is_loss and not may_fail
            found = search.run(left, config.most_late_steps if is_deep else 0)
            spent.on_search(found)
            spent.hurried = spent.hurried or "steps" in found.cuts
            spent.left_out |= found.left_out
            path = found.state or found.at_exit
            if path is None:
                more = self._calls.holding(candidate, search, found) - enter
                if more and before is None and rounds < config.most_rounds:
                    enter |= more
                    continue
                if before is not None and found.cuts:
                    # A bound kept us from seeing where the block is from: it was found without.
                    return before
                is_cut = bool(found.cuts - {"turns"})
                if taken is not None and is_cut and self._calls.can_come_back(candidate, *taken):
                    return taken[0]
                return Refined(found, search, None)
            spent.glimpsed = True
            found, matters = self._others.better(candidate, search, found, Matters(search, path))
            path = found.state or found.at_exit
            assert path is not None
            more, before = self._calls.rested_on(matters, path, enter), None
            if not more:
                more = self._calls.origin(search, path) - enter
                before = Refined(found, search, matters)
            if not more and not picks and self._grounds.rests_on_blurred(matters):
                picks, like, before = True, path, None
                continue
            if not more:
                return Refined(found, search, matters)
            is_spent = self.steps_left(candidate, most, refines=True) <= 0
            spent.hurried = spent.hurried or is_spent
            taken = Refined(found, search, matters), frozenset(more)
            if rounds >= config.most_rounds or is_spent:
                if self._calls.can_come_back(candidate, *taken):
                    return taken[0]
                return Refined(Found(cuts={"rounds"}), search, matters)
            enter, like = enter | more, path

    def steps_left(self, candidate: Candidate, most: int, refines: bool) -> int:
        """For the next search. A path to a misuse that was found, and rests on less and less as calls
        are entered, is worth more than the search for one."""
        is_near = refines and not candidate.is_loss
        in_all = self._config.most_refined_steps if is_near else self._config.most_steps
        return min(in_all - self._spent.steps, most)
