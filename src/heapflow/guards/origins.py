"""Where pointers come from, and whether two of them lead to the same text.

    if (!strcmp(action, "add")) r = add(auth, user);   if (!strcmp(action, "delete")) …

`add` gets `user`, and may write behind it as far as we know. That this would change `action` needs the
two pointers to lead to the same characters. Pointers of different origin, that is other parameters,
results of other calls and what lies in other places, are taken to lead to different texts.
Assumes that functions with a body do not return what they were given
(docs/unsoundness.md#compared-strings).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from heapflow.guards.codes import OP_ALLOCA, OP_LOAD, OP_PHI, OP_SELECT, VALUE_NULL
from heapflow.guards.places import root_of
from heapflow.guards.terms import Term
from heapflow.ir.kinds import Op

if TYPE_CHECKING:
    from heapflow.guards.context import GuardContext

_THROUGH: Final = frozenset({Op.PHI, Op.GEP, Op.BIT_CAST, Op.ADDR_SPACE_CAST, Op.FREEZE})
_FURTHEST: Final = 12


def are_different(context: GuardContext, one: Term, other: Term) -> bool:
    """Whether texts behind two addresses are not the same, under that assumption."""
    first, second = _of_term(context, one), _of_term(context, other)
    if first is None or second is None:
        return False
    return first[0].isdisjoint(second[1]) and second[0].isdisjoint(first[1])


def origins_of(context: GuardContext, value: int) -> set[object] | None:
    """The parameters, calls and places that a pointer comes from; None if that is not known."""
    found = _origins(context, value)
    return None if found is None else found[1]


def _of_term(context: GuardContext, term: Term) -> tuple[set[object], set[object]] | None:
    value = term[1] if term[0] == "val" else None
    return _origins(context, value) if isinstance(value, int) else None


def _origins(context: GuardContext, value: int) -> tuple[set[object], set[object]] | None:
    """What a pointer comes from, without and with what external functions were given: strchr gives
    back a part of it."""
    direct = set[object]()
    given = _walk(context, [value], direct)
    if given is None:
        return None
    origins = set(direct)
    while given:
        more = _walk(context, given, origins)
        if more is None:
            return None
        given = more
    return direct, origins


def _walk(context: GuardContext, pending: list[int], found: set[object]) -> list[int] | None:
    """Add the origins of pointers; returns what the external functions among them were given."""
    seen, given = set[int](), list[int]()
    while pending:
        value = pending.pop()
        if value in seen:
            continue
        seen.add(value)
        if len(seen) > _FURTHEST or len(found) > _FURTHEST:
            return None
        instr = context.instr_of(value)
        if instr < 0:
            if context.value_kind[value] != VALUE_NULL:
                found.add(value)
            continue
        op, operands = context.op[instr], context.operands(instr)
        if op in _THROUGH:
            pending += operands if op == OP_PHI else operands[:1]
        elif op == OP_SELECT:
            pending += operands[1:]
        elif op == OP_LOAD:
            found.add(root_of(context, operands[0]))
        elif op == OP_ALLOCA:
            found.add(value)
        elif op not in context.call_ops:
            return None
        elif value not in found:
            found.add(value)
            if context.external_callee(instr) >= 0:
                given += [operand for operand in operands[1:] if context.is_pointer(operand)]
    return given
