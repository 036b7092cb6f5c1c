"""The container read in plain Python: the reference for the compiled kernel, and its fallback.

Reading bits one field at a time is what costs; two things make it bearable in Python. A window of 64
bytes becomes one integer and fields are shifted out of it. An abbreviation is compiled, once per
process, into a Python function that reads its fields in a straight line.
"""

from __future__ import annotations

from heapflow.frontend.bitcode.abbreviation import (
    WINDOW_BYTES,
    AbbrevReader,
    compile_abbreviation,
    read_abbreviation,
)
from heapflow.frontend.bitcode.bitstream import (
    BLOCKINFO_SETBID,
    DEFINE_ABBREV,
    END_BLOCK,
    ENTER_SUBBLOCK,
    SUBBLOCK,
    UNABBREV,
    Bitstream,
    BitstreamError,
    BlockRef,
    enter_block,
)

# 505 bits remain in a window after the shift to the first bit; 78 is the widest 64-bit VBR6 value.
_WINDOW_STOP = 505 - 78


class PlainBitstream(Bitstream):
    """Records decoded in Python."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self._registered: dict[int, list[AbbrevReader]] = {}

    def records(self, block: BlockRef) -> list[int]:
        out: list[int] = []
        self._read(block, list(self._registered.get(block.block_id, ())), out, block.start, -1)
        return out

    def read_blockinfo(self, block: BlockRef) -> None:
        out: list[int] = []
        pos = block.start
        current: list[AbbrevReader] = []
        while pos < block.end:
            pos = self._read(block, current, out, pos, BLOCKINFO_SETBID)
            if out[-3:-1] == [BLOCKINFO_SETBID, len(out)]:
                current = self._registered.setdefault(out[-1], [])

    def _read(
        self, block: BlockRef, readers: list[AbbrevReader], out: list[int], pos: int, stop: int
    ) -> int:
        """Append records to `out` until the block ends or a record has the code `stop`."""
        data, end, width = self.data, block.end, block.width
        mask = (1 << width) - 1
        from_bytes = int.from_bytes
        while pos < end:
            at = pos >> 3
            window = from_bytes(data[at : at + WINDOW_BYTES], "little") >> (pos & 7)
            abbrev_id = window & mask
            pos += width
            if abbrev_id > UNABBREV:
                try:
                    reader = readers[abbrev_id - 4]
                except IndexError:
                    raise BitstreamError(f"unknown abbreviation {abbrev_id}") from None
                ops, pos = reader(data, pos)
            elif abbrev_id == UNABBREV:
                ops, pos = _read_unabbreviated(data, pos, window >> width)
            elif abbrev_id == ENTER_SUBBLOCK:
                inner = enter_block(data, pos)
                ops = [SUBBLOCK, inner.block_id, inner.width, inner.start, inner.end]
                pos = inner.end
            elif abbrev_id == DEFINE_ABBREV:
                abbrev, pos = read_abbreviation(data, pos)
                readers.append(compile_abbreviation(abbrev))
                continue
            else:
                assert abbrev_id == END_BLOCK
                return end
            code = ops[0]
            ops[0] = len(out) + len(ops) + 1
            out.append(code)
            out += ops
            if code == stop:
                break
        if pos > self.end:
            raise BitstreamError("a record reaches past the end of the file")
        return pos


def _read_unabbreviated(data: bytes, pos: int, window: int) -> tuple[list[int], int]:
    """[code, operand…] of an unabbreviated record; `window` holds the bits from `pos` on."""
    used = 0
    head = []
    for _ in range(2):
        value = window & 63
        window >>= 6
        used += 6
        if value > 31:
            value &= 31
            shift = 5
            while True:
                chunk = window & 63
                window >>= 6
                used += 6
                value |= (chunk & 31) << shift
                if chunk < 32:
                    break
                shift += 5
        head.append(value)
    count = head.pop()
    if count * 6 > len(data) * 8 - pos:
        raise BitstreamError("a record reaches past the end of the file")
    append = head.append
    # The window may have lost up to 7 + abbreviation-id bits already: keep a margin.
    stop = _WINDOW_STOP - 40
    while count:
        while count and used < stop:
            value = window & 63
            window >>= 6
            used += 6
            if value > 31:
                value &= 31
                shift = 5
                while True:
                    chunk = window & 63
                    window >>= 6
                    used += 6
                    value |= (chunk & 31) << shift
                    if chunk < 32:
                        break
                    shift += 5
            append(value)
            count -= 1
        pos += used
        used = 0
        if count:
            at = pos >> 3
            window = int.from_bytes(data[at : at + WINDOW_BYTES], "little") >> (pos & 7)
    return head, pos + used
