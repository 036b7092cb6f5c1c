"""Which decisions of a losing path matter: those whose other way need not lose the block.

In:    a search, the state at the end of a losing path.     Out: numbers of choices.
The path is executed once more, with the choices that it made; at each, the other way is followed
for a while: where it comes to branches of the path again, as the path went; elsewhere, all ways. If
the block is lost on every one of them, the decision is not the reason.
"""

from __future__ import annotations

from typing import NamedTuple

from heapflow.replay.executor import Alternative, Choice, Cut
from heapflow.replay.search import Search
from heapflow.replay.state import End, EventKind, State

_MOST_WAYS = 12  # that one decision may open


class _Went(NamedTuple):
    """How the path went: what was assumed, and by branch the edges that were taken, in order."""

    conditions: frozenset[int]
    edges: dict[int, list[int]]


def choices_that_matter(search: Search, state: State) -> frozenset[int]:
    """Numbers of the choices, in the order in which they were made."""
    search.hunt.merges = False  # the path itself was followed before
    stops = _stops(search, state.choices())
    went = _Went(frozenset(state.choices()), {})
    for event in state.events():
        if event.kind is EventKind.BRANCH:
            went.edges.setdefault(event.instr, []).append(event.detail)
    found: set[int] = set()
    most = search.config.most_flips
    for number, (before, choice, taken) in list(enumerate(stops))[::-1]:
        others = [
            one for one in choice.alternatives if one.condition.number != taken and not one.later
        ]
        if len(stops) - number > most:
            break  # what was decided long before is not the reason
        if others and not all(_loses_too(search, before, one, went) for one in others[:3]):
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


def _loses_too(search: Search, before: State, other: Alternative, went: _Went) -> bool:
    """Whether every way from here on that goes as the path went loses the block."""
    first = before.fork()
    search.executor.assume(first, other)
    stack = [first]
    most = search.executor.steps + search.config.flip_steps
    lost = False
    while stack:
        state = stack.pop()
        try:
            end = search.run_path(state)
        except Choice as choice:
            stack += _ways_on(search, state, choice, went)
            if len(stack) > _MOST_WAYS:
                return False
            continue
        except Cut:
            return False
        if search.executor.steps > most:
            return False
        if state.loss is not None:
            lost = True
        elif end in (End.RETURNED, End.POINTLESS):
            return False
    return lost


def _ways_on(search: Search, state: State, choice: Choice, went: _Went) -> list[State]:
    alternatives = [one for one in choice.alternatives if not one.later]
    if choice.edges:
        frame = state.frames[-1]
        branch = frame.code.blocks[frame.block].instrs[-1].id
        times = sum(one.kind is EventKind.BRANCH and one.instr == branch for one in state.events())
        known = went.edges.get(branch, [])
        known = known[times : times + 1] or known
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
        search.executor.assume(forked, alternative)
        found.append(forked)
    return found
