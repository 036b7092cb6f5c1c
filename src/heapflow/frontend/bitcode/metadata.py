"""Debug information, read on demand.

In:    the module's METADATA block (and those of functions).     Out: records by metadata id.

A unit that includes a few headers carries thousands of records of which a tenth is ever asked for.
LLVM writes an index of record positions for that purpose: with it, a record is read when it is first
needed. Small modules have no index and are read in order.
"""

from __future__ import annotations

from itertools import accumulate

from heapflow.frontend.bitcode.bitstream import AbbrevReader, Bitstream, BlockRef, _read_vbr_array
from heapflow.frontend.bitcode.codes import Md
from heapflow.frontend.bitcode.unit import Unit

Record = tuple[int, list[int]]
_NO_RECORD: Record = (-1, [])
# Codes that stand in the block but define no metadata id.
_WITHOUT_ID = frozenset(
    {4, 6, 10, Md.STRINGS, Md.GLOBAL_DECL_ATTACHMENT, Md.INDEX_OFFSET, Md.INDEX}
)


class Metadata:
    """Metadata of a module; ids of strings come first, then records in order."""

    def __init__(self, unit: Unit, stream: Bitstream) -> None:
        self._unit = unit
        self._stream = stream
        self._string_ends: list[int] = []
        self._chars = b""
        self._positions: list[int] = []
        self._width = 0
        self._readers: list[AbbrevReader] = []
        self._records: dict[int, Record] = {}
        self._next_id = 0
        self._function_strings: dict[int, str] = {}
        self._function_first = 1 << 62
        self._expiring: list[tuple[dict[int, int], int]] = []
        self.global_attachments: list[list[int]] = []

    def read_module_block(self, block: BlockRef) -> None:
        stream = self._stream
        self._readers = stream.abbreviations(block)
        self._width = block.width
        resume = 0
        for code, ops, blob, inner, end in stream.entries(block, self._readers):
            if inner is not None:
                continue
            if code == Md.STRINGS:
                self._read_strings(ops, blob)
            elif code == Md.INDEX_OFFSET and len(ops) >= 2:
                resume = self._read_index(end, ops[0] | ops[1] << 32, block)
                break
            else:
                self._keep(code, ops)
        if resume:
            rest = BlockRef(block.block_id, block.width, resume, block.end)
            for code, ops, _, inner, _ in stream.entries(rest, self._readers):
                if inner is None:
                    self._keep(code, ops)

    def _keep(self, code: int, ops: list[int]) -> None:
        if code == Md.GLOBAL_DECL_ATTACHMENT:
            self.global_attachments.append(ops)
        elif code not in _WITHOUT_ID:
            self._records[self._next_id] = (code, ops)
            self._next_id += 1

    def _read_strings(self, ops: list[int], blob: bytes) -> None:
        self._string_ends = _string_ends(ops, blob)
        self._chars = blob[ops[1] :]
        self._next_id = len(self._string_ends)

    def _read_index(self, begin: int, offset: int, block: BlockRef) -> int:
        """Positions of the records; where the block goes on after the index."""
        at = BlockRef(block.block_id, block.width, begin + offset, block.end)
        for code, deltas, _, _, end in self._stream.entries(at, self._readers):
            if code != Md.INDEX:
                break
            self._positions = list(accumulate(deltas, initial=begin))[1:]
            self._first_indexed = self._next_id
            self._next_id += len(self._positions)
            return end
        self._unit.unread["metadata index"] += 1
        return 0

    def enter_function(self) -> None:
        """From here on new ids belong to the function: the next function uses them again."""
        self._function_first = self._next_id

    def read_function_block(self, block: BlockRef) -> None:
        """Metadata that only this function uses, its strings included."""
        for code, ops, blob, inner, _ in self._stream.entries(block):
            if inner is not None:
                continue
            if code == Md.STRINGS:
                start = 0
                for end in _string_ends(ops, blob):
                    text = blob[ops[1] + start : ops[1] + end].decode("utf-8", "replace")
                    self._function_strings[self._next_id] = text
                    self._next_id += 1
                    start = end
            else:
                self._keep(code, ops)

    def leave_function(self) -> None:
        first = self._function_first
        for metadata_id in range(first, self._next_id):
            self._records.pop(metadata_id, None)
        self._function_strings.clear()
        for cache, key in self._expiring:
            cache.pop(key, None)
        self._expiring.clear()
        self._next_id = first

    def remember(self, cache: dict[int, int], operand: int, made: int) -> int:
        """Memoise what was made of an operand, for as long as its id means the same."""
        cache[operand] = made
        if operand > self._function_first:
            self._expiring.append((cache, operand))
        return made

    def record(self, metadata_id: int) -> Record:
        """(code, operands) of a record; (-1, []) if there is none."""
        found = self._records.get(metadata_id)
        if found is not None:
            return found
        if self._positions:
            index = metadata_id - self._first_indexed
            if 0 <= index < len(self._positions):
                found = self._stream.record_at(self._positions[index], self._width, self._readers)
                self._records[metadata_id] = found
                return found
        return _NO_RECORD

    def reference(self, operand: int) -> Record:
        """The record that an operand names; operands are ids plus one, zero is none."""
        return self.record(operand - 1) if operand else _NO_RECORD

    def text(self, operand: int) -> str:
        """The string that an operand names, "" for none."""
        index = operand - 1
        if not 0 <= index < len(self._string_ends):
            return self._function_strings.get(index, "")
        start = self._string_ends[index - 1] if index else 0
        return self._chars[start : self._string_ends[index]].decode("utf-8", "replace")

    def number(self, operand: int) -> int:
        """The integer constant that an operand wraps; 0 for none."""
        code, ops = self.reference(operand)
        if code != Md.VALUE or len(ops) < 2:
            return 0
        return self._unit.value_number.get(ops[1], 0)

    def size_bits(self, ops: list[int], flag: int, at: int) -> int:
        """A size or offset: since LLVM 21 wrapped in metadata where the record's flag says so."""
        return self.number(ops[at]) if ops[0] & flag else ops[at]


def _string_ends(ops: list[int], blob: bytes) -> list[int]:
    """Where each string of a STRINGS record ends, from the lengths at the start of its blob."""
    lengths: list[int] = []
    _read_vbr_array(blob, 0, ops[0], 6, lengths)
    return list(accumulate(lengths))
