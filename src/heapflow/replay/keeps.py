"""What the program keeps true, required of what an execution made up.

In:    a value that was read or given, what is said of it (`heapflow.invariants`).     Out: the value.
Only unknowns are narrowed: what a path itself wrote is what it is. What holds once an object's maker
has finished is not required of objects that the path makes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from heapflow.invariants.abstract import ANY, NEGATIVE, POSITIVE, ZERO, Abstract
from heapflow.replay.control import Cut
from heapflow.replay.decisions import require
from heapflow.replay.memory import Kind
from heapflow.replay.term import Term, Value, mask

if TYPE_CHECKING:
    from heapflow.replay.executor import Executor
    from heapflow.replay.state import State

_OTHERS = (Kind.WORLD, Kind.GLOBAL)


def kept(executor: Executor, state: State, instr: int, address: Value, value: Term) -> Value:
    """What a load gave, within what the program keeps true of the member that it reads."""
    invariants = executor.knowledge.invariants
    said = invariants.loads.get(instr)
    if said is None or value.number not in executor.memory.origins:
        return value
    if instr in invariants.after_making:
        address = executor.settled(state, address)
        obj = state.objects.get(address >> 32) if isinstance(address, int) else None
        if obj is None or obj.kind not in _OTHERS:
            return value
    keep(executor, state, value, said)
    return executor.settled(state, value)


def keep(executor: Executor, state: State, value: Term, said: Abstract) -> None:
    """Require what is said of an unknown; where that takes too long, it is left open."""
    try:
        require(executor, state, _condition(executor, value, said))
    except Cut as cut:
        executor.left_out.add(cut.bound)


def _condition(executor: Executor, value: Term, said: Abstract) -> Value:
    terms, width = executor.terms, value.width
    if isinstance(said, frozenset):
        one: Value = 0
        for number in sorted(said):
            one = terms.binary("or", 1, one, terms.eq(width, value, number & mask(width)))
        return one
    is_zero = terms.eq(width, value, 0)
    is_pointer = value.number in executor.pointers
    if said == ANY & ~ZERO or (is_pointer and said == POSITIVE):
        return terms.negate(is_zero)
    if is_pointer:
        return is_zero if said == ZERO else 1
    is_negative = terms.slt(width, value, 0)
    match said:
        case 4:  # positive
            return terms.slt(width, 0, value)
        case 6:  # not negative
            return terms.negate(is_negative)
        case 1:
            return is_negative
        case 3:
            return terms.negate(terms.slt(width, 0, value))
        case _:
            return 1 if said & (NEGATIVE | POSITIVE) else is_zero
