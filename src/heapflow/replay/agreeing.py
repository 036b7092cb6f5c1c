"""Calls that must agree: the same function, the same arguments, nothing written in between.

In:    a call of a function that only reads.     Out: a name for its result; calls that agree share it.
What a callee may read is what its arguments and the globals that it names lead to; what counts is what
was written there since the path began. Memory behind pointers that were never followed has no contents
here: where an argument is such a pointer, any call that may write makes a difference (`State.writes`).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from heapflow.replay.aggregates import Aggregate
from heapflow.replay.executor import Executor
from heapflow.replay.externals import reachable
from heapflow.replay.memory import Object
from heapflow.replay.state import State
from heapflow.replay.term import Term, Value

AGREED = "agreed"  # unknowns of calls that agree are named so


def agreed_name(
    executor: Executor,
    state: State,
    who: Hashable,
    arguments: list[Value],
    names: Iterable[int],
    worlds: Hashable = (),
    pointers: list[Value] | None = None,
) -> str:
    """The name of the result; `names` are globals that the function reads, `worlds` how often what it
    asks about was changed, `pointers` those of the arguments (any number may be one)."""
    given: list[Value] = []
    for value in arguments:
        given += value.parts.values() if isinstance(value, Aggregate) else [value]
    given = [executor.settled(state, value) for value in given]
    starts = [executor.object(state, ident).id for ident in sorted(names)]
    seen = reachable(executor, state, given, starts)
    changed = frozenset(
        (ident, change)
        for ident in seen
        if (change := _change(executor, state.objects[ident])) is not None
    )
    if pointers is not None:
        pointers = [executor.settled(state, value) for value in pointers]
    is_open = any(isinstance(value, Term) and value.width == 64 for value in pointers or given)
    if pointers == []:
        is_open = False
    key = (who, tuple(given), changed, state.writes if is_open else 0, worlds)
    number = executor.agreed.setdefault(key, len(executor.agreed))
    return f"{AGREED}{number}"


def _change(executor: Executor, obj: Object) -> Hashable:
    """What was written to an object; None: nothing."""
    origins = executor.memory.origins
    cells = frozenset(
        (at, cell)
        for at, cell in obj.cells.items()
        if isinstance(cell[1], int) or origins.get(cell[1].number) != (obj.name, at)
    )
    if not cells and not obj.layers and obj.freed < 0 and obj.name[:1] in ("*", "@"):
        return None
    layers = tuple((layer.start, layer.end, layer.number) for layer in obj.layers)
    return obj.name, cells, layers, obj.freed
