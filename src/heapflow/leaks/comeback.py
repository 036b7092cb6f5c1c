"""A jump back to setjmp, after the object was given to a callee.

    s = read_all(f);  if (setjmp(top) == 0) run(s);      // `run` frees `s`, and may jump
    else status = -1;

On the way of the second return nothing frees `s` in this function, but the jump came out of `run`,
which has it in hand. So a second return loses nothing that the first one gave away. What the function
frees itself after the call is lost by the jump, and reported.
"""

from __future__ import annotations

from heapflow.guards.bdd import Guard
from heapflow.guards.function import FunctionGuards
from heapflow.guards.terms import int_term
from heapflow.ir.kinds import CmpPredicate


def came_back_without(guards: FunctionGuards, given: Guard) -> Guard:
    """Second returns of those setjmps whose first return leads to giving the object away."""
    context, space = guards.context, guards.context.space
    first, last = (context.block_start[guards.func + i] for i in (0, 1))
    found = space.false
    for instr in range(context.instr_start[first], context.instr_start[last]):
        if context.op[instr] not in context.call_ops or not guards.returns_twice(instr):
            continue
        result = context.result[instr]
        zero = context.comparison(CmpPredicate.EQ, ("val", result), int_term(0))
        if result >= 0 and not space.is_false(given & zero):
            found = found | ~zero
    return found
