"""Debug information: records by metadata id, looked at when asked for.

In:    the module's METADATA block (and those of functions).     Out: records by metadata id.

A unit that includes a few headers carries thousands of records of which a tenth is ever asked for, so
they stay in the flat list that the bitstream gives, and only their places in it are noted.
"""

from __future__ import annotations

from itertools import accumulate

from heapflow.frontend.bitcode.abbreviation import read_vbr_array
from heapflow.frontend.bitcode.bitstream import (
    HAS_BLOB,
    SUBBLOCK,
    Bitstream,
    BitstreamError,
    BlockRef,
)
from heapflow.frontend.bitcode.codes import Md
from heapflow.frontend.bitcode.unit import Unit

Record = tuple[int, list[int]]
_NO_RECORD: Record = (-1, [])
_RETAINED = 10  # where a COMPILE_UNIT names them
_STRINGS = Md.STRINGS | HAS_BLOB
# What stands in the block but defines no metadata id, or many (strings).
_SPECIAL = frozenset(
    {
        *(4, 6, 10, SUBBLOCK, int(Md.STRINGS), _STRINGS),
        *(int(Md.GLOBAL_DECL_ATTACHMENT), int(Md.INDEX_OFFSET), int(Md.INDEX)),
    }
)


class _Texts:
    """The strings of a block: their characters and where each ends."""

    def __init__(self, chars: bytes, ends: list[int]) -> None:
        self._chars = chars
        self.ends = ends

    def numbered(self, index: int) -> str:
        if not 0 <= index < len(self.ends):
            return ""
        start = self.ends[index - 1] if index else 0
        return self._chars[start : self.ends[index]].decode("utf-8", "replace")


_NO_TEXTS = _Texts(b"", [])


class Metadata:
    """Metadata of a module; ids of strings come first, then records in order."""

    def __init__(self, unit: Unit, stream: Bitstream) -> None:
        self._unit = unit
        self._stream = stream
        self._texts = _NO_TEXTS
        self._flat: list[int] = []
        self._places: list[int] = []  # in `_flat`, of the records by id
        self._first = 0  # id of the first record that is no string
        # The same for the metadata that only the current function uses.
        self._function_texts = _NO_TEXTS
        self._function_flat: list[int] = []
        self._function_places: list[int] = []
        self._function_first = 0
        self._numbers: dict[int, int] = {}
        self._expiring: list[tuple[dict[int, int], int]] = []
        self.global_attachments: list[list[int]] = []

    def read_module_block(self, block: BlockRef) -> None:
        self._flat = self._stream.records(block)
        self._texts, self._places = self._find_records(self._flat)
        self._first = len(self._texts.ends)
        # From here on ids belong to a function: the next function uses them again.
        self._function_first = self._first + len(self._places)

    def _find_records(self, flat: list[int]) -> tuple[_Texts, list[int]]:
        texts = _NO_TEXTS
        places: list[int] = []
        append, special = places.append, _SPECIAL
        following, count = 0, len(flat)
        while following < count:
            at = following
            code, following = flat[at], flat[at + 1]
            if code not in special:
                append(at)
            elif code == _STRINGS:
                texts = self._read_strings(flat[at + 2 : following])
            elif code == Md.GLOBAL_DECL_ATTACHMENT:
                self.global_attachments.append(flat[at + 2 : following])
        return texts, places

    def _read_strings(self, ops: list[int]) -> _Texts:
        """STRINGS: how many, where in the blob their characters start; it begins with lengths."""
        count, chars, first, size = ops
        blob = self._stream.data[first : first + size]
        lengths: list[int] = []
        read_vbr_array(blob, 0, count, 6, lengths)
        return _Texts(blob[chars:], list(accumulate(lengths)))

    def read_function_block(self, block: BlockRef) -> None:
        """Metadata that only this function uses, its strings included."""
        if self._function_flat:  # LLVM writes one, and starts it with the strings
            raise BitstreamError("a function has several metadata blocks")
        flat = self._function_flat = self._stream.records(block)
        self._function_texts, self._function_places = self._find_records(flat)

    def leave_function(self) -> None:
        self._function_texts, self._function_flat, self._function_places = _NO_TEXTS, [], []
        for cache, key in self._expiring:
            cache.pop(key, None)
        self._expiring.clear()

    def remember(self, cache: dict[int, int], operand: int, made: int) -> int:
        """Memoise what was made of an operand, for as long as its id means the same."""
        cache[operand] = made
        if operand > self._function_first:
            self._expiring.append((cache, operand))
        return made

    def record(self, metadata_id: int) -> Record:
        """(code, operands) of a record; (-1, []) if there is none."""
        if metadata_id < self._function_first:
            if metadata_id < self._first:
                return _NO_RECORD
            flat, at = self._flat, self._places[metadata_id - self._first]
        else:
            index = metadata_id - self._function_first - len(self._function_texts.ends)
            if not 0 <= index < len(self._function_places):
                return _NO_RECORD
            flat, at = self._function_flat, self._function_places[index]
        return flat[at], flat[at + 2 : flat[at + 1]]

    def reference(self, operand: int) -> Record:
        """The record that an operand names; operands are ids plus one, zero is none."""
        if self._first < operand <= self._function_first:  # nearly always
            flat, at = self._flat, self._places[operand - 1 - self._first]
            return flat[at], flat[at + 2 : flat[at + 1]]
        return self.record(operand - 1) if operand else _NO_RECORD

    def text(self, operand: int) -> str:
        """The string that an operand names, "" for none."""
        if operand <= self._first:
            return self._texts.numbered(operand - 1)
        return self._function_texts.numbered(operand - 1 - self._function_first)

    def retained_types(self) -> list[int]:
        """Operands that name the types a unit lists though no variable or function has them."""
        flat = self._flat
        found: list[int] = []
        for at in self._places:
            if flat[at] == Md.COMPILE_UNIT and flat[at + 1] > at + 2 + _RETAINED:
                code, parts = self.reference(flat[at + 2 + _RETAINED])
                found += parts if code == Md.NODE else []
        return found

    def number(self, operand: int) -> int:
        """The integer constant that an operand wraps; 0 for none."""
        known = self._numbers.get(operand)
        if known is None:
            code, ops = self.reference(operand)
            is_value = code == Md.VALUE and len(ops) >= 2
            known = self._unit.value_number.get(ops[1], 0) if is_value else 0
            self.remember(self._numbers, operand, known)
        return known

    def size_bits(self, ops: list[int], flag: int, at: int) -> int:
        """A size or offset: since LLVM 21 wrapped in metadata where the record's flag says so."""
        return self.number(ops[at]) if ops[0] & flag else ops[at]
