"""Memory of one execution: objects with bytes, read back at any width and through any cast.

An address is a number: every object has a stretch of 2^32 addresses of its own, so `address >> 32` is
the object, integers that were pointers stay pointers, and pointers of different objects differ. One
layout is chosen; what a program does may depend on it only where C leaves it open.

What a byte holds is, in this order: a cell that was written; a layer (memset, memcpy of much, what an
unknown call wrote); the object's ground: zeros, given bytes, or unknowns that are made when they are
read and then stay.
"""

from __future__ import annotations

import itertools
from enum import Enum
from typing import Any, Final

from heapflow.replay.terms import Term, Terms, Value, mask

_MIDDLE: Final = 1 << 31
_POINTER: Final = 8  # bytes
SMALLEST_ADDRESS: Final = 1 << 32
BESIDE: Final = 1 << 24  # offset: behind all that a struct of the program has
# The same for what a library makes and hangs somewhere into a struct: from the struct's address on.
SOMEWHERE: Final = 1 << 25


class Kind(Enum):
    """Where an object lives."""

    STACK = "stack"
    HEAP = "heap"
    GLOBAL = "global"
    WORLD = "world"  # behind a pointer that came from outside
    CODE = "code"
    TABLE = "table"  # of the library: it never changes


class Ground(Enum):
    """What unwritten bytes hold."""

    ZERO = "zero"
    UNSET = "unset"  # of a new block or variable: some value, the same each time
    UNKNOWN = "unknown"  # somebody else's


_ZERO: Final = Ground.ZERO
_UNKNOWN: Final = Ground.UNKNOWN


class Layer:
    """A stretch that was written at once: a byte repeated, a copy, or unknowns."""

    __slots__ = ("byte", "copied", "end", "name", "number", "shift", "start")

    def __init__(
        self,
        start: int,
        end: int,
        byte: Value = 0,
        copied: Object | None = None,
        shift: int = 0,
        name: str = "",
    ) -> None:
        self.start, self.end, self.byte = start, end, byte
        self.copied, self.shift = copied, shift  # offset in `copied` = offset here + shift
        self.name = name  # of unknowns
        self.number = next(_layers)  # no other layer of this process has it


_layers = itertools.count()


class Object:
    """A block of memory."""

    __slots__ = (
        "base",
        "by",
        "cells",
        "data",
        "facts",
        "family",
        "freed",
        "ground",
        "id",
        "kind",
        "layers",
        "lengths",
        "measured",
        "name",
        "number",
        "owner",
        "size",
        "type",
        "widest",
    )

    def __init__(
        self, ident: int, kind: Kind, name: str, owner: int, like: Object | None = None
    ) -> None:
        self.id, self.kind, self.name, self.owner = ident, kind, name, owner
        if like is not None:  # mypyc knows no `__new__`: a copy is filled here
            self._fill(like)
            return
        self.base = base_address(ident)
        self.size: Value = -1  # bytes; -1 not known
        self.by = -1  # the instruction that made it
        self.family = ""  # of a block: how it was acquired
        self.number = 0  # of a descriptor: the number that stands for it
        self.freed = -1  # the instruction that released it
        self.ground = _UNKNOWN
        self.data = b""  # of a constant: its first bytes, over the ground
        self.cells: dict[int, tuple[int, Value]] = {}  # offset -> bytes, value
        self.layers: tuple[Layer, ...] = ()
        self.type = -1
        self.lengths: dict[int, Value] | None = None  # of texts in it, by where they begin
        # The same where nobody asked yet: bytes that are looked at are not tied to these.
        self.measured: dict[int, Value] | None = None
        self.widest = 1  # bytes of the widest cell that was ever there
        self.facts: Any = None  # what follows from cells and layers (`facts`), until one changes

    def copy(self, owner: int) -> Object:
        return Object(self.id, self.kind, self.name, owner, self)

    def _fill(self, like: Object) -> None:
        self.base, self.size, self.by, self.freed = like.base, like.size, like.by, like.freed
        self.family, self.number = like.family, like.number
        self.ground, self.data, self.layers = like.ground, like.data, like.layers
        self.cells, self.type, self.widest = like.cells.copy(), like.type, like.widest
        self.lengths, self.facts, self.measured = like.lengths, like.facts, like.measured

    def emptied(self, owner: int, name: str) -> Object:
        """The same object after anything may have been written to it: all of it is unknown."""
        made = Object(self.id, self.kind, name, owner)
        made.base, made.size, made.by, made.freed = self.base, self.size, self.by, self.freed
        made.family, made.number, made.type = self.family, self.number, self.type
        return made


def base_address(ident: int) -> int:
    """Spread over pages, as allocators do: hashes of addresses differ."""
    return (ident << 32) + _MIDDLE + ((ident * 40503) & 0xFFF) * 64


# Numbers in the contents of an object, and the values there that are not settled.
Numbers = tuple[frozenset[int], tuple[Term, ...]]


class Accessor:
    """Reads and writes of objects; makes the unknowns that are read."""

    def __init__(self, terms: Terms, most_copied: int) -> None:
        self.terms = terms
        self.most_copied = most_copied  # bytes that are copied cell by cell
        self.origins: dict[int, tuple[str, int]] = {}  # unknown -> name of its object, offset
        self.contents: dict[tuple[object, ...], int] = {}  # what objects held, numbered (`facts`)
        self.numbers: dict[int, Numbers] = {}  # in these contents (`facts`)

    # Reading -------------------------------------------------------------------------------------

    def read(self, obj: Object, offset: int, size: int) -> Value:
        """What `size` bytes hold, little-endian. May write: unknowns stay once they are read, so
        the object has to be the state's own."""
        cell = obj.cells.get(offset)
        if cell is not None and cell[0] == size:
            return cell[1]
        if cell is None and not self._overlapping(obj, offset, size):
            value = self._below(obj, offset, size)
            if isinstance(value, Term):
                obj.cells[offset] = (size, value)
                obj.facts = None
                obj.widest = max(obj.widest, size)
            return value
        return self.joined(obj, offset, size)

    def peek(self, obj: Object, offset: int) -> Value | None:
        """A byte, if it was written or is known otherwise; nothing is made."""
        cell = obj.cells.get(offset)
        if cell is not None and cell[0] == 1:
            return cell[1]
        for start in range(offset, offset - obj.widest, -1):
            cell = obj.cells.get(start)
            if cell is not None and start + cell[0] > offset:
                return self.terms.extract(8, cell[1], (offset - start) * 8)
        for layer in reversed(obj.layers):
            if layer.start <= offset < layer.end:
                if layer.copied is not None:
                    return self.peek(layer.copied, offset + layer.shift)
                return None if layer.name else layer.byte
        if 0 <= offset < len(obj.data):
            return obj.data[offset]
        return 0 if obj.ground is _ZERO else None

    def _overlapping(self, obj: Object, offset: int, size: int) -> list[int]:
        cells = obj.cells
        if not cells:
            return []
        found = []
        for at in range(offset - obj.widest + 1, offset + size):
            cell = cells.get(at)
            if cell is not None and at + cell[0] > offset:
                found.append(at)
        return found

    def joined(self, obj: Object, offset: int, size: int) -> Value:
        """What several cells hold together."""
        terms = self.terms
        value: Value = 0
        width = 0
        at, end = offset, offset + size
        while at < end:
            piece, count = self._piece(obj, at, end)
            value = terms.concat(piece, count * 8, value, width) if width else piece
            width += count * 8
            at += count
        return value

    def _piece(self, obj: Object, at: int, end: int) -> tuple[Value, int]:
        """The value from `at` on, as far as one cell or nothing but ground goes."""
        for start in range(at, at - obj.widest, -1):
            cell = obj.cells.get(start)
            if cell is not None and start + cell[0] > at:
                count = min(start + cell[0], end) - at
                return self.terms.extract(count * 8, cell[1], (at - start) * 8), count
        value = self._below(obj, at, 1)
        if isinstance(value, Term):
            obj.cells[at] = (1, value)
            obj.facts = None
        return value, 1

    def _below(self, obj: Object, offset: int, size: int) -> Value:
        """What layers and ground hold where no cell is."""
        for layer in reversed(obj.layers):
            if layer.start <= offset and offset + size <= layer.end:
                return self._of_layer(layer, offset, size)
            if layer.start < offset + size and offset < layer.end:
                return self._split(obj, offset, size)
        if obj.data and 0 <= offset < len(obj.data):
            if offset + size > len(obj.data) and obj.ground is not _ZERO:
                return self._split(obj, offset, size)
            return int.from_bytes(obj.data[offset : offset + size], "little")
        if obj.ground is _ZERO:
            return 0
        return self._unknown(obj.name, offset, size)

    def _split(self, obj: Object, offset: int, size: int) -> Value:
        value: Value = 0
        for position in range(size):
            byte = self._below(obj, offset + position, 1)
            value = self.terms.concat(byte, 8, value, position * 8) if position else byte
        return value

    def _of_layer(self, layer: Layer, offset: int, size: int) -> Value:
        if layer.copied is not None:
            return self.read(layer.copied, offset + layer.shift, size)
        if layer.name:
            return self._unknown(layer.name, offset, size)
        value: Value = layer.byte
        for position in range(1, size):
            value = self.terms.concat(layer.byte, 8, value, position * 8)
        return value

    def _unknown(self, name: str, offset: int, size: int) -> Term:
        made = self.terms.var(f"{name}[{offset}:{size}]", size * 8)
        self.origins[made.number] = (name, offset)
        return made

    # Writing -------------------------------------------------------------------------------------

    def write(self, obj: Object, offset: int, size: int, value: Value) -> None:
        """The object has to be the state's own."""
        obj.lengths = obj.measured = obj.facts = None
        cell = obj.cells.get(offset)
        if cell is None or cell[0] != size:
            self._clear(obj, offset, size)
            if size > obj.widest:
                obj.widest = size
        obj.cells[offset] = (size, value)

    def _clear(self, obj: Object, offset: int, size: int) -> None:
        """No cell reaches into the stretch; what sticks out of it stays."""
        obj.lengths = obj.measured = obj.facts = None
        end = offset + size
        if size <= len(obj.cells):
            touched = self._overlapping(obj, offset, size)
        else:
            touched = [
                at for at, (count, _) in obj.cells.items() if at < end and at + count > offset
            ]
        for at in touched:
            count, value = obj.cells.pop(at)
            if at < offset:
                obj.cells[at] = (offset - at, self.terms.extract((offset - at) * 8, value, 0))
            if at + count > end:
                rest = at + count - end
                obj.cells[end] = (rest, self.terms.extract(rest * 8, value, (end - at) * 8))

    def write_bytes(self, obj: Object, offset: int, data: bytes) -> None:
        """Known bytes."""
        self._clear(obj, offset, len(data))
        cells = obj.cells
        for at, byte in enumerate(data, offset):
            cells[at] = (1, byte)

    def fill(self, obj: Object, offset: int, size: int, byte: Value) -> None:
        """memset."""
        self._clear(obj, offset, size)
        layer = Layer(offset, offset + size, self.terms.extract(8, byte, 0) if byte else 0)
        obj.layers = (*_left(obj.layers, offset, offset + size), layer)

    def copy(self, target: Object, offset: int, source: Object, start: int, size: int) -> None:
        """memcpy or memmove; `source` may be the target."""
        if source.widest >= _POINTER and start < SOMEWHERE:
            for at in [at for at in source.cells if 0 <= at - SOMEWHERE - start < size]:
                target.cells[offset + at - start] = source.cells[at]
        pieces = self._pieces(source, start, start + size) if size <= self.most_copied else None
        if pieces is None:
            self._copy_layer(target, offset, source, start, size)
            return
        self._clear(target, offset, size)
        for at, count, value in pieces:
            target.cells[offset + at - start] = (count, value)
        target.widest = max(target.widest, source.widest, 8)

    def _pieces(self, obj: Object, at: int, end: int) -> list[tuple[int, int, Value]] | None:
        """Cells that hold the same as a stretch; None: something in it was never looked at."""
        found: list[tuple[int, int, Value]] = []
        cells = obj.cells
        while at < end:
            cell = cells.get(at)
            if cell is not None and at + cell[0] <= end:
                count, value = cell
            elif self._overlapping(obj, at, 1):
                value, count = self._piece(obj, at, end)
            else:
                count = min(8 - at % 8, end - at)
                count = next((n for n in range(1, count) if at + n in cells), count)
                value = self._below(obj, at, count)
                if isinstance(value, Term):
                    return None
            found.append((at, count, value))
            at += count
        return found

    def _copy_layer(
        self, target: Object, offset: int, source: Object, start: int, size: int
    ) -> None:
        """Much, or unknowns that nobody has looked at yet: what is read later is read from a copy."""
        frozen = source.copy(-1)
        frozen.layers = tuple(
            layer for layer in source.layers if layer.start < start + size and layer.end > start
        )
        self._clear(target, offset, size)
        shift = start - offset
        layer = Layer(offset, offset + size, copied=frozen, shift=shift)
        target.layers = (*_left(target.layers, offset, offset + size), layer)
        for at, (count, value) in frozen.cells.items():
            if at >= start and at + count <= start + size:
                target.cells[at - shift] = (count, value)
        target.widest = max(target.widest, source.widest)

    def forget(self, obj: Object, name: str) -> None:
        """Somebody may have written anything: all of it is unknown from now on."""
        obj.cells.clear()
        obj.lengths = obj.measured = obj.facts = None
        obj.layers, obj.data = (), b""
        obj.ground, obj.name = _UNKNOWN, name

    def forget_part(self, obj: Object, offset: int, size: int, name: str) -> None:
        """The same for a stretch."""
        self._clear(obj, offset, size)
        layer = Layer(offset, offset + size, name=name)
        obj.layers = (*_left(obj.layers, offset, offset + size), layer)


def _left(layers: tuple[Layer, ...], start: int, end: int) -> tuple[Layer, ...]:
    """Layers that are not covered as a whole."""
    return tuple(layer for layer in layers if layer.start < start or layer.end > end)


_ADDRESS: Final = mask(64)


def addresses_in(value: Value, found: set[int]) -> None:
    """Objects that a value leads to, whatever was computed with it."""
    if isinstance(value, int):
        if value >= SMALLEST_ADDRESS:
            found.add((value & _ADDRESS) >> 32)
        return
    stack: list[object] = [value]
    for _ in range(60):
        if not stack:
            return
        one = stack.pop()
        if isinstance(one, int):
            if one >= SMALLEST_ADDRESS:
                found.add((one & _ADDRESS) >> 32)
        elif isinstance(one, Term):
            if one.op == "sum":
                stack.append(one.args[0])
                stack += [part for part, _ in one.args[1]]
            elif one.op not in ("var", "eq", "ult", "slt"):
                stack += [arg for arg in one.args if not isinstance(arg, str)]
