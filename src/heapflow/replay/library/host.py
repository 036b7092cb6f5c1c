"""What a concrete run asks of the machine it runs on: its end, its input, its environment."""

from __future__ import annotations

from heapflow.replay.control import Ended
from heapflow.replay.events import End
from heapflow.replay.library.call import Computed, LibraryCall
from heapflow.replay.term import Value, mask, signed

_ABORTED = 134  # as the shell sees it
_END_OF_FILE = -1


def _exit(call: LibraryCall) -> Value | None:
    status = call.number(0)
    if call.output is None or status is None:
        return None
    for handler in reversed(call.state.at_exit):
        call.executor.call_back(call.state, call.instr, handler, [])
    call.state.status = status & 0xFF
    raise Ended(End.EXITED, "exit")


def _exit_at_once(call: LibraryCall) -> Value | None:
    status = call.number(0)
    if call.output is None or status is None:
        return None
    call.state.status = status & 0xFF
    raise Ended(End.EXITED, "exit")


def _abort(call: LibraryCall) -> Value | None:
    if call.output is None:
        return None
    call.state.status = _ABORTED
    raise Ended(End.EXITED, call.name)


def _atexit(call: LibraryCall) -> Value | None:
    handler = call.number(0)
    if call.output is None or handler is None:
        return None
    call.state.at_exit = (*call.state.at_exit, handler)
    return 0


def _nothing(call: LibraryCall) -> Value | None:
    """It succeeds, and nobody sees what it does."""
    return None if call.output is None else 0


def _take(call: LibraryCall, count: int) -> bytes:
    data = call.state.input[:count]
    call.state.input = call.state.input[count:]
    return data


def _is_input(call: LibraryCall, position: int) -> bool:
    place = call.place(call.value(position)) if call.output is not None else None
    return place is not None and place[0].name == "stdin"


def _getchar(call: LibraryCall) -> Value | None:
    if call.output is None:
        return None
    data = _take(call, 1)
    return data[0] if data else _END_OF_FILE & mask(32)


def _fgetc(call: LibraryCall) -> Value | None:
    return _getchar(call) if _is_input(call, 0) else None


def _ungetc(call: LibraryCall) -> Value | None:
    byte = call.number(0)
    if byte is None or not _is_input(call, 1):
        return None
    if signed(byte & mask(32), 32) != _END_OF_FILE:
        call.state.input = bytes([byte & 0xFF]) + call.state.input
    return byte


def _fgets(call: LibraryCall) -> Value | None:
    target, room = call.number(0), call.number(1)
    if target is None or room is None or not _is_input(call, 2):
        return None
    line = call.state.input[: max(room - 1, 0)]
    end = line.find(b"\n")
    data = _take(call, len(line) if end < 0 else end + 1)
    if not data:
        return 0
    call.write(target, data + b"\0")
    return target


def _fread(call: LibraryCall) -> Value | None:
    target, size, count = call.number(0), call.number(1), call.number(2)
    if target is None or not size or count is None or not _is_input(call, 3):
        return None
    data = _take(call, size * count)
    if data:
        call.write(target, data)
    return len(data) // size


def _feof(call: LibraryCall) -> Value | None:
    return int(not call.state.input) if _is_input(call, 0) else None


HOST: dict[str, Computed] = {
    "exit": _exit,
    "_exit": _exit_at_once,
    "_Exit": _exit_at_once,
    "quick_exit": _exit_at_once,
    "err": _exit,
    "errx": _exit,
    "verr": _exit,
    "verrx": _exit,
    "abort": _abort,
    "__assert_fail": _abort,
    "__assert": _abort,
    "atexit": _atexit,
    "getenv": _nothing,
    "secure_getenv": _nothing,
    **dict.fromkeys(("warn", "warnx", "vwarn", "vwarnx"), _nothing),
    "fflush": _nothing,
    "setvbuf": _nothing,
    "setbuf": _nothing,
    "ferror": _nothing,
    "clearerr": _nothing,
    "getchar": _getchar,
    "fgetc": _fgetc,
    "getc": _fgetc,
    "ungetc": _ungetc,
    "fgets": _fgets,
    "fread": _fread,
    "feof": _feof,
}
