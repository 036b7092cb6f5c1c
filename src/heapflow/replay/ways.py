"""Whether every way on from a state loses the block.

In:    a search, a state on or beside a losing path, what follows each choice.
Out:   yes, no, not known.
Guarantees: yes only if some way loses the block and none ends in another way; a bound that is met
gives "not known" and is counted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from heapflow.replay.control import Choice, Cut
from heapflow.replay.events import End
from heapflow.replay.merge import Followed
from heapflow.replay.search import Search
from heapflow.replay.state import State

WaysOn = Callable[[State, Choice], list[State]]


class Trial(NamedTuple):
    """How ways are followed."""

    steps: int
    may_end: bool = False  # all of them may end the process
    # One that comes to the beginning of a passed loop again goes on as the path did.
    goes_round: bool = False
    merges: bool = False  # those that cannot be told apart are one, so that there may be more


def every_way_loses(
    search: Search,
    first: State,
    ways_on: WaysOn,
    trial: Trial,
    is_meant: Callable[[State], bool] = lambda state: True,
) -> bool | None:
    """Whether all ways on lose the block, each in a way that is meant; None: not known."""
    hunt, before = search.hunt, search.hunt.followed
    hunt.stops_at_loss = True
    hunt.merges, hunt.followed = trial.merges, Followed()  # the path itself was followed before
    try:
        return _every_way(search, first, ways_on, trial, is_meant)
    finally:
        hunt.merges, hunt.followed = False, before


def _every_way(
    search: Search,
    first: State,
    ways_on: WaysOn,
    trial: Trial,
    is_meant: Callable[[State], bool],
) -> bool | None:
    config = search.config
    most_ways = config.most_merged_ways if trial.merges else config.most_flip_ways
    stack, lost = [first], False
    most = search.last_step = search.executor.steps + trial.steps
    while stack:
        state = stack.pop()
        try:
            end = search.run_path(state)
        except Choice as choice:
            stack += ways_on(state, choice)
            if len(stack) > most_ways:
                search.executor.left_out.add("ways that a decision opens")
                return None
            continue
        except Cut:
            return None
        if search.executor.steps > most:
            return None
        if state.loss is not None:
            if not is_meant(state):
                return False
            lost = True
        elif end in (End.RETURNED, End.POINTLESS):
            return False
        elif end is End.MERGED:
            lost = lost or trial.goes_round
    return lost or trial.may_end
