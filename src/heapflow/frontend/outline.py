"""Turn definitions into declarations: take the bodies of some functions out of the tables.

In:    Program, functions.     Out: Program, in which these are external as if they lay in a library.
Guarantees (`ir.check.check_program`): as after linking. Functions are renumbered, since those with
bodies come first. A name that may mean several functions, none of them with a body, lists none.
Variables that the bodies may write to are external as well: nobody shall think that they are not set.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heapflow.frontend.concat import INDEXED_BY_KIND
from heapflow.frontend.renumber import take_rows
from heapflow.ir.kinds import FuncFlag, GlobalFlag, Op, ValueKind
from heapflow.ir.program import TABLES, Functions, Globals, Program, Values
from heapflow.ir.table import I64, column_specs

_DECLARATION = int(FuncFlag.DECLARATION)
_Flags = NDArray[np.bool_]


def without_bodies(program: Program, funcs: Collection[int]) -> Program:
    """The program in which some functions are only declared."""
    if not funcs:
        return program
    gone = np.isin(np.arange(len(program.functions)), list(funcs))
    kept = _kept_rows(program, gone)
    new_id = {name: _inverse(rows, len(getattr(program, name))) for name, rows in kept.items()}
    program = replace(
        program,
        functions=_declared(program.functions, gone),
        globals=_with_external(program.globals, _written(program, funcs)),
    )
    tables: dict[str, Any] = {}
    for name, table_type in TABLES.items():
        table = getattr(program, name)
        table = take_rows(table, kept[name]) if name in kept else table
        columns = []
        for spec in column_specs(table_type):
            array = getattr(table, spec.name)
            if spec.refers in new_id:
                array = new_id[spec.refers][array].astype(spec.dtype)
            columns.append(array)
        tables[name] = table_type(*columns)
    tables["values"] = _renumbered(tables["values"], new_id)
    return Program(strings=program.strings, unread=program.unread, **tables)


def _kept_rows(program: Program, gone: _Flags) -> dict[str, I64]:
    """Old ids of what stays, in new order, of the tables from which something goes."""
    gone = np.append(gone, False)  # index -1: of no function
    blocks, params = gone[program.blocks.func], gone[program.params.func]
    instrs, variables = blocks[program.instrs.block], gone[program.variables.func]
    bindings = np.append(instrs, False)[program.bindings.instr]
    bindings |= np.append(variables, False)[program.bindings.variable]
    values = np.zeros(len(program.values), dtype=bool)
    for kind, bodies in ((ValueKind.INSTR, instrs), (ValueKind.PARAM, params)):
        where = np.flatnonzero(program.values.kind == kind)
        values[where] = bodies[program.values.index[where]]
    declared = (program.functions.flags & _DECLARATION) != 0
    removed = {
        "params": params,
        "blocks": blocks,
        "instrs": instrs,
        "variables": variables,
        "bindings": bindings,
        "values": values,
    }
    kept = {name: np.flatnonzero(~rows) for name, rows in removed.items()}
    kept["functions"] = np.argsort(declared | gone[:-1], kind="stable")
    return kept


def _inverse(rows: I64, count: int) -> I64:
    """Old id -> new id; -1 for what is gone, and at index -1."""
    ids = np.full(count + 1, -1, dtype=np.int64)
    ids[rows] = np.arange(len(rows))
    return ids


def _declared(functions: Functions, gone: _Flags) -> Functions:
    """The table with some functions as declarations, still in the old order."""
    counts = np.diff(functions.alternative_start)
    owner = np.repeat(np.arange(len(functions)), counts)
    lists = np.isin(np.arange(len(functions)), owner[~gone[functions.alternative]])
    return replace(
        functions,
        flags=np.where(gone, functions.flags | _DECLARATION, functions.flags),
        block_start=_offsets(np.diff(functions.block_start) * ~gone),
        param_start=_offsets(np.diff(functions.param_start) * ~gone),
        alternative_start=_offsets(counts * lists),
        alternative=functions.alternative[lists[owner]],
    )


def _offsets(counts: I64) -> I64:
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def _written(program: Program, funcs: Collection[int]) -> set[int]:
    """Global variables that bodies do more with than to load them."""
    pending: list[int] = []
    for func in funcs:
        for instr in program.instr_range(func):
            if program.instrs.op[instr] != Op.LOAD:
                pending += program.operands(instr)
    found: set[int] = set()
    kinds, exprs = program.values.kind, program.const_exprs
    while pending:
        value = pending.pop()
        if value < 0:
            continue
        index = int(program.values.index[value])
        if kinds[value] == ValueKind.GLOBAL:
            found.add(index)
        elif kinds[value] == ValueKind.CONST_EXPR:
            start, end = exprs.operand_start[index], exprs.operand_start[index + 1]
            pending += exprs.operand[start:end].tolist()
    return found


def _with_external(table: Globals, variables: set[int]) -> Globals:
    flags = table.flags.copy()
    for variable in variables:
        if not flags[variable] & GlobalFlag.CONSTANT:
            flags[variable] |= GlobalFlag.DECLARATION
    return replace(table, flags=flags)


def _renumbered(values: Values, new_id: dict[str, I64]) -> Values:
    """Values of what was renumbered; the address of a block that is gone is no block's any more."""
    kind, index = values.kind.copy(), values.index.copy()
    for of_kind, table in INDEXED_BY_KIND.items():
        if table in new_id:
            where = np.flatnonzero(values.kind == of_kind)
            index[where] = new_id[table][values.index[where]]
    kind[(kind == ValueKind.BLOCK_ADDRESS) & (index < 0)] = ValueKind.OTHER
    return replace(values, kind=kind, index=index)
