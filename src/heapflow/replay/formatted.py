"""Which variable arguments a format makes a function look behind: `%s` does, `%p` does not."""

from __future__ import annotations

import re

from heapflow.replay.executor import Executor
from heapflow.replay.state import State
from heapflow.replay.term import Value

_DIRECTIVE = re.compile(
    rb"%[-+ #0']*(\*|\d+)?(?:\.(\*|\d*))?(?:hh|h|ll|l|q|j|z|Z|t|L)?([a-zA-Z%\[])"
)


def texts_in(executor: Executor, state: State, fixed: int, arguments: list[Value]) -> set[int]:
    """Positions of the arguments that are texts; `fixed` parameters have names, the last of them is
    the format. Empty if the format is not known."""
    return _directed(executor, state, fixed, arguments, b"sSn")


def numbers_in(executor: Executor, state: State, fixed: int, arguments: list[Value]) -> set[int]:
    """The same for arguments that are written as numbers: nobody keeps those."""
    return _directed(executor, state, fixed, arguments, b"diuoxX")


def _directed(
    executor: Executor, state: State, fixed: int, arguments: list[Value], kinds: bytes
) -> set[int]:
    template = _text(executor, state, arguments[fixed - 1]) if 0 < fixed <= len(arguments) else b""
    found: set[int] = set()
    at = fixed
    for width, precision, kind in _DIRECTIVE.findall(template):
        at += (width == b"*") + (precision == b"*")
        if kind == b"%":
            continue
        if kind in kinds:
            found.add(at)
        at += 1
    return {position for position in found if position < len(arguments)}


def _text(executor: Executor, state: State, address: Value) -> bytes:
    """A text of bytes or of wide characters."""
    address = executor.settled(state, address)
    if not isinstance(address, int) or not address >> 32:
        return b""
    obj = executor.object(state, address >> 32)
    data = bytearray()
    start = address - obj.base
    peek = executor.memory.peek
    step = 4 if peek(obj, start + 1) == 0 and peek(obj, start) != 0 else 1
    for offset in range(start, start + executor.config.longest_format, step):
        byte = peek(obj, offset)
        if not isinstance(byte, int) or byte == 0:
            break
        data.append(byte)
    else:
        executor.left_out.add("length of a format")
    return bytes(data)
