"""What the program keeps true, required of what an execution made up.

In:    a value that was read or given, what is said of it (`heapflow.invariants`).     Out: the value.
Only unknowns are narrowed: what a path itself wrote is what it is. What holds once an object's maker
has finished is not required of objects that the path makes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from heapflow.invariants.abstract import ANY, NEGATIVE, POSITIVE, ZERO, Abstract
from heapflow.replay.control import Alternative, Choice, Cut
from heapflow.replay.decisions import model_with, require
from heapflow.replay.events import EventKind
from heapflow.replay.memory import Kind
from heapflow.replay.term import Term, Value, mask

if TYPE_CHECKING:
    from heapflow.replay.executor import Executor
    from heapflow.replay.frame import Frame
    from heapflow.replay.instr import Instr
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


def wants_memory(executor: Executor, state: State, instr: Instr) -> bool:
    """Whether an allocation fails in a call that is passed: a choice, where the program says what the
    call returns otherwise."""
    if instr.id not in executor.knowledge.invariants.results or not executor.may_fail:
        return False
    flag = executor.terms.var(f"wants:call{instr.id}.{state.passes.get(instr.id, 0)}", 1)
    known = state.known.get(flag.number)
    if known is not None or state.failed:
        return known == 1
    other = executor.terms.negate(flag)
    assert isinstance(other, Term)
    fails, works = (model_with(executor, state, one) for one in (flag, other))
    assert fails is not None and works is not None
    raise Choice([Alternative(other, works), Alternative(flag, fails, later=True, fails=True)])


def returned(executor: Executor, state: State, frame: Frame, instr: Instr, wants: bool) -> None:
    """What a call gave that was passed, within what the program says; or not, if it wants memory."""
    said = executor.knowledge.invariants.results.get(instr.id)
    value = frame.regs.get(instr.result)
    if said is None or not isinstance(value, Term):
        return
    if not wants:
        keep(executor, state, value, said)
        return
    state.failed += 1
    state.note(EventKind.FAILED, instr.id)
    require(executor, state, executor.terms.negate(_condition(executor, value, said)))


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
