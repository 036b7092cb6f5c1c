"""Which decisions of a losing path matter: those whose other way need not lose the block.

In:    a search, the state at the end of a losing path.     Out: `Matters`, which is asked by choice.
At each choice of the path, the other way is followed for a while: where it comes to branches of the
path again, as the path went; elsewhere, all ways. If the block is lost on every one of them, the
decision is not the reason.
"""

from __future__ import annotations

from typing import NamedTuple

from heapflow.replay.aside import Aside
from heapflow.replay.decisions import assume
from heapflow.replay.events import EventKind, Trail
from heapflow.replay.executor import Alternative, Choice
from heapflow.replay.externals import call_in
from heapflow.replay.names import names_in
from heapflow.replay.search import Search
from heapflow.replay.state import State, Stop
from heapflow.replay.ways import Trial, WaysOn, every_way_loses


class _Went(NamedTuple):
    """How the path went: what was assumed, and by branch the edges that were taken, in order."""

    conditions: frozenset[int]
    edges: dict[int, list[int]]
    chosen: set[tuple[int, int]]  # branches, and the how manieth time: elsewhere nothing was open


class _Began(NamedTuple):
    """Where a decision is tried the other way: what had happened, how often at which branch."""

    trail: Trail | None
    branches: dict[int, int]


class Matters:
    """Which choices of one losing path matter: each is tried when it is first asked about."""

    def __init__(self, search: Search, state: State) -> None:
        self.search, self.state = search, state
        self.choices = state.choices()
        self._known: dict[int, bool] = {}
        self._at_once: bool | None = None
        self._open: set[int] = set()  # those of which a bound kept us from seeing what else happens
        self._stops: list[tuple[Stop, int]] | None = None
        self._went = _Went(frozenset(self.choices), {}, set())

    def all(self) -> frozenset[int]:
        """Numbers of those that do, in the order in which they were made."""
        return frozenset(n for n in range(len(self.choices) - 1, -1, -1) if self.does(n))

    def told(self) -> frozenset[int]:
        """Those that a reader has to know: without what calls do that have nothing to do with it."""
        found = self.all()
        unseen = sorted(found & self._open)
        if not unseen or self._stops is None:
            return found
        aside = Aside(self.search, self.state, self._stops, self._ways_from)
        found -= aside.among(unseen)
        last = sorted(found & self._open, reverse=True)[: self.search.config.most_longer_flips]
        return found - {number for number in last if self._loses_after_all(number)}

    def _loses_after_all(self, number: int) -> bool:
        """Whether a longer look shows that an open decision is not the reason."""
        assert self._stops is not None
        (before, alternatives), taken = self._stops[number]
        others = [one for one in alternatives if one.condition.number != taken and not one.later]
        tried = _place(before) if self._rests_on_call(taken) else -1
        config, goes_round = self.search.config, self._ends_loop(before)
        trial = Trial(config.longer_flip_steps, goes_round=goes_round, merges=True)
        return len(others) <= config.most_other_ways and all(
            self._loses_too(before, other, tried, trial) for other in others
        )

    def _ways_from(self, first: State, tried: int = -1) -> WaysOn:
        """What follows choices on paths that begin with a state and go as the path went."""
        search, went, began = self.search, self._went, _Began(first.trail, first.branches())
        return lambda state, choice: _ways_on(search, state, choice, went, began, tried)

    def does(self, number: int) -> bool:
        """Whether a choice matters; what was decided long before is not the reason."""
        if not self.is_near(number):
            self.search.executor.left_out.add("decisions long before the loss")
            return False
        known = self._known.get(number)
        if known is None:
            known = self._known[number] = self._tried(number)
        return known

    def is_near(self, number: int) -> bool:
        """Whether a choice is among the last ones: these are tried."""
        return len(self.choices) - number <= self.search.config.most_flips

    def is_at_once(self) -> bool:
        """Of a misuse: whether it follows whenever the path comes to the call that releases. Every
        choice from there on is one of the last, and all of its other ways misuse the block or end the
        process."""
        if self._at_once is None:
            self._prepare()
            assert self._stops is not None
            is_under_way = self.search.hunt.is_under_way
            after = [n for n, (stop, _) in enumerate(self._stops) if is_under_way(stop.state)]
            self._at_once = all(map(self._is_forced, after))
        return self._at_once

    def _is_forced(self, number: int) -> bool:
        assert self._stops is not None
        (before, alternatives), taken = self._stops[number]
        others = [one for one in alternatives if one.condition.number != taken and not one.later]
        trial = Trial(self.search.config.flip_steps, may_end=True)
        return (
            self.is_near(number)
            and len(others) <= self.search.config.most_other_ways
            and all(self._loses_too(before, other, -1, trial) for other in others)
        )

    def stage(self, number: int) -> int:
        """In which of a client's calls a choice was made."""
        self._prepare()
        assert self._stops is not None
        return self._stops[number][0].state.stage if number < len(self._stops) else 0

    def stops(self) -> list[tuple[State, int]]:
        """The states in which something was chosen, and what."""
        self._prepare()
        assert self._stops is not None
        return [(stop.state, taken) for stop, taken in self._stops]

    def _prepare(self) -> None:
        if self._stops is None:
            self._stops = self.state.stops()
            for event in self.state.events():
                if event.kind is EventKind.BRANCH:
                    self._went.edges.setdefault(event.instr, []).append(event.detail)
            for (before, _), _ in self._stops:
                branch = _place(before)
                self._went.chosen.add((branch, before.branches().get(branch, 0)))

    def _tried(self, number: int) -> bool:
        self._prepare()
        assert self._stops is not None
        if number >= len(self._stops):
            return False
        (before, alternatives), taken = self._stops[number]
        others = [one for one in alternatives if one.condition.number != taken and not one.later]
        most = self.search.config.most_other_ways
        if len(others) > most:
            self.search.executor.left_out.add("other ways of a decision")
        tried = _place(before) if self._rests_on_call(taken) else -1
        trial = Trial(self.search.config.flip_steps, goes_round=self._ends_loop(before))
        is_open = False
        for other in others[:most]:
            loses = self._loses_too(before, other, tried, trial)
            if loses is None:
                is_open = True  # a later one may say for certain that the decision matters
            elif not loses:
                return True
        if is_open:
            self._open.add(number)
        return is_open

    def _ends_loop(self, before: State) -> bool:
        """Whether something is chosen in the test of a passed loop: some turn is the last."""
        frame = before.frames[-1]
        return any(frame.block in frame.code.tests(header) for header in frame.skipped)

    def _loses_too(
        self, before: State, other: Alternative, tried: int, trial: Trial
    ) -> bool | None:
        """Whether the block is lost on every way on from the other way of a decision."""
        search, first = self.search, before.fork()
        assume(search.executor, first, other)
        return every_way_loses(search, first, self._ways_from(before, tried), trial)

    def _rests_on_call(self, condition: int) -> bool:
        """Whether a condition speaks of what a call gave: the next one may give something else."""
        executor = self.search.executor
        names = names_in(executor, condition)
        return any(call_in(executor, name) is not None for name in names)


def _place(state: State) -> int:
    """The instruction at which something is chosen."""
    frame = state.frames[-1]
    return frame.code.blocks[frame.block].instrs[frame.index].id


def _ways_on(
    search: Search, state: State, choice: Choice, went: _Went, began: _Began, tried: int
) -> list[State]:
    """The ways on from a choice: as the path went, and all of them at a further turn of the branch that
    is tried the other way, if it rests on a call: what the next one gives is not known."""
    alternatives = [one for one in choice.alternatives if not one.later]
    if choice.edges:
        frame = state.frames[-1]
        branch = frame.code.blocks[frame.block].instrs[-1].id
        times = state.times_at(branch, *began)
        known = went.edges.get(branch, [])
        if times < len(known) and (branch, times) not in went.chosen:
            known = []  # the path had no choice here: what it did says nothing of this one
        known = known[times : times + 1] or ([] if branch == tried else known)
        same = [
            one
            for one, edge in zip(choice.alternatives, choice.edges, strict=True)
            if edge.id in known
        ]
        alternatives = same or alternatives
    else:
        same = [one for one in alternatives if one.condition.number in went.conditions]
        alternatives = same or alternatives
    found = []
    for alternative in alternatives:
        forked = state.fork()
        assume(search.executor, forked, alternative)
        found.append(forked)
    return found
