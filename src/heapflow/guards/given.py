"""Whether a call gets a pointer from which it finds a place in memory.

A callee may know an object by other ways than its arguments; that it changes what its caller tests
before and after the call without having got a pointer to it is the exception, and taking it for the
rule makes every second test of a field independent of the first.
    e = l->next ? join(l) : l->word;   r = lookup(e);   if (l->next) free(e);
Not modelled: just that (docs/unsoundness.md#flags-in-memory).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from heapflow.guards.places import place_of, root_of
from heapflow.guards.terms import Term
from heapflow.ir.kinds import Op

if TYPE_CHECKING:
    from heapflow.guards.context import GuardContext

_DEEPEST = 4


def is_given(context: GuardContext, passed: Term, base: Term) -> bool:
    """Whether a pointer is a base, or leads to it through memory."""
    for _ in range(_DEEPEST):
        if _is_same(context, passed, base, _DEEPEST):
            return True
        if base[0] != "load" or not isinstance(base[1], tuple):
            return False
        base, _ = place_of(base[1])
    return True


def _is_same(context: GuardContext, pointer: Term, base: Term, depth: int) -> bool:
    if pointer == base:
        return True
    value = pointer[1] if pointer[0] == "val" else None
    instr = context.instr_of(value) if isinstance(value, int) else -1
    if instr < 0 or depth == 0:
        return False
    operands = context.operands(instr)
    if context.op[instr] == Op.LOAD:
        if base[0] != "load" or not isinstance(base[1], tuple):
            return False
        root, offset = root_of(context, operands[0])
        other, start = place_of(base[1])
        return offset == start and _is_same(context, root, other, depth - 1)
    if context.op[instr] in (Op.PHI, Op.SELECT):
        chosen = operands[1:] if context.op[instr] == Op.SELECT else operands
        roots = {root_of(context, operand)[0] for operand in chosen}
        return any(_is_same(context, root, base, depth - 1) for root in roots)
    return False
