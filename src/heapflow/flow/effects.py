"""Conditions of modelled effects (`when`, "on success") as guards at a call."""

from __future__ import annotations

from typing import Final

from heapflow.guards.guards import FunctionGuards
from heapflow.ir.ids import NO_VALUE, InstrId, ValueId
from heapflow.logic.address import moved
from heapflow.logic.compare import Case
from heapflow.logic.space import Guard
from heapflow.logic.term import Int
from heapflow.models.conditions import PREDICATES, conditions_of
from heapflow.models.model import AccessPath, Arg, Comparison, Effect, Offset, Ret

_POINTER_SIZE: Final = 8


def effect_guard(guards: FunctionGuards, call: InstrId, effect: Effect) -> Guard:
    """The condition under which an effect happens at a call."""
    found = guards.context.space.true
    for comparison in conditions_of(effect):
        found = found & _comparison(guards, call, comparison)
    return found


def _comparison(guards: FunctionGuards, call: InstrId, comparison: Comparison) -> Guard:
    context = guards.context
    value = _value_of(guards, call, comparison.left)
    if value < 0:
        return context.space.true
    found = context.space.false
    for guard, term in _cases(guards, call, value, comparison):
        right = Int(comparison.right)
        holds = context.variables.comparison(PREDICATES[comparison.op], term, right)
        found = found | (guard & holds)
    return found


def _cases(
    guards: FunctionGuards, call: InstrId, value: ValueId, comparison: Comparison
) -> list[Case]:
    """What the left side is: the value, or a pointer that it points to when the call is made."""
    cases = guards.cases(value)
    if not comparison.left.steps:
        return cases
    (step,) = comparison.left.steps
    assert isinstance(step, Offset)
    return [
        (guard & inner, term)
        for guard, address in cases
        for inner, term in guards.memory.read(moved(address, step.bytes), _POINTER_SIZE, call)
    ]


def _value_of(guards: FunctionGuards, call: InstrId, path: AccessPath) -> ValueId:
    """The value that a path begins at; -1 if it is not known what lies behind it."""
    behind_argument = (
        isinstance(path.root, Arg) and len(path.steps) == 1 and isinstance(path.steps[0], Offset)
    )
    if path.steps and not behind_argument:
        return NO_VALUE
    match path.root:
        case Ret():
            return guards.context.code.result[call]
        case Arg(index=index):
            operands = guards.context.code.operands(call)
            return operands[index] if index < len(operands) else NO_VALUE
        case _:
            return NO_VALUE
