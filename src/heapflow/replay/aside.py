"""Calls on a losing path that have nothing to do with the loss, though they were executed.

In:    what matters on a path, the choices that a bound left open.
Out:   those of them that are inside of such calls.
Example: `log(LEVEL, "cannot open %s", name); return -1;`. The search entered `log` to see that it
       comes back. Whether the level is high enough is a choice; its other way formats the message,
       which takes longer than a try may. The descriptor is lost either way: the same path with the
       call passed loses it, and nothing on it rests on what the call does.
Guarantees: only choices are left out whose other way was not followed to an end. A call that makes,
stores or releases the block, in which an allocation fails, or on whose result something rests, stays.
Not modelled: a call that rarely comes back; that it does is not told then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from heapflow.replay.control import Alternative
from heapflow.replay.decisions import assume
from heapflow.replay.events import Event, EventKind, Trail
from heapflow.replay.externals import call_in
from heapflow.replay.names import names_in
from heapflow.replay.search import Search
from heapflow.replay.state import State, Stop
from heapflow.replay.ways import Trial, WaysOn, every_way_loses

_CONCERNS = (EventKind.STORED, EventKind.LOST, EventKind.FAILED, EventKind.STARTED)
_Interval = tuple[int, int]  # positions of the events with which a call begins and ends


class Aside:
    """Such calls on one path."""

    def __init__(
        self,
        search: Search,
        path: State,
        stops: list[tuple[Stop, int]],
        ways_from: Callable[[State], WaysOn],
    ) -> None:
        self.search, self.path, self.stops, self.ways_from = search, path, stops, ways_from
        self.events = path.events()
        self._positions = [_length(stop.state.trail) for stop, _ in stops]
        self._intervals = self._without_the_block()
        self._known: dict[_Interval, bool] = {}

    def among(self, numbers: Iterable[int]) -> set[int]:
        """Those of these choices that were made inside of such calls."""
        return {number for number in numbers if any(map(self._is_aside, self._around(number)))}

    def _around(self, number: int) -> list[_Interval]:
        """Calls in which a choice was made, the outermost first."""
        if number >= len(self._positions):
            return []
        at = self._positions[number]
        return [one for one in self._intervals if one[0] < at <= one[1]]

    def _without_the_block(self) -> list[_Interval]:
        """Calls in which nothing is said of the block, from the beginning of the path on."""
        assert self.path.loss is not None
        block, begun, found = self.path.loss.obj, list[int](), list[_Interval]()
        for position, event in enumerate(self.events):
            if event.kind is EventKind.ENTERED:
                begun.append(position)
            elif event.kind is EventKind.LEFT and begun:
                found.append((begun.pop(), position))
            elif _is_about(event, block):
                # Everything that is active now is about the block.
                begun = [-1] * len(begun)
        return sorted(one for one in found if one[0] >= 0)

    def _is_aside(self, interval: _Interval) -> bool:
        known = self._known.get(interval)
        if known is None:
            known = self._known[interval] = self._tried(interval)
        return known

    def _tried(self, interval: _Interval) -> bool:
        """Whether the same path loses the block with the call passed, whatever the call does."""
        if len(self._known) >= self.search.config.most_aside:
            self.search.executor.left_out.add("calls that a loss may not need")
            return False
        hunt, call = self.search.hunt, self.events[interval[0]].instr
        first, chosen = self._before(interval[0])
        hunt.aside, enter = call, hunt.enter
        hunt.enter = enter - {call}
        try:
            return self._loses(first, call, chosen)
        finally:
            hunt.aside, hunt.enter = -1, enter

    def _before(self, position: int) -> tuple[State, int]:
        """The path before a call, and how much was chosen until then."""
        number = sum(1 for at in self._positions if at <= position)
        if not number:
            return self.search.first_state(), 0
        (before, alternatives), taken = self.stops[number - 1]
        made = before.fork()
        assume(self.search.executor, made, _taken(alternatives, taken))
        return made, number

    def _loses(self, first: State, call: int, chosen: int) -> bool:
        def is_aside(state: State) -> bool:
            return self._was_passed(state, call) and not self._rests_on(state, call, chosen)

        steps = self.search.config.aside_steps
        return bool(
            every_way_loses(self.search, first, self.ways_from(first), Trial(steps), is_aside)
        )

    def _was_passed(self, state: State, call: int) -> bool:
        kinds = {event.kind for event in state.events() if event.instr == call}
        return EventKind.PASSED in kinds

    def _rests_on(self, state: State, call: int, chosen: int) -> bool:
        executor = self.search.executor
        return any(
            call_in(executor, name) == call
            for condition in state.choices()[chosen:]
            for name in names_in(executor, condition)
        )


def _is_about(event: Event, block: int) -> bool:
    if event.kind in (EventKind.ALLOCATED, EventKind.FREED):
        return event.detail == block
    return event.kind in _CONCERNS


def _taken(alternatives: list[Alternative], condition: int) -> Alternative:
    return next(one for one in alternatives if one.condition.number == condition)


def _length(trail: Trail | None) -> int:
    """How many events it has."""
    found = 0
    while trail is not None:
        found, trail = found + 1, trail.before
    return found
