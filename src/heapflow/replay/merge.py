"""States that cannot be told apart by what comes: one of them is followed.

In:    a state where several ways meet.     Out: a key; states with equal keys have the same future.
The key has what is live in every frame, the memory that can be reached from there, what is tracked,
and those conditions that speak of unknowns in any of these. What a branch decided about something
that nobody looks at again is not in it, so two ways round an irrelevant statement are one.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable

from heapflow.replay.aggregates import Aggregate
from heapflow.replay.executor import Executor
from heapflow.replay.held import all_live_values
from heapflow.replay.memory import Kind, Object, addresses_in
from heapflow.replay.solver import connected
from heapflow.replay.state import State
from heapflow.replay.terms import Term, Value

_See = Callable[[Value], Hashable]


def key_of(executor: Executor, state: State) -> Hashable:
    """What the future of a state depends on."""
    parts: list[Hashable] = []
    objects: set[int] = set(state.kept) | set(state.tracked)
    atoms: set[int] = set()

    def see(value: Value) -> Hashable:
        value = executor.settled(state, value)
        if isinstance(value, Term):
            atoms.update(value.atoms)
            addresses_in(value, objects)
            return value.number, "t"
        addresses_in(value, objects)
        return value

    for position, frame in enumerate(state.frames):
        values = tuple(
            (name, _seen(see, value)) for name, value in all_live_values(state, frame, position)
        )
        variables = tuple(sorted(frame.variables.items()))
        parts.append((frame.code.func, frame.call, frame.block, frame.index, values, variables))
        objects.update(frame.allocas)
    objects.update(o.id for o in state.objects.values() if o.kind in (Kind.WORLD, Kind.GLOBAL))
    parts.append(_memory(state, objects, see))
    related = connected(state.conditions, atoms)
    parts.append(frozenset(condition.number for condition in related))
    parts += [state.tracked, state.kept, state.loss is not None, state.failed]
    return tuple(parts)


def _seen(see: _See, value: Value) -> Hashable:
    if isinstance(value, Aggregate):
        return tuple((at, see(part)) for at, part in sorted(value.parts.items()))
    return see(value)


def _memory(state: State, objects: set[int], see: _See) -> Hashable:
    """Contents of everything that can be reached."""
    found: list[Hashable] = []
    done: set[int] = set()
    while objects - done:
        for ident in sorted(objects - done):
            done.add(ident)
            obj = state.objects.get(ident)
            if obj is not None:
                found.append((ident, obj.freed >= 0, _content(obj, see)))
    return tuple(found)


def _content(obj: Object, see: _See) -> Hashable:
    if obj.freed >= 0:
        return ()
    cells: Iterable[tuple[int, tuple[int, Value]]] = sorted(obj.cells.items(), key=lambda c: c[0])
    layers = tuple((layer.start, layer.end, id(layer)) for layer in obj.layers)
    return obj.name, tuple((at, size, see(value)) for at, (size, value) in cells), layers
