"""Merge rows: keep one row per class of equal rows and rewrite every reference."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heapflow.frontend.concat import INDEXED_BY_KIND
from heapflow.ir.kinds import FuncFlag, GlobalFlag
from heapflow.ir.program import TABLES, Program
from heapflow.ir.table import ROWS, column_specs

I64Array = NDArray[np.int64]
# Columns that say which function a row is a part of, whatever the name of that function means.
_PARTS = frozenset({("blocks", "func"), ("params", "func"), ("variables", "func")})


@dataclass(frozen=True, slots=True)
class RowMap:
    """`rows`: which old rows remain, in new order. `new_id`: old id -> new id of what it means.

    A row may remain and yet mean another one: a definition that lost against that.
    """

    rows: I64Array
    new_id: I64Array
    flags: dict[int, int] = field(default_factory=dict)  # new id -> flags to add
    # New id -> new ids that a reference may mean; such a row is a declaration.
    alternatives: dict[int, tuple[int, ...]] = field(default_factory=dict)

    def own_id(self) -> I64Array:
        """Old id -> new id of the row itself, where it remains."""
        own = self.new_id.copy()
        own[self.rows] = np.arange(len(self.rows))
        return own


@dataclass(frozen=True, slots=True)
class Renumbering:
    """The maps of the four tables whose rows merge."""

    types: RowMap
    ctypes: RowMap
    functions: RowMap
    globals: RowMap

    def of(self, table: str) -> RowMap | None:
        found = getattr(self, table) if table in self.__slots__ else None
        return found if isinstance(found, RowMap) else None


def apply_renumbering(program: Program, renumbering: Renumbering) -> Program:
    """The program with merged rows."""
    tables: dict[str, Any] = {}
    for name, table_type in TABLES.items():
        table = getattr(program, name)
        row_map = renumbering.of(name)
        if row_map is not None:
            table = take_rows(table, row_map.rows)
        columns = []
        for spec in column_specs(table_type):
            array = getattr(table, spec.name)
            target = renumbering.of(spec.refers) if spec.refers else None
            if target is not None and len(array) and len(target.new_id):
                new_id = target.own_id() if (name, spec.name) in _PARTS else target.new_id
                array = np.where(array >= 0, new_id[array], -1).astype(spec.dtype, copy=False)
            columns.append(array)
        tables[name] = table_type(*columns)
    tables["values"] = _renumber_values(tables["values"], renumbering)
    tables["functions"] = _finish_symbols(
        tables["functions"], renumbering.functions, int(FuncFlag.DECLARATION)
    )
    tables["globals"] = _finish_symbols(
        tables["globals"], renumbering.globals, int(GlobalFlag.DECLARATION)
    )
    return Program(strings=program.strings, unread=program.unread, **tables)


def take_rows(table: Any, rows: I64Array) -> Any:
    """The table with only these rows, in this order; ragged columns follow."""
    specs = column_specs(type(table))
    picks: dict[str, I64Array] = {ROWS: rows}
    starts: dict[str, I64Array] = {}
    for spec in specs:
        if spec.offsets_for is None:
            continue
        start = getattr(table, spec.name)
        counts = (start[1:] - start[:-1])[rows]
        new_start = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        starts[spec.name] = new_start
        if spec.offsets_for not in TABLES:
            shift = np.repeat(start[:-1][rows] - new_start[:-1], counts)
            picks[spec.offsets_for] = np.arange(new_start[-1]) + shift
    columns = [
        starts[spec.name] if spec.name in starts else getattr(table, spec.name)[picks[spec.axis]]
        for spec in specs
    ]
    return type(table)(*columns)


def _renumber_values(values: Any, renumbering: Renumbering) -> Any:
    index = values.index.copy()
    for kind, name in INDEXED_BY_KIND.items():
        row_map = renumbering.of(name)
        if row_map is not None:
            where = np.flatnonzero((values.kind == kind) & (index >= 0))
            index[where] = row_map.new_id[index[where]]
    return type(values)(values.kind, values.type, index, values.number, values.name)


def _finish_symbols(table: Any, row_map: RowMap, declaration: int) -> Any:
    """Add flags and lists of alternatives."""
    flags = table.flags.copy()
    for row, added in row_map.flags.items():
        flags[row] |= added
    counts = np.zeros(len(flags), dtype=np.int64)
    listed: list[int] = []
    for row in sorted(row_map.alternatives):
        counts[row] = len(row_map.alternatives[row])
        listed.extend(row_map.alternatives[row])
        flags[row] |= declaration
    changed = {
        "flags": flags,
        "alternative_start": np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        "alternative": np.array(listed, dtype=np.int32),
    }
    columns = [
        changed.get(spec.name, getattr(table, spec.name)) for spec in column_specs(type(table))
    ]
    return type(table)(*columns)
