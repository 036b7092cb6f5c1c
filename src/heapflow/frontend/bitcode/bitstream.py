"""LLVM's bitstream container: blocks, abbreviations, records.

In:    bytes.     Out: records (code, operands) in order, and where the sub-blocks lie.
Format: the bitstream chapter of LLVM's "Bitcode file format" document.

Reading bits one field at a time is what costs; two things make it fast enough in Python. A window of
64 bytes becomes one integer and fields are shifted out of it. An abbreviation is compiled, once per
process, into a Python function that reads its fields in a straight line.

Guarantees: never reads outside the data (past the end there are zeros); a position past the end, an
unknown abbreviation or a nonsensical width raises `BitstreamError`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

_END_BLOCK, _ENTER_SUBBLOCK, _DEFINE_ABBREV, _UNABBREV = 0, 1, 2, 3
_BLOCKINFO, _BLOCKINFO_SETBID = 0, 1
_FIXED, _VBR, _ARRAY, _CHAR6, _BLOB, _LITERAL = 1, 2, 3, 4, 5, 0
_CHAR6_CODES = tuple(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._")

SUBBLOCK = -1  # the code with which `entries` announces a sub-block
_WINDOW_BYTES = 64
# 505 bits remain in a window after the shift to the first bit; 78 is the widest 64-bit VBR6 value.
_WINDOW_STOP = 505 - 78

AbbrevOp = tuple[int, int]  # (encoding, width or literal value)
Abbrev = tuple[AbbrevOp, ...]
AbbrevReader = Callable[[bytes, int], tuple[list[int], int, bytes]]


class BitstreamError(ValueError):
    """The container is damaged."""


@dataclass(frozen=True, slots=True)
class BlockRef:
    """Where a block's content lies, in bits."""

    block_id: int
    width: int  # of abbreviation ids
    start: int
    end: int


class Bitstream:
    """The data and the abbreviations that BLOCKINFO registered for each block kind."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.end = len(data) * 8
        self.registered: dict[int, list[AbbrevReader]] = {}

    def fixed(self, pos: int, width: int) -> int:
        at = pos >> 3
        chunk = int.from_bytes(self.data[at : at + 10], "little") >> (pos & 7)
        return chunk & ((1 << width) - 1)

    def enter(self, pos: int) -> tuple[BlockRef, int]:
        """Read a block header (after its abbreviation id); the block and where it ends."""
        block_id, pos = _read_vbr(self.data, pos, 8)
        width, pos = _read_vbr(self.data, pos, 4)
        pos = (pos + 31) & ~31
        start = pos + 32
        end = start + self.fixed(pos, 32) * 32
        if end > self.end or not 2 <= width <= 32:
            raise BitstreamError("a block reaches past the end of the file")
        return BlockRef(block_id, width, start, end), end

    def top_level(self, pos: int) -> Iterator[BlockRef]:
        """The outermost blocks, which use abbreviation ids of 2 bits."""
        while pos + 64 <= self.end:
            if self.fixed(pos, 2) != _ENTER_SUBBLOCK:
                return  # padding
            block, pos = self.enter(pos + 2)
            yield block

    def abbreviations(self, block: BlockRef) -> list[AbbrevReader]:
        """The abbreviations a block starts with; `entries` adds those defined inside."""
        return list(self.registered.get(block.block_id, ()))

    def entries(
        self, block: BlockRef, readers: list[AbbrevReader] | None = None
    ) -> Iterator[tuple[int, list[int], bytes, BlockRef | None, int]]:
        """(code, operands, blob, sub-block, end position) of each entry of a block, in order."""
        data, pos, end, width = self.data, block.start, block.end, block.width
        mask = (1 << width) - 1
        if readers is None:
            readers = self.abbreviations(block)
        from_bytes = int.from_bytes
        while pos < end:
            at = pos >> 3
            window = from_bytes(data[at : at + _WINDOW_BYTES], "little") >> (pos & 7)
            abbrev_id = window & mask
            if abbrev_id > _UNABBREV:
                try:
                    reader = readers[abbrev_id - 4]
                except IndexError:
                    raise BitstreamError(f"unknown abbreviation {abbrev_id}") from None
                ops, pos, blob = reader(data, pos + width)
                yield ops.pop(0), ops, blob, None, pos
            elif abbrev_id == _UNABBREV:
                ops, pos = _read_unabbreviated(data, pos + width, window >> width)
                yield ops.pop(0), ops, b"", None, pos
            elif abbrev_id == _ENTER_SUBBLOCK:
                inner, pos = self.enter(pos + width)
                if inner.block_id == _BLOCKINFO:
                    self._read_blockinfo(inner)
                else:
                    yield SUBBLOCK, [], b"", inner, pos
            elif abbrev_id == _DEFINE_ABBREV:
                abbrev, pos = _read_abbreviation(data, pos + width)
                readers.append(_compile_abbreviation(abbrev))
            else:
                return
        if pos > self.end:
            raise BitstreamError("a record reaches past the end of the file")

    def record_at(self, pos: int, width: int, readers: list[AbbrevReader]) -> tuple[int, list[int]]:
        """The one record at a known position."""
        if not 0 <= pos < self.end:
            raise BitstreamError("a record index points outside the file")
        abbrev_id = self.fixed(pos, width)
        if abbrev_id > _UNABBREV:
            if abbrev_id - 4 >= len(readers):
                raise BitstreamError(f"unknown abbreviation {abbrev_id}")
            ops, _, _ = readers[abbrev_id - 4](self.data, pos + width)
        elif abbrev_id == _UNABBREV:
            at = (pos + width) >> 3
            window = int.from_bytes(self.data[at : at + _WINDOW_BYTES], "little")
            ops, _ = _read_unabbreviated(self.data, pos + width, window >> ((pos + width) & 7))
        else:
            raise BitstreamError("a record index points at no record")
        return ops.pop(0), ops

    def _read_blockinfo(self, block: BlockRef) -> None:
        """BLOCKINFO: DEFINE_ABBREV entries belong to the block kind that SETBID named last."""
        data, pos, width = self.data, block.start, block.width
        current: list[AbbrevReader] | None = None
        while pos < block.end:
            abbrev_id = self.fixed(pos, width)
            pos += width
            if abbrev_id == _END_BLOCK:
                return
            if abbrev_id == _DEFINE_ABBREV:
                abbrev, pos = _read_abbreviation(data, pos)
                if current is None:
                    raise BitstreamError("an abbreviation belongs to no block")
                current.append(_compile_abbreviation(abbrev))
            elif abbrev_id == _UNABBREV:
                at = pos >> 3
                window = int.from_bytes(data[at : at + _WINDOW_BYTES], "little") >> (pos & 7)
                ops, pos = _read_unabbreviated(data, pos, window)
                if ops[0] == _BLOCKINFO_SETBID and len(ops) > 1:
                    current = self.registered.setdefault(ops[1], [])
            else:
                raise BitstreamError("unexpected entry in a block-info block")


def _read_vbr(data: bytes, pos: int, width: int) -> tuple[int, int]:
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
            window = int.from_bytes(data[at : at + _WINDOW_BYTES], "little") >> (pos & 7)
    return head, pos + used


def _read_vbr_array(data: bytes, pos: int, count: int, width: int, out: list[int]) -> int:
    """Append `count` VBR values to `out`; the position after them."""
    if count * width > len(data) * 8 - pos:
        raise BitstreamError("an array reaches past the end of the file")
    high = 1 << (width - 1)
    mask = (high << 1) - 1
    low = high - 1
    step = width - 1
    stop = 505 - ((64 + step - 1) // step) * width
    append = out.append
    while count:
        at = pos >> 3
        window = int.from_bytes(data[at : at + _WINDOW_BYTES], "little") >> (pos & 7)
        used = 0
        while count and used <= stop:
            value = window & mask
            window >>= width
            used += width
            if value >= high:
                value &= low
                shift = step
                while True:
                    chunk = window & mask
                    window >>= width
                    used += width
                    value |= (chunk & low) << shift
                    if chunk < high:
                        break
                    shift += step
            append(value)
            count -= 1
        pos += used
    return pos


def _read_fixed_array(data: bytes, pos: int, count: int, width: int, out: list[int]) -> int:
    if count * width > len(data) * 8 - pos:
        raise BitstreamError("an array reaches past the end of the file")
    mask = (1 << width) - 1
    per_window = max(1, 500 // width) if width else count
    end = pos + count * width
    while count:
        at = pos >> 3
        window = int.from_bytes(data[at : at + _WINDOW_BYTES], "little") >> (pos & 7)
        take = min(count, per_window)
        out.extend(
            [(window >> shift) & mask for shift in range(0, take * width, width)]
            if width
            else [0] * take
        )
        pos += take * width
        count -= take
    return end


def _read_char6_array(data: bytes, pos: int, count: int, width: int, out: list[int]) -> int:
    start = len(out)
    pos = _read_fixed_array(data, pos, count, 6, out)
    out[start:] = [_CHAR6_CODES[c] for c in out[start:]]
    return pos


def _read_blob(data: bytes, pos: int) -> tuple[bytes, int]:
    size, pos = _read_vbr(data, pos, 6)
    at = (pos + 31) // 32 * 4
    if at + size > len(data):
        raise BitstreamError("a blob reaches past the end of the file")
    return data[at : at + size], (at + size + 3) // 4 * 32


def _read_abbreviation(data: bytes, pos: int) -> tuple[Abbrev, int]:
    count, pos = _read_vbr(data, pos, 5)
    ops: list[AbbrevOp] = []
    while len(ops) < count:
        at = pos >> 3
        window = int.from_bytes(data[at : at + 4], "little") >> (pos & 7)
        if window & 1:
            value, pos = _read_vbr(data, pos + 1, 8)
            ops.append((_LITERAL, value))
            continue
        encoding = (window >> 1) & 7
        pos += 4
        value = 0
        if encoding in (_FIXED, _VBR):
            value, pos = _read_vbr(data, pos, 5)
            if value > 64 or (encoding == _VBR and value == 1):
                raise BitstreamError("an abbreviation has an impossible width")
        elif encoding not in (_ARRAY, _CHAR6, _BLOB):
            raise BitstreamError(f"unknown abbreviation encoding {encoding}")
        ops.append((encoding, value))
    if not ops or (any(e == _ARRAY for e, _ in ops[:-2])) or ops[-1][0] == _ARRAY:
        raise BitstreamError("an abbreviation is malformed")
    return tuple(ops), pos


_ARRAY_READERS = {
    _FIXED: "_read_fixed_array",
    _VBR: "_read_vbr_array",
    _CHAR6: "_read_char6_array",
}


@lru_cache(maxsize=4096)
def _compile_abbreviation(abbrev: Abbrev) -> AbbrevReader:
    """A function (data, pos) -> ([code, operand…], position after it, blob)."""
    scalars = [op for op in abbrev if op[0] not in (_ARRAY, _BLOB)]
    is_array = len(abbrev) > 1 and abbrev[-2][0] == _ARRAY
    if is_array:
        element = scalars.pop()
        if element[0] not in _ARRAY_READERS:
            raise BitstreamError("an array abbreviation has no element")
    lines = ["def read(data, pos):"]
    lines += _scalar_lines(scalars)
    if is_array:
        lines += [
            "    count, pos = _read_vbr(data, pos, 6)",
            f"    pos = {_ARRAY_READERS[element[0]]}(data, pos, count, {element[1]}, out)",
            "    return out, pos, b''",
        ]
    elif abbrev[-1][0] == _BLOB:
        lines += ["    blob, pos = _read_blob(data, pos)", "    return out, pos, blob"]
    else:
        lines.append("    return out, pos, b''")
    scope = dict(globals())
    exec("\n".join(lines), scope)  # the text is made of numbers only, see _scalar_lines
    compiled: AbbrevReader = scope["read"]
    return compiled


def _scalar_lines(scalars: list[AbbrevOp]) -> list[str]:
    """Straight-line code that reads the scalar fields out of one window."""
    worst = sum(_worst_bits(op) for op in scalars)
    if not worst:
        return [f"    out = [{', '.join(str(value) for _, value in scalars)}]"]
    lines = [
        "    at = pos >> 3",
        f"    window = int.from_bytes(data[at : at + {worst // 8 + 2}], 'little') >> (pos & 7)",
    ]
    names: list[str] = []
    for index, (encoding, value) in enumerate(scalars):
        name = f"v{index}"
        if encoding == _LITERAL:
            names.append(str(value))
            continue
        names.append(name)
        width = 6 if encoding == _CHAR6 else value
        if width == 0:
            lines.append(f"    {name} = 0")
            continue
        lines += [
            f"    {name} = window & {(1 << width) - 1}",
            f"    window >>= {width}",
            f"    pos += {width}",
        ]
        if encoding == _CHAR6:
            lines.append(f"    {name} = _CHAR6_CODES[{name}]")
        if encoding == _VBR:
            high = 1 << (width - 1)
            lines += [
                f"    if {name} >= {high}:",
                f"        {name} &= {high - 1}",
                f"        shift = {width - 1}",
                "        while True:",
                f"            chunk = window & {(high << 1) - 1}",
                f"            window >>= {width}",
                f"            pos += {width}",
                f"            {name} |= (chunk & {high - 1}) << shift",
                f"            if chunk < {high}:",
                "                break",
                f"            shift += {width - 1}",
            ]
    lines.append(f"    out = [{', '.join(names)}]")
    return lines


def _worst_bits(op: AbbrevOp) -> int:
    encoding, value = op
    if encoding == _VBR:
        step = value - 1
        return (64 + step - 1) // step * value if step > 0 else 0
    if encoding == _CHAR6:
        return 6
    return value if encoding == _FIXED else 0
