"""One call of a library function: its arguments, and known contents of memory.

Nothing here decides anything: what is not known is None.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from heapflow.replay.addresses import load_at, resolve, store_at
from heapflow.replay.executor import Executor
from heapflow.replay.frame import Frame
from heapflow.replay.instr import Instr
from heapflow.replay.memory import Object
from heapflow.replay.state import State
from heapflow.replay.term import Value, mask


class LibraryCall:
    """What a function of the library is called with."""

    __slots__ = ("arguments", "executor", "frame", "instr", "name", "state")

    def __init__(
        self,
        executor: Executor,
        state: State,
        frame: Frame,
        instr: Instr,
        arguments: list[Value],
        name: str,
    ) -> None:
        self.executor, self.state, self.frame, self.instr = executor, state, frame, instr
        self.arguments, self.name = arguments, name

    def is_beyond(self, size: int, most: int) -> bool:
        """Whether a call handles more than is followed, which is noted."""
        if size > most:
            self.executor.left_out.add("bytes of a library call")
        return size > most

    # Arguments, counted from 0 -------------------------------------------------------------------

    def value(self, position: int) -> Value:
        return self.executor.settled(self.state, self.arguments[position])

    def number(self, position: int) -> int | None:
        """An argument that is known, unsigned."""
        value = self.value(position)
        return value if isinstance(value, int) else None

    def width(self, position: int) -> int:
        operand = self.instr.operands[1 + position]
        return self.executor.types.width(self.executor.knowledge.value_type[operand])

    def result(self, value: int) -> int:
        """A number as the result: cut to its width."""
        return value & mask(self.instr.width or 64)

    @property
    def output(self) -> list[bytes] | None:
        """Where a concrete run prints to; None: it is not one."""
        return self.state.output

    # Memory --------------------------------------------------------------------------------------

    def place(self, address: Value | None) -> tuple[Object, int] | None:
        """Object and offset of a known address that can be accessed."""
        if address is None:
            return None
        address = self.executor.settled(self.state, address)
        if not isinstance(address, int) or address >> 32 == 0:
            return None
        obj = self.executor.object(self.state, address >> 32)
        return None if obj.freed >= 0 else (obj, address - obj.base)

    def unknown_place(self, position: int) -> tuple[Object, int] | None:
        """Where an argument leads whose contents are not known; may raise a Choice. None: a concrete
        run, or an offset that is not known."""
        if self.state.output is not None:
            return None
        obj, offset = resolve(self.executor, self.state, self.value(position))
        return (obj, offset) if isinstance(offset, int) and obj.freed < 0 else None

    def text(self, address: Value) -> bytes | None:
        """The text at an address, without its end; None: not all of it is known."""
        found, ended = self.prefix(address)
        return found if ended else None

    def prefix(self, address: Value, most: int = -1) -> tuple[bytes, bool]:
        """Known bytes from an address on, up to the first 0 or unknown byte, and whether a 0 ended
        them."""
        place = self.place(address)
        if place is None:
            return b"", False
        return self.known_text(*place, most)

    def known_text(self, obj: Object, offset: int, most: int = -1) -> tuple[bytes, bool]:
        limit = self.limit if most < 0 else min(most, self.limit)
        found = bytearray()
        cells, memory = obj.cells, self.executor.memory
        while len(found) < limit:
            cell = cells.get(offset)
            byte: Value | None
            byte = cell[1] if cell is not None and cell[0] == 1 else memory.peek(obj, offset)
            if byte is not None and not isinstance(byte, int):
                byte = self.executor.settled(self.state, byte)
            if not isinstance(byte, int):
                return bytes(found), False
            if byte == 0:
                return bytes(found), True
            found.append(byte)
            offset += 1
        return bytes(found), False

    def bytes_at(self, address: Value, count: int) -> bytes | None:
        """So many known bytes."""
        if count == 0:
            return b""
        place = self.place(address)
        if place is None or count > self.limit:
            return None
        obj, offset = place
        found = bytearray()
        for at in range(offset, offset + count):
            byte = self.executor.memory.peek(obj, at)
            if byte is not None and not isinstance(byte, int):
                byte = self.executor.settled(self.state, byte)
            if not isinstance(byte, int):
                return None
            found.append(byte)
        return bytes(found)

    @property
    def limit(self) -> int:
        return 1 << 30 if self.state.output is not None else self.executor.config.most_bytes

    def write(self, address: Value, data: bytes) -> None:
        """Put known bytes at a known address."""
        place = self.place(address)
        assert place is not None
        obj, offset = place
        self.executor.memory.write_bytes(self.state.own(obj.id), offset, data)

    def load(self, address: int, width: int) -> Value:
        return load_at(self.executor, self.state, address, width, width == 64)

    def store(self, address: int, width: int, value: Value) -> None:
        store_at(self.executor, self.state, address, width, value)


Computed: TypeAlias = Callable[[LibraryCall], "Value | None"]
