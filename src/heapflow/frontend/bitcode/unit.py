"""The tables of one translation unit while they are being filled: plain lists, frozen at the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heapflow.frontend.bitcode.types import TypeReader
from heapflow.ir.program import Operations

ROW_WIDTH = 7


class OperationRows:
    """Instructions or constant expressions, as flat lists: numpy takes tuples apart slowly."""

    def __init__(self) -> None:
        # op, type, result, aux, aux2, aux_type, number of operands: ROW_WIDTH numbers per row
        self.rows: list[int] = []
        self.loc: list[int] = []
        self.operands: list[int] = []
        self.operand_block: dict[int, int] = {}  # position in `operands` -> block
        self.operand_number: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self.rows) // ROW_WIDTH

    def freeze(self, block_of_row: NDArray[Any]) -> Operations:
        table = integers(self.rows, np.int64).reshape(len(self), ROW_WIDTH)
        blocks = np.full(len(self.operands), -1, dtype=np.int32)
        _fill(blocks, self.operand_block)
        numbers = np.zeros(len(self.operands), dtype=np.int64)
        _fill(numbers, self.operand_number)
        loc = self.loc or [-1] * len(self)
        return Operations(
            op=table[:, 0].astype(np.uint8),
            type=table[:, 1].astype(np.int32),
            result=table[:, 2].astype(np.int32),
            block=block_of_row.astype(np.int32),
            loc=integers(loc, np.int32),
            aux=table[:, 3].copy(),
            aux2=table[:, 4].copy(),
            aux_type=table[:, 5].astype(np.int32),
            operand_start=offsets_from_counts(table[:, 6]),
            operand=integers(self.operands, np.int32),
            operand_block=blocks,
            operand_number=numbers,
        )


class Unit:
    """What is shared by the readers of the module's parts."""

    def __init__(self) -> None:
        self.strings: dict[str, int] = {"": 0}
        self.types = TypeReader()
        self.value_kind: list[int] = []
        self.value_type: list[int] = []
        self.value_index: list[int] = []
        self.value_number: dict[int, int] = {}  # integer constants
        self.value_name: dict[int, int] = {}
        self.elements: dict[int, list[int]] = {}  # constant aggregates, for initialisers
        self.const_exprs = OperationRows()
        self.copying: set[int] = set()  # functions that return their first argument, nothing more
        self.module_values = 0  # number of values that all functions share
        self.unread: Counter[str] = Counter()

    def string(self, text: str) -> int:
        return self.strings.setdefault(text, len(self.strings))

    def add_value(self, kind: int, type_id: int, index: int) -> int:
        self.value_kind.append(int(kind))
        self.value_type.append(type_id)
        self.value_index.append(index)
        return len(self.value_kind) - 1


def offsets_from_counts(counts: Sequence[int] | NDArray[Any]) -> NDArray[np.int64]:
    """[2, 0, 3] -> [0, 2, 2, 5]."""
    out = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(np.asarray(counts, dtype=np.int64), out=out[1:])
    return out


def integers(numbers: list[int], dtype: Any) -> NDArray[Any]:
    """The fastest way from a list of integers to an array."""
    return np.fromiter(numbers, dtype=dtype, count=len(numbers))


def _fill(array: NDArray[Any], entries: dict[int, int]) -> None:
    if entries:
        where = np.fromiter(entries.keys(), dtype=np.int64, count=len(entries))
        array[where] = np.array(list(entries.values()), dtype=np.int64)


def signed(value: int) -> int:
    """LLVM's sign-rotated numbers: bit 0 is the sign. Result fits in a signed 64-bit integer."""
    if value & 1:
        magnitude = value >> 1
        return -magnitude if magnitude else -(1 << 63)
    return wrap64(value >> 1)


def wrap64(value: int) -> int:
    """The signed 64-bit integer with the same low bits."""
    if -(1 << 63) <= value < 1 << 63:
        return value
    value &= 0xFFFF_FFFF_FFFF_FFFF
    return value - (1 << 64) if value >> 63 else value
