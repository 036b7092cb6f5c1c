"""strtok, strtok_r, strsep on known texts."""

from __future__ import annotations

from heapflow.replay.library.call import Computed, LibraryCall
from heapflow.replay.library.text import span
from heapflow.replay.memory import Ground, Kind
from heapflow.replay.term import Value

_NAME = "strtok"


def _token(call: LibraryCall, start: int, members: bytes) -> tuple[int, int, bool] | None:
    """Begin and end of the next token, and whether a separator ends it."""
    text = call.text(start)
    if text is None:
        return None
    skipped = span(text, members, True)
    length = span(text[skipped:], members, False)
    first = start + skipped
    return first, first + length, skipped + length < len(text)


def _next(call: LibraryCall, start: int | None, holder: int) -> Value | None:
    members = call.text(call.value(1))
    if start == 0:
        found = call.load(holder, 64)
        start = found if isinstance(found, int) else None
    if start is None or members is None:
        return None
    if start == 0:
        return 0
    token = _token(call, start, members)
    if token is None:
        return None
    first, end, separated = token
    if separated:
        call.write(end, b"\0")
    call.store(holder, 64, end + 1 if separated else end)
    return first if end > first else 0


def _strtok_r(call: LibraryCall) -> Value | None:
    holder = call.number(2)
    if holder is None or call.place(holder) is None:
        return None
    return _next(call, call.number(0), holder)


def _strtok(call: LibraryCall) -> Value | None:
    if call.output is None:
        return None  # where it stands may be somebody else's text
    holder = call.state.tables.get(_NAME)
    if holder is None:
        made = call.state.make(Kind.WORLD, _NAME)
        made.ground, made.size = Ground.ZERO, 8
        holder = made.base
        call.state.tables = {**call.state.tables, _NAME: holder}
    return _next(call, call.number(0), holder)


def _strsep(call: LibraryCall) -> Value | None:
    holder, members = call.number(0), call.text(call.value(1))
    if holder is None or members is None or call.place(holder) is None:
        return None
    start = call.load(holder, 64)
    if not isinstance(start, int):
        return None
    if start == 0:
        return 0
    text = call.text(start)
    if text is None:
        return None
    length = span(text, members, False)
    if length < len(text):
        call.write(start + length, b"\0")
    call.store(holder, 64, start + length + 1 if length < len(text) else 0)
    return start


TOKENS: dict[str, Computed] = {"strtok": _strtok, "strtok_r": _strtok_r, "strsep": _strsep}
