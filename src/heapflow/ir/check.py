"""Check the guarantees of the program tables (`--check-phases`, tests)."""

from __future__ import annotations

from typing import Any

import numpy as np

from heapflow.ir.kinds import TERMINATORS, FuncFlag, ValueKind
from heapflow.ir.program import TABLES, Program
from heapflow.ir.table import ROWS, column_specs

_TERMINATORS = np.array(sorted(TERMINATORS))
_INDEXED = {
    ValueKind.INSTR: "instrs",
    ValueKind.PARAM: "params",
    ValueKind.FUNCTION: "functions",
    ValueKind.GLOBAL: "globals",
    ValueKind.CONST_EXPR: "const_exprs",
    ValueKind.INLINE_ASM: "strings",
    ValueKind.BYTES: "strings",
    ValueKind.FLOAT: "strings",
    ValueKind.WIDE_INT: "strings",
}


def check_program(program: Program) -> list[str]:
    """What is wrong with the tables; empty if nothing."""
    problems: list[str] = []
    for name in TABLES:
        problems += _check_columns(program, name)
    problems += _check_values(program)
    problems += _check_shape(program)
    return problems


def _check_columns(program: Program, name: str) -> list[str]:
    """Dtypes, lengths, offsets and the range of every reference."""
    table: Any = getattr(program, name)
    problems: list[str] = []
    lengths: dict[str, int] = {ROWS: len(table)}
    for spec in column_specs(type(table)):
        array = getattr(table, spec.name)
        where = f"{name}.{spec.name}"
        if array.dtype != spec.dtype:
            problems.append(f"{where}: dtype {array.dtype}, not {spec.dtype}")
        if spec.offsets_for is not None:
            if len(array) != len(table) + 1 or array[0] != 0 or np.any(np.diff(array) < 0):
                problems.append(f"{where}: not an offsets column")
                continue
            lengths[spec.offsets_for] = int(array[-1])
            if spec.offsets_for in TABLES and array[-1] != len(getattr(program, spec.offsets_for)):
                problems.append(f"{where}: ends at {array[-1]}, not at the end of its table")
            continue
        if len(array) != lengths.get(spec.axis, len(array)):
            problems.append(f"{where}: {len(array)} entries, not {lengths[spec.axis]}")
        if spec.refers is not None and len(array):
            limit = len(getattr(program, spec.refers))
            if array.min() < -1 or array.max() >= limit:
                problems.append(f"{where}: refers outside {spec.refers}")
    return problems


def _check_values(program: Program) -> list[str]:
    problems = []
    for kind, name in _INDEXED.items():
        index = program.values.index[program.values.kind == kind]
        if len(index) and (index.min() < 0 or index.max() >= len(getattr(program, name))):
            problems.append(f"values of kind {kind.name} refer outside {name}")
    results = program.instrs.result
    defined = np.flatnonzero(results >= 0)
    if np.any(program.values.index[results[defined]] != defined):
        problems.append("an instruction's result does not point back at it")
    return problems


def _check_shape(program: Program) -> list[str]:
    problems = []
    starts = program.blocks.instr_start
    if len(program.blocks):
        if np.any(np.diff(starts) < 1):
            problems.append("a block has no instruction")
        elif not np.all(np.isin(program.instrs.op[starts[1:] - 1], _TERMINATORS)):
            problems.append("a block does not end with a terminator")
    per_func = np.diff(program.functions.block_start)
    is_declaration = (program.functions.flags & FuncFlag.DECLARATION) != 0
    if np.any((per_func == 0) != is_declaration):
        problems.append("a function has blocks and is a declaration, or neither")
    for starts, owner in (
        (program.functions.block_start, program.blocks.func),
        (program.functions.param_start, program.params.func),
    ):
        if np.any(owner != np.repeat(np.arange(len(program.functions)), np.diff(starts))):
            problems.append("a block or parameter is listed by another function than its own")
    if len(program.blocks):
        source = np.repeat(program.blocks.func, np.diff(program.blocks.edge_start))
        if np.any(source != program.blocks.func[program.blocks.edge_target]):
            problems.append("an edge leaves its function")
    return problems
