"""Where a program's instructions take the addresses of functions.

In:    Program.     Out: instructions, by function.
What initialises a variable is not asked about: a table of functions is there from the start.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from heapflow.ir.kinds import Op, ValueKind
from heapflow.ir.program import Program

_CALLS = np.array([int(Op.CALL), int(Op.INVOKE), int(Op.CALL_BR)])


def taken_in_code(program: Program) -> dict[int, list[int]]:
    """Instructions that use a function otherwise than by calling it, or use a constant that is made of
    it. A declaration that may mean several definitions takes the addresses of these."""
    values, instrs = program.values, program.instrs
    kinds = values.kind[instrs.operand]
    is_meant = (kinds == ValueKind.FUNCTION) | (kinds == ValueKind.CONST_EXPR)
    uses = np.flatnonzero(is_meant & (instrs.operand >= 0))
    rows = np.searchsorted(instrs.operand_start, uses, side="right") - 1
    is_callee = (uses == instrs.operand_start[rows]) & np.isin(instrs.op[rows], _CALLS)
    found: dict[int, list[int]] = {}
    for row, use in zip(rows[~is_callee].tolist(), uses[~is_callee].tolist(), strict=True):
        for func in _named(program, int(instrs.operand[use])):
            found.setdefault(func, []).append(row)
    return found


def _named(program: Program, value: int) -> Iterator[int]:
    """Functions that a value is, or that a constant is made of."""
    values, rows, functions = program.values, program.const_exprs, program.functions
    waiting, seen = [value], {value}
    while waiting:
        one = waiting.pop()
        index = int(values.index[one])
        if values.kind[one] == ValueKind.FUNCTION:
            index = int(functions.aliasee[index]) if functions.aliasee[index] >= 0 else index
            first, last = functions.alternative_start[index], functions.alternative_start[index + 1]
            yield from functions.alternative[first:last].tolist() or [index]
        elif values.kind[one] == ValueKind.CONST_EXPR:
            inner = rows.operand[rows.operand_start[index] : rows.operand_start[index + 1]].tolist()
            waiting += [each for each in inner if each >= 0 and each not in seen]
            seen.update(inner)
