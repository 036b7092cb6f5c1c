"""errno of a concrete run."""

from __future__ import annotations

from heapflow.replay.library.call import Computed, LibraryCall
from heapflow.replay.memory import Ground, Kind
from heapflow.replay.term import Value

_NAME = "errno"


def _location(call: LibraryCall) -> Value | None:
    """__errno_location: elsewhere the model says what is known of it."""
    if call.output is None:
        return None
    found = call.state.tables.get(_NAME)
    if found is None:
        made = call.state.make(Kind.WORLD, _NAME)
        made.ground, made.size = Ground.ZERO, 4
        found = made.base
        call.state.tables = {**call.state.tables, _NAME: found}
    return found


def set_error(call: LibraryCall, number: int) -> None:
    """In a concrete run; elsewhere errno is unknown anyway."""
    where = _location(call)
    if isinstance(where, int):
        call.store(where, 32, number)


ERRORS: dict[str, Computed] = {"__errno_location": _location}
