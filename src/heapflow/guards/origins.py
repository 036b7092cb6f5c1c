"""Where pointers come from: parameters, results of calls, places in memory.

Assumes that functions with a body do not return what they were given
(docs/unsoundness.md#flags-in-memory).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from heapflow.guards.places import root_of
from heapflow.ir.codes import OP_ALLOCA, OP_LOAD, OP_PHI, OP_SELECT, VALUE_NULL
from heapflow.ir.ids import ValueId
from heapflow.ir.kinds import COPIES, Op

if TYPE_CHECKING:
    from heapflow.guards.context import GuardContext

_THROUGH: Final = COPIES | {Op.PHI, Op.GEP}


def origins_of(context: GuardContext, value: ValueId) -> set[object] | None:
    """The parameters, calls and places that a pointer comes from; None if that is not known.

    What external functions were given counts, too: strchr gives back a part of it.
    """
    origins = set[object]()
    pending: list[int] | None = [value]
    while pending:
        pending = _walk(context, pending, origins)
    return None if pending is None else origins


def _walk(context: GuardContext, pending: list[int], found: set[object]) -> list[int] | None:
    """Add the origins of pointers; returns what the external functions among them were given."""
    code, seen, given = context.code, set[int](), list[int]()
    while pending:
        value = pending.pop()
        if value in seen:
            continue
        seen.add(value)
        if max(len(seen), len(found)) > context.limits.farthest_origin:
            context.limits_hit["origins of a pointer"] += 1
            return None
        instr = code.instr_of(value)
        if instr < 0:
            if code.value_kind[value] != VALUE_NULL:
                found.add(value)
            continue
        op, operands = code.op[instr], code.operands(instr)
        if op in _THROUGH:
            pending += operands if op == OP_PHI else operands[:1]
        elif op == OP_SELECT:
            pending += operands[1:]
        elif op == OP_LOAD:
            found.add(root_of(context, operands[0]))
        elif op == OP_ALLOCA:
            found.add(value)
        elif op not in code.call_ops:
            return None
        elif value not in found:
            found.add(value)
            if code.external_callee(instr) >= 0:
                given += [operand for operand in operands[1:] if code.is_pointer(operand)]
    return given
