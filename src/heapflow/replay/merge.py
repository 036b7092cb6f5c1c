"""States that cannot be told apart by what comes: one of them is followed.

In:    a state where several ways meet.     Out: a key; states with equal keys have the same future.
The key has what is live in every frame, the memory that can be reached from there, what is tracked,
and those conditions that speak of unknowns in any of these, or of answers that may be asked for again.
What a branch decided about something that nobody looks at again is not in it, so two ways round an
irrelevant statement are one.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Final

from heapflow.replay.aggregates import Aggregate
from heapflow.replay.agreeing import AGREED
from heapflow.replay.control import Ended
from heapflow.replay.events import End
from heapflow.replay.executor import Executor
from heapflow.replay.facts import Facts, compared
from heapflow.replay.held import live_values_at
from heapflow.replay.memory import SMALLEST_ADDRESS, Kind, addresses_in
from heapflow.replay.state import State
from heapflow.replay.terms import Term, Value, mask

_ADDRESS: Final = mask(64)
_WORLD: Final = Kind.WORLD
_GLOBAL: Final = Kind.GLOBAL


class Followed:
    """States that were followed already, with the turns that their loops had had."""

    def __init__(self) -> None:
        self._turns: dict[Hashable, list[dict[tuple[int, int], int]]] = {}

    def merge(self, executor: Executor, state: State) -> None:
        """Follow one of several states with the same future: bounds leave it no less than they left
        the one that was followed."""
        key, size = key_of(executor, state)
        executor.charge(size)
        turns = {
            (position, header): count
            for position, frame in enumerate(state.frames)
            for header, count in frame.turns.items()
        }
        turns[-1, -1] = state.late
        before = self._turns.setdefault(key, [])
        for other in before:
            if all(count <= turns.get(header, 0) for header, count in other.items()):
                raise Ended(End.MERGED)
        before.append(turns)


def key_of(executor: Executor, state: State) -> tuple[Hashable, int]:
    """What the future of a state depends on, and how much was looked at for it. Values stand as they
    were computed: what was chosen for the unknowns in them is among the conditions."""
    seen = _Seen(executor, state)
    parts: list[Hashable] = []
    for position, frame in enumerate(state.frames):
        # Which names are live follows from the place.
        values = live_values_at(state, frame, position)
        seen.size += len(values)
        kept = tuple(map(seen.value, values))
        place = (frame.block, frame.index, frame.calling_back, frozenset(frame.skipped.items()))
        parts.append((frame.code.func, frame.call, place, kept, frame.naming))
        seen.objects.update(frame.allocas)
    parts.append(seen.memory())
    answers = _answers(executor)
    said = [applies for one in state.said.values() for _, applies in one]
    for applies in said:
        answers = answers | applies.atoms if isinstance(applies, Term) else answers
    groups = state.conditions.touched(seen.atoms | answers)
    parts.append(frozenset(group.numbers for group in groups))
    parts += [state.tracked, state.kept, state.loss is not None, state.failed]
    parts += [state.stage, state.dropped, frozenset(state.worlds.items()) if answers else 0]
    parts.append(frozenset(state.said.items()))
    return tuple(parts), seen.size + len(seen.atoms) + len(groups)


def _answers(executor: Executor) -> set[int]:
    """Unknowns that a call gave which may be made again: it will give the same (`agreeing`)."""
    terms, found = executor.terms.by_number, executor.answers
    for number in range(executor.looked_at, len(terms)):
        term = terms[number]
        if term.op == "var" and AGREED in str(term.args[0]):
            found.add(number)
    executor.looked_at = len(terms)
    return found


class _Seen:
    """What can be reached from the values that were looked at."""

    def __init__(self, executor: Executor, state: State) -> None:
        self.executor, self.state = executor, state
        self.objects: set[int] = set(state.kept) | set(state.tracked)
        self.atoms: set[int] = set()
        self.size = 0

    def value(self, value: Value | None) -> Hashable:
        if value is None:
            return None
        if isinstance(value, int):
            if value >= SMALLEST_ADDRESS:
                self.objects.add((value & _ADDRESS) >> 32)
            return value
        if isinstance(value, Aggregate):
            return tuple((at, self.value(part)) for at, part in sorted(value.parts.items()))
        self._term(value)
        return value.number, "t"

    def _term(self, value: Term) -> None:
        self.atoms |= value.atoms
        settled = self.executor.settled(self.state, value)
        if isinstance(settled, int) or settled.op != "var":
            addresses_in(settled, self.objects)

    def memory(self) -> Hashable:
        """Contents of everything that can be reached."""
        found: list[tuple[int, int]] = []
        objects, memory, bound = self.state.objects, self.executor.memory, self.state.bound.keys()
        seen, atoms = self.objects, self.atoms
        seen.update([o.id for o in objects.values() if o.kind is _WORLD or o.kind is _GLOBAL])
        done: set[int] = set()
        while ahead := seen - done:
            done |= ahead
            for ident in ahead:
                obj = objects.get(ident)
                if obj is None:
                    continue
                if obj.freed >= 0:
                    found.append((ident, -1))
                    continue
                facts: Facts | None = obj.facts
                if facts is None or facts.content < 0:
                    facts = compared(memory, obj)
                found.append((ident, facts.content))
                if facts.leads:
                    seen.update(facts.leads)
                if facts.atoms:
                    atoms |= facts.atoms
                if facts.open_atoms and not bound.isdisjoint(facts.open_atoms):
                    for _, value in facts.open:
                        addresses_in(self.executor.settled(self.state, value), seen)
        self.size += len(done)
        return frozenset(found)
