"""Global variables that the program never writes, and what is in them.

Paper: none; what nobody writes has its initial value. A global is written if it, or an address made
from it by a GEP, is used for anything but loads; `const` ones never are.
An external variable without an initialiser (`int n;`) that no file here sets is there to be set by
somebody else: its value is unknown (decision 53).
"""

from __future__ import annotations

import numpy as np

from heapflow.ir.ids import NO_VALUE, ValueId
from heapflow.ir.kinds import GlobalFlag, Op, ValueKind
from heapflow.ir.program import Program


class InitialValues:
    """Values of never-written globals by byte offset."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._never = _never_written(program)
        self._leaves: dict[int, dict[int, ValueId]] = {}

    def value_at(self, index: int, offset: int) -> ValueId | None:
        """The value id that a load sees there; -1 for zero; None if unknown."""
        if index not in self._never:
            return None
        leaves = self._leaves.get(index)
        if leaves is None:
            leaves = self._leaves[index] = self._read(index)
        value = leaves.get(offset)
        if value is not None:
            return value
        # Leaves are the non-zero parts; an offset inside a string is no leaf.
        table, kinds = self._program.globals, self._program.values.kind
        start, end = int(table.init_start[index]), int(table.init_start[index + 1])
        data = (ValueKind.BYTES, ValueKind.OTHER, ValueKind.FLOAT, ValueKind.WIDE_INT)
        if any(kinds[int(table.init_value[row])] in data for row in range(start, end)):
            return None
        return NO_VALUE

    def _read(self, index: int) -> dict[int, ValueId]:
        table = self._program.globals
        start, end = int(table.init_start[index]), int(table.init_start[index + 1])
        offsets: list[int] = table.init_offset[start:end].tolist()
        values: list[ValueId] = table.init_value[start:end].tolist()
        return dict(zip(offsets, values, strict=True))


def _never_written(program: Program) -> frozenset[int]:
    table = program.globals
    written = np.zeros(len(table), dtype=bool)
    owner = _global_of(program)
    for operations in (program.instrs, program.const_exprs):
        row = np.repeat(np.arange(len(operations)), np.diff(operations.operand_start))
        first = np.zeros(len(operations.operand), dtype=bool)
        starts = operations.operand_start[:-1]
        first[starts[np.diff(operations.operand_start) > 0]] = True
        used = owner[operations.operand]
        ops = operations.op[row]
        harmless = first & ((ops == Op.LOAD) | (ops == Op.GEP))
        bad = used[(used >= 0) & ~harmless]
        written[bad] = True
    held = owner[table.init_value]
    written[held[held >= 0]] = True
    skip = GlobalFlag.DECLARATION | GlobalFlag.THREAD_LOCAL | GlobalFlag.DISCARDED
    skip |= GlobalFlag.TENTATIVE
    constant = (table.flags & int(GlobalFlag.CONSTANT)) != 0
    fine = (constant | ~written) & ((table.flags & int(skip)) == 0)
    return frozenset(np.flatnonzero(fine).tolist())


def _global_of(program: Program) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Value -> the global that its address lies in, through GEPs; -1 for all else."""
    values = program.values
    owner = np.where(values.kind == ValueKind.GLOBAL, values.index, -1).astype(np.int64)
    # A GEP's result appears after its base in execution; a few rounds settle nested ones.
    instrs, exprs = program.instrs, program.const_exprs
    geps = np.flatnonzero((instrs.op == Op.GEP) & (instrs.result >= 0))
    gep_base = instrs.operand[instrs.operand_start[geps]]
    gep_result = instrs.result[geps]
    constants = np.flatnonzero(values.kind == ValueKind.CONST_EXPR)
    rows = values.index[constants]
    is_gep = exprs.op[rows] == Op.GEP
    constants, rows = constants[is_gep], rows[is_gep]
    expr_base = exprs.operand[exprs.operand_start[rows]]
    while True:
        before = int((owner >= 0).sum())
        owner[constants] = owner[expr_base]
        owner[gep_result] = owner[gep_base]
        if int((owner >= 0).sum()) == before:
            return owner
