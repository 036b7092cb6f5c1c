"""Which decisions of a losing path matter: those whose other way does not lose the block.

In:    a search, the state at the end of a losing path.     Out: numbers of choices.
The path is executed once more, with the choices that it made; at each, the other way is followed for a while. If
the block is lost there as well, the decision is not the reason.
"""

from __future__ import annotations

from heapflow.replay.executor import Alternative, Choice, Cut
from heapflow.replay.search import Search
from heapflow.replay.state import State


def choices_that_matter(search: Search, state: State) -> frozenset[int]:
    """Numbers of the choices, in the order in which they were made."""
    stops = _stops(search, state.choices())
    found: set[int] = set()
    most = search.config.most_flips
    for number, (before, choice, taken) in list(enumerate(stops))[::-1]:
        others = [
            one for one in choice.alternatives if one.condition.number != taken and not one.later
        ]
        if len(stops) - number > most:
            found.add(number)
        elif others and not any(_loses_too(search, before, other) for other in others[:3]):
            found.add(number)
    return frozenset(found)


def _stops(search: Search, choices: list[int]) -> list[tuple[State, Choice, int]]:
    """The states at which something was chosen."""
    found: list[tuple[State, Choice, int]] = []
    state = search.first_state()
    for number in choices:
        try:
            search.run_path(state)
            return found
        except Cut:
            return found
        except Choice as choice:
            alternative = _taken(choice, number)
            if alternative is None:
                return found
            found.append((state, choice, number))
            state = state.fork()
            search.executor.assume(state, alternative)
    return found


def _taken(choice: Choice, number: int) -> Alternative | None:
    for alternative in choice.alternatives:
        if alternative.condition.number == number:
            return alternative
    return None


def _loses_too(search: Search, before: State, other: Alternative) -> bool:
    state = before.fork()
    search.executor.assume(state, other)
    return search.explore(state, search.config.flip_steps) is not None
