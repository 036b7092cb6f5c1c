"""Calls that return twice: setjmp, under whatever name."""

from __future__ import annotations

import numpy as np

from heapflow.ir.kinds import CALLS, CallFlag, FuncFlag, ValueKind
from heapflow.ir.program import Program


def returning_twice(program: Program) -> frozenset[int]:
    """Calls to which a jump may come back: the call says so, or the function that it names."""
    instrs, values = program.instrs, program.values
    calls = np.flatnonzero(np.isin(instrs.op, sorted(CALLS)))
    callee = instrs.operand[instrs.operand_start[calls]]
    named = values.kind[callee] == ValueKind.FUNCTION
    func = np.where(named, values.index[callee], 0)
    twice = (instrs.aux[calls] & int(CallFlag.RETURNS_TWICE)) != 0
    if len(program.functions):
        flags = program.functions.flags[func]
        twice |= named & ((flags & int(FuncFlag.RETURNS_TWICE)) != 0)
    return frozenset(calls[twice].tolist())
