"""Whether every way on from a state loses the block.

In:    a search, a state on or beside a losing path, what follows each choice.
Out:   yes, no, not known.
Guarantees: yes only if some way loses the block and none ends in another way; a bound that is met
gives "not known" and is counted.
"""

from __future__ import annotations

from collections.abc import Callable

from heapflow.replay.control import Choice, Cut
from heapflow.replay.search import Search
from heapflow.replay.state import End, State

WaysOn = Callable[[State, Choice], list[State]]


def every_way_loses(
    search: Search,
    first: State,
    ways_on: WaysOn,
    steps: int,
    is_meant: Callable[[State], bool] = lambda state: True,
    may_end: bool = False,
) -> bool | None:
    """Whether all ways on lose the block, each in a way that is meant; None: not known. `may_end`: the
    process may end on all of them."""
    search.hunt.stops_at_loss = True
    search.hunt.merges = False  # the path itself was followed before
    stack, lost = [first], False
    most = search.last_step = search.executor.steps + steps
    while stack:
        state = stack.pop()
        try:
            end = search.run_path(state)
        except Choice as choice:
            stack += ways_on(state, choice)
            if len(stack) > search.config.most_flip_ways:
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
    return lost or may_end
