"""Calls that a path passed, and of which it rests on what they did: those are to be entered.

In:    a search, a losing path, which decisions on it matter.     Out: calls to enter.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from heapflow.replay.config import ReplayConfig
from heapflow.replay.events import EventKind
from heapflow.replay.externals import call_in
from heapflow.replay.grounds import Grounds
from heapflow.replay.hunt import Candidate
from heapflow.replay.knowledge import Knowledge
from heapflow.replay.matters import Matters
from heapflow.replay.memory import Kind
from heapflow.replay.names import names_in
from heapflow.replay.plausible import Plausible
from heapflow.replay.search import Found, Search
from heapflow.replay.spent import Spent
from heapflow.replay.state import State

_MADE = (EventKind.ALLOCATED, EventKind.FAILED, EventKind.FREED)


class Refined(NamedTuple):
    """What a search came to, and which decisions matter on its path, if it found one."""

    found: Found
    search: Search
    matters: Matters | None


class PassedCalls:
    """Asked about the paths of one candidate."""

    def __init__(
        self, knowledge: Knowledge, config: ReplayConfig, spent: Spent, grounds: Grounds
    ) -> None:
        self._knowledge, self._config = knowledge, config
        self._spent, self._grounds = spent, grounds

    def rested_on(self, matters: Matters, state: State, enter: frozenset[int]) -> set[int]:
        """Passed calls with a body whose unknowns the decisions that matter speak of, and those that
        may not come back; those that are entered already are not asked about."""
        executor = matters.search.executor
        found = {call for call in self._may_end(state) if self._is_new(call, enter)}
        for number in range(len(matters.choices) - 1, -1, -1):
            named = {call_in(executor, n) for n in names_in(executor, matters.choices[number])}
            new = {call for call in named - found if call is not None and self._is_new(call, enter)}
            if new and self._grounds.does(matters, number):
                found |= new
        return found

    def origin(self, search: Search, state: State) -> set[int]:
        """The passed call that gave the block of which the path tells, if it has a body."""
        assert state.loss is not None
        block = state.objects.get(state.loss.obj)
        if block is None or block.kind is not Kind.WORLD:
            return set()
        call = call_in(search.executor, block.name)
        return {call} if call is not None and self._knowledge.has_known_callee(call) else set()

    def holding(self, candidate: Candidate, search: Search, found: Found) -> set[int]:
        """Passed calls that are entered to see whether what holds the block is known to anybody."""
        if "steps" in found.cuts or not candidate.is_loss or candidate.script:
            return set()
        return set(search.hunt.calls_holding(self._knowledge))

    def can_come_back(self, candidate: Candidate, path: Refined, calls: frozenset[int]) -> bool:
        """Of a path that rests on calls which a bound kept us from entering: whether each of them,
        executed alone, can come back as the path takes it."""
        found, search, matters = path
        state = found.state or found.at_exit
        is_at_once = self._grounds.is_at_once(matters)
        is_meant = (candidate.is_loss or is_at_once) and not candidate.script
        if state is None or matters is None or not is_meant or not self._config.most_alone_steps:
            return False
        if state.loss is not None and state.objects[state.loss.obj].number:
            return False  # which numbers are free goes with what the callee did
        if is_at_once:  # what comes before the release only says whether it is reached
            calls &= frozenset(self._may_end(state))
        names: set[str] = set()
        for number, condition in enumerate(matters.choices):
            about = names_in(search.executor, condition)
            of_calls = {one for one in about if call_in(search.executor, one) in calls}
            if of_calls and self._grounds.does(matters, number):
                names |= of_calls
        plausible = Plausible(self._knowledge, self._config)
        is_possible = plausible.are(search.executor, state, calls, names)
        self._spent.steps += plausible.steps
        if plausible.is_cut_off:
            self._spent.left_out.add("steps of a callee alone")
        return is_possible

    def _is_new(self, call: int, enter: frozenset[int]) -> bool:
        return call not in enter and self._knowledge.has_known_callee(call)

    def _may_end(self, state: State) -> Iterable[int]:
        """Calls that were passed while the block was there, and may end the process."""
        made, knowledge = False, self._knowledge
        for event in state.events():
            if event.kind is EventKind.LOST:
                return
            made = made or event.kind in _MADE
            if made and event.kind is EventKind.PASSED and event.detail >= 0:
                touches = knowledge.touches(event.detail)
                if touches.ends and knowledge.size(event.detail) <= self._config.ending_callee:
                    yield event.instr
