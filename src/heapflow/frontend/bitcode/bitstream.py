"""LLVM's bitstream container: blocks and the records in them.

In:    bytes.     Out: the records of a block as one flat list, sub-blocks among them.
Format: the bitstream chapter of LLVM's "Bitcode file format" document.

`records` is what costs. It has two implementations with the same result: `native.py` runs a small
compiled kernel, `plain.py` is Python and serves where code cannot be compiled at run time.

Guarantees: never reads outside the data; a position past the end, an unknown abbreviation or a
nonsensical width raises `BitstreamError`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass

END_BLOCK, ENTER_SUBBLOCK, DEFINE_ABBREV, UNABBREV = 0, 1, 2, 3
BLOCKINFO, BLOCKINFO_SETBID = 0, 1
# In place of a record's code: a sub-block. In addition to it: its last two operands are the first
# byte and the size of a blob.
SUBBLOCK = 1 << 32
HAS_BLOB = 1 << 33


class BitstreamError(ValueError):
    """The container is damaged."""


@dataclass(frozen=True, slots=True)
class BlockRef:
    """Where a block's content lies, in bits."""

    block_id: int
    width: int  # of abbreviation ids
    start: int
    end: int


Entry = tuple[int, list[int], bytes, BlockRef | None]


class Bitstream(ABC):
    """The data, and the abbreviations that BLOCKINFO registered for each block kind."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.end = len(data) * 8

    @abstractmethod
    def records(self, block: BlockRef) -> list[int]:
        """The records of a block: code, index of the next record, operand… for each.

        A sub-block has the operands of a `BlockRef`.
        """

    @abstractmethod
    def read_blockinfo(self, block: BlockRef) -> None:
        """Learn abbreviations: those defined after a SETBID record belong to the kind it names."""

    def entries(self, block: BlockRef) -> Iterator[Entry]:
        """(code, operands, blob, sub-block) of each record of a block, in order."""
        flat = self.records(block)
        at, count = 0, len(flat)
        while at < count:
            code, following = flat[at], flat[at + 1]
            ops = flat[at + 2 : following]
            at = following
            if code < SUBBLOCK:
                yield code, ops, b"", None
            elif code == SUBBLOCK:
                inner = BlockRef(*ops)
                if inner.block_id == BLOCKINFO:
                    self.read_blockinfo(inner)
                else:
                    yield SUBBLOCK, [], b"", inner
            else:
                size = ops.pop()
                first = ops.pop()
                yield code & (SUBBLOCK - 1), ops, self.data[first : first + size], None

    def top_level(self, pos: int) -> Iterator[BlockRef]:
        """The outermost blocks, which use abbreviation ids of 2 bits."""
        while pos + 64 <= self.end:
            if read_fixed(self.data, pos, 2) != ENTER_SUBBLOCK:
                return  # padding
            block = enter_block(self.data, pos + 2)
            pos = block.end
            yield block


def enter_block(data: bytes, pos: int) -> BlockRef:
    """Read a block header (after its abbreviation id)."""
    block_id, pos = read_vbr(data, pos, 8)
    width, pos = read_vbr(data, pos, 4)
    pos = (pos + 31) & ~31
    start = pos + 32
    end = start + read_fixed(data, pos, 32) * 32
    if end > len(data) * 8 or not 2 <= width <= 32:
        raise BitstreamError("a block reaches past the end of the file")
    return BlockRef(block_id, width, start, end)


def read_fixed(data: bytes, pos: int, width: int) -> int:
    at = pos >> 3
    chunk = int.from_bytes(data[at : at + 10], "little") >> (pos & 7)
    return chunk & ((1 << width) - 1)


def read_vbr(data: bytes, pos: int, width: int) -> tuple[int, int]:
    """A number of variable width, and the position after it."""
    at = pos >> 3
    window = int.from_bytes(data[at : at + 24], "little") >> (pos & 7)
    high = 1 << (width - 1)
    mask = (high << 1) - 1
    value, shift = 0, 0
    while shift < 70:
        chunk = window & mask
        window >>= width
        pos += width
        value |= (chunk & (high - 1)) << shift
        if chunk < high:
            return value, pos
        shift += width - 1
    raise BitstreamError("a number is longer than 64 bits")


def open_bitstream(data: bytes) -> Bitstream:
    """The compiled reader where it works, else the plain one."""
    from heapflow.frontend.bitcode.native import NativeBitstream, load_kernel
    from heapflow.frontend.bitcode.plain import PlainBitstream

    return PlainBitstream(data) if load_kernel() is None else NativeBitstream(data)
