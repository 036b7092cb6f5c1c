"""Put the tables of several units one after the other, ids shifted, strings shared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heapflow.ir.kinds import ValueKind
from heapflow.ir.program import TABLES, Program
from heapflow.ir.table import ColumnSpec, column_specs

# What `Values.index` refers to, by kind (see ValueKind).
INDEXED_BY_KIND = {
    ValueKind.INSTR: "instrs",
    ValueKind.PARAM: "params",
    ValueKind.FUNCTION: "functions",
    ValueKind.GLOBAL: "globals",
    ValueKind.CONST_EXPR: "const_exprs",
    ValueKind.BYTES: "strings",
    ValueKind.FLOAT: "strings",
    ValueKind.WIDE_INT: "strings",
    ValueKind.INLINE_ASM: "strings",
    ValueKind.BLOCK_ADDRESS: "blocks",
}


@dataclass(frozen=True, slots=True)
class Concatenated:
    """Tables whose symbols are not resolved yet."""

    program: Program


def concatenate(programs: Sequence[Program]) -> Concatenated:
    """Tables of all programs; nothing is merged but strings."""
    strings, string_maps = _join_strings(programs)
    starts = {
        name: np.cumsum([0, *(len(getattr(p, name)) for p in programs)]).tolist() for name in TABLES
    }
    tables: dict[str, Any] = {}
    for name, table_type in TABLES.items():
        parts = [getattr(program, name) for program in programs]
        columns = [
            _join_column(spec, [getattr(part, spec.name) for part in parts], starts, string_maps)
            for spec in column_specs(table_type)
        ]
        tables[name] = table_type(*columns)
    values = tables["values"]
    index = _join_value_index(programs, starts, string_maps)
    tables["values"] = type(values)(values.kind, values.type, index, values.number, values.name)
    tables["functions"] = _with_module(tables["functions"], programs, "functions")
    tables["globals"] = _with_module(tables["globals"], programs, "globals")
    unread: Counter[str] = Counter()
    for program in programs:
        unread.update(dict(program.unread))
    return Concatenated(Program(strings=strings, unread=tuple(sorted(unread.items())), **tables))


def _join_strings(
    programs: Sequence[Program],
) -> tuple[tuple[str, ...], list[NDArray[np.int32]]]:
    known: dict[str, int] = {"": 0}
    maps = []
    for program in programs:
        ids = [known.setdefault(text, len(known)) for text in program.strings]
        maps.append(np.array([*ids, -1], dtype=np.int32))  # [-1] stays -1
    return tuple(known), maps


def _join_column(
    spec: ColumnSpec,
    parts: list[NDArray[Any]],
    starts: dict[str, list[int]],
    string_maps: list[NDArray[np.int32]],
) -> NDArray[Any]:
    if not parts:
        return np.zeros(1 if spec.offsets_for else 0, dtype=spec.dtype)
    if spec.offsets_for is not None:
        ends = np.cumsum([0, *(int(part[-1]) for part in parts)])
        shifted = [part[:-1] + end for part, end in zip(parts, ends[:-1], strict=True)]
        return np.concatenate([*shifted, ends[-1:]]).astype(spec.dtype)
    if spec.refers == "strings":
        parts = [ids[part] for part, ids in zip(parts, string_maps, strict=True)]
    elif spec.refers is not None:
        begin = starts[spec.refers]
        parts = [
            np.where(part >= 0, part + start, -1)
            for part, start in zip(parts, begin[:-1], strict=True)
        ]
    return np.concatenate(parts).astype(spec.dtype, copy=False)


def _join_value_index(
    programs: Sequence[Program],
    starts: dict[str, list[int]],
    string_maps: list[NDArray[np.int32]],
) -> NDArray[np.int32]:
    parts = []
    for number, program in enumerate(programs):
        kind, index = program.values.kind, program.values.index.copy()
        for value_kind, name in INDEXED_BY_KIND.items():
            where = np.flatnonzero((kind == value_kind) & (index >= 0))
            if name == "strings":
                index[where] = string_maps[number][index[where]]
            else:
                index[where] += starts[name][number]
        parts.append(index)
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int32)


def _with_module(table: Any, programs: Sequence[Program], name: str) -> Any:
    """Column `module` of a unit is 0 throughout; after joining it is the unit's number."""
    counts = [len(getattr(program, name)) for program in programs]
    module = np.repeat(np.arange(len(programs), dtype=np.int32), counts)
    columns = [
        module if spec.name == "module" else getattr(table, spec.name)
        for spec in column_specs(type(table))
    ]
    return type(table)(*columns)
