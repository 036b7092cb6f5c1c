"""Functions of the C library whose results are computed where contents are known.

One function per name: the arguments in, the result out; None: not computed, the model decides.
Texts are read byte by byte as far as they are known (`most_bytes`).
"""

from __future__ import annotations

from collections.abc import Callable

from heapflow.replay.code import Instr
from heapflow.replay.executor import Executor
from heapflow.replay.memory import Object
from heapflow.replay.state import Frame, State
from heapflow.replay.terms import Term, Value, mask

Computed = Callable[[Executor, State, Frame, Instr, list[Value]], "Value | None"]


def known_text(executor: Executor, state: State, address: Value) -> bytes | None:
    """The text at an address, if all of it is known; nothing is decided for it."""
    found = prefix(executor, state, address)
    return found[0] if found is not None and found[1] else None


def prefix(executor: Executor, state: State, address: Value) -> tuple[bytes, bool] | None:
    """Known bytes from an address on, up to the first 0 or unknown byte; whether a 0 ended them."""
    place = known_place(executor, state, address)
    if place is None:
        return None
    obj, offset = place
    found = bytearray()
    while len(found) < executor.config.most_bytes:
        byte = executor.settled(state, executor.memory.read(state.own(obj.id), offset, 1))
        if isinstance(byte, Term):
            return bytes(found), False
        if byte == 0:
            return bytes(found), True
        found.append(byte)
        offset += 1
    return bytes(found), False


def known_place(executor: Executor, state: State, address: Value) -> tuple[Object, int] | None:
    """Object and offset of a known address that can be read."""
    address = executor.settled(state, address)
    if not isinstance(address, int) or address >> 32 == 0:
        return None
    obj = executor.object(state, address >> 32)
    return None if obj.freed >= 0 else (obj, address - obj.base)


def _strlen(
    executor: Executor, state: State, frame: Frame, instr: Instr, arguments: list[Value]
) -> Value | None:
    text = known_text(executor, state, arguments[0])
    return None if text is None else len(text)


def _strcmp(
    executor: Executor, state: State, frame: Frame, instr: Instr, arguments: list[Value]
) -> Value | None:
    first, second = (prefix(executor, state, argument) for argument in arguments[:2])
    if first is None or second is None:
        return None
    return _difference(first, second, executor.config.most_bytes)


def _strncmp(
    executor: Executor, state: State, frame: Frame, instr: Instr, arguments: list[Value]
) -> Value | None:
    first, second = (prefix(executor, state, argument) for argument in arguments[:2])
    count = arguments[2]
    if first is None or second is None or not isinstance(count, int):
        return None
    return _difference(first, second, count)


def _difference(first: tuple[bytes, bool], second: tuple[bytes, bool], count: int) -> Value | None:
    """The order of two texts, as far as it is decided by what is known."""
    a = first[0] + b"\0" if first[1] else first[0]
    b = second[0] + b"\0" if second[1] else second[0]
    for x, y in zip(a[:count], b[:count], strict=False):
        if x != y:
            return (x - y) & mask(32)
        if x == 0:
            return 0
    return 0 if min(len(a), len(b)) >= count else None


LIBRARY: dict[str, Computed] = {
    "strlen": _strlen,
    "strcmp": _strcmp,
    "strncmp": _strncmp,
}
