"""Column tables: frozen dataclasses of NumPy arrays whose columns say what they refer to.

A *table* has rows with dense ids 0..n-1. A column is a NumPy array with one entry per row. A ragged
relation (the operands of an instruction) is an *offsets* column of length n+1 plus the columns of a
named *axis* whose entries `offsets[i]:offsets[i+1]` belong to row i.

The metadata on each column (`column(...)`) tells generic code (serialiser, linker, checker) its dtype,
the table its ids refer to, and its axis. -1 means "none" in every reference column.
"""

from __future__ import annotations

import dataclasses
import weakref
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

U8 = NDArray[np.uint8]
U16 = NDArray[np.uint16]
I32 = NDArray[np.int32]
I64 = NDArray[np.int64]

ROWS = "rows"


@dataclass(frozen=True, slots=True)
class ColumnSpec:
    """What generic code must know of one column."""

    name: str
    dtype: np.dtype[Any]
    refers: str | None  # name of the Program table (or "strings") that the ids index
    axis: str  # ROWS, or the ragged axis that the entries lie on
    offsets_for: str | None  # this column is the offsets array of that axis, or of that table


def column(
    dtype: str,
    *,
    refers: str | None = None,
    axis: str = ROWS,
    offsets_for: str | None = None,
) -> Any:
    """Declare a column of a table dataclass."""
    return dataclasses.field(
        metadata={
            "dtype": np.dtype(dtype),
            "refers": refers,
            "axis": axis,
            "offsets_for": offsets_for,
        }
    )


def column_specs(table: type[Any]) -> tuple[ColumnSpec, ...]:
    """The columns of a table class, in declaration order."""
    return tuple(
        ColumnSpec(
            f.name,
            f.metadata["dtype"],
            f.metadata["refers"],
            f.metadata["axis"],
            f.metadata["offsets_for"],
        )
        for f in dataclasses.fields(table)
        if "dtype" in f.metadata
    )


_lists: dict[int, tuple[weakref.ref[NDArray[Any]], list[int]]] = {}
_numbers: NDArray[Any] = np.array(range(-1, 1 << 10), dtype=object)  # -1, 0, 1, ...


def plain(values: NDArray[Any]) -> list[Any]:
    """A column as a list of ints. Ids become the same objects in all lists: an int of its own takes
    four times as much as the entry that refers to it."""
    global _numbers
    if not len(values) or values.dtype.itemsize == 1 or values.dtype.kind == "b":
        return _as_list(values)  # Python has these numbers once
    lowest, highest = int(values.min()), int(values.max())
    if lowest < -1 or highest > max(len(_numbers) - 2, 2 * len(values)):
        return _as_list(values)  # no ids
    if highest > len(_numbers) - 2:
        more = np.array(range(len(_numbers) - 1, highest + 1), dtype=object)
        _numbers = np.concatenate([_numbers, more])
    return _as_list(_numbers[values.astype(np.int64) + 1])


def _as_list(values: NDArray[Any]) -> list[int]:
    found: list[int] = values.tolist()
    return found


def listed(values: NDArray[Any]) -> list[Any]:
    """The same, and the same list for all who ask, as long as the column lives.

    Phases read single entries, which is slow in arrays. Nobody may change the list. Who asks declares
    what the entries refer to (`ids.py`).
    """
    key = id(values)
    known = _lists.get(key)
    if known is not None and known[0]() is values:
        return known[1]
    made = plain(values)
    _lists[key] = (weakref.ref(values, lambda _: _lists.pop(key, None)), made)
    return made


class Table:
    """Base of all tables: the row count, read off the first plain column."""

    __slots__ = ()

    def __len__(self) -> int:
        for spec in column_specs(type(self)):
            if spec.axis == ROWS and spec.offsets_for is None:
                return len(getattr(self, spec.name))
        raise TypeError(f"{type(self).__name__} has no row column")
