"""Descriptors: resources that a program knows by a number.

In:    models of kind `descriptor`.     Out: objects with a number; who holds that number.
A new descriptor gets a number that nothing else on the path has by chance, above those of the
standard streams and below FD_SETSIZE. Whoever has the number has the descriptor: a variable, a cell of
memory, an argument of code that is not known; who has the number beside it (`return fd + 1`), too. On
a path that closed a standard stream, the next descriptor takes its place, as POSIX says; nobody has to
close it. One to which nobody gives a name (`dup(fd);`) is meant to do that, wherever it was closed.
Not modelled: other numbers that are computed from others (`~fd`), F_DUPFD.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from heapflow.ir.kinds import Op
from heapflow.models.model import ResourceKind
from heapflow.replay.code import Code
from heapflow.replay.decisions import settle
from heapflow.replay.facts import parts_of
from heapflow.replay.memory import Object
from heapflow.replay.state import State
from heapflow.replay.term import Value

if TYPE_CHECKING:
    from heapflow.replay.executor import Executor

_FIRST: Final = 211
_STEP: Final = 13
_STANDARD: Final = 3
_CLOSED: Final = "closed standard streams"  # in `State.tables`: a set of bits


def is_descriptor(executor: Executor, family: str) -> bool:
    """Whether members of a family are numbers."""
    known = executor.knowledge.models.families.get(family)
    return known is not None and known.kind is ResourceKind.DESCRIPTOR


def is_lock(executor: Executor, obj: Object) -> bool:
    """Whether an object stands for something that is held, and its number is an address."""
    known = executor.knowledge.models.families.get(obj.family) if obj.number else None
    return known is not None and known.kind is ResourceKind.LOCK


def locks_in(executor: Executor, state: State, objects: set[int]) -> set[int]:
    """Locks that are held and lie in some objects."""
    return {
        one.id
        for one in state.objects.values()
        if one.freed < 0 and one.number >> 32 in objects and is_lock(executor, one)
    }


def next_number(state: State) -> int:
    """The number of the descriptor that is made next."""
    closed = state.tables.get(_CLOSED, 0)
    if closed:
        return (closed & -closed).bit_length() - 1
    return _FIRST + _STEP * sum(obj.number > 0 for obj in state.objects.values())


def is_new_number(state: State, number: int) -> bool:
    """Whether it is the number of a descriptor that was made on the path, and that code which is not
    given did not get: no number from elsewhere is the same, as that one would be in use."""
    if number < _FIRST or (number - _FIRST) % _STEP:
        return False
    return any(
        obj.number == number and obj.freed < 0 and obj.id not in state.kept
        for obj in state.objects.values()
    )


def failed_number(width: int) -> int:
    """What is returned instead: -1."""
    return (1 << width) - 1


def take_number(state: State, made: Object) -> None:
    """Give a new descriptor its number. One in the place of a standard stream is not looked for."""
    number = next_number(state)
    if number < _STANDARD:
        state.tables = {**state.tables, _CLOSED: state.tables[_CLOSED] & ~(1 << number)}
        state.kept = state.kept | {made.id}
    made.number = number


def close_number(executor: Executor, state: State, number: Value, instr: int) -> None:
    """A descriptor is closed; which one was chosen before, where the number is not known."""
    if not isinstance(number, int) and descriptors_in(state, [number]):
        number = settle(executor, state, number)
    if not isinstance(number, int):
        return
    has_closed(state, number)
    if not number:
        return  # what has no number has 0; one in the place of a standard stream is not looked for
    for obj in list(state.objects.values()):
        if obj.number == number and obj.freed < 0:
            executor.release(state, obj, instr)


def descriptors_in(state: State, values: Iterable[Value]) -> set[int]:
    """Descriptors whose numbers are among some values, or in their parts."""
    open_ones = {
        obj.number: obj.id for obj in state.objects.values() if obj.number and obj.freed < 0
    }
    if not open_ones:
        return set()
    return {open_ones[number] for number in parts_of(values) if number in open_ones}


def has_number(values: Iterable[Value], number: int) -> bool:
    """Whether a number, or one beside it, is among some values, or among the parts of one that is not
    settled. Numbers of descriptors are far apart."""
    return any(abs(one - number) <= 1 for one in parts_of(values))


def result_of(code: Code, call: int) -> int:
    """The name of what a call returns; -1: nothing."""
    instrs = (instr for block in code.blocks.values() for instr in block.instrs)
    return next((instr.result for instr in instrs if instr.id == call), -1)


def is_nameless(code: Code, call: int) -> bool:
    """Whether what a call returns is compared at most: its number is all that it is made for."""
    result = result_of(code, call)
    for block in code.blocks.values():
        for user in (*block.phis, *block.instrs):
            if any(name == result for _, name in user.bindings):
                return False
            if result in user.operands and user.op != Op.ICMP:
                return False
    return True


def has_closed(state: State, number: Value) -> None:
    """A standard stream is not open: the next descriptor takes its place."""
    if isinstance(number, int) and number < _STANDARD:
        closed = state.tables.get(_CLOSED, 0) | 1 << number
        state.tables = {**state.tables, _CLOSED: closed}


def is_closed(state: State, number: Value) -> bool:
    """Whether a number is that of a standard stream which is not open on this path."""
    closed = state.tables.get(_CLOSED, 0)
    return isinstance(number, int) and 0 <= number < _STANDARD and bool(closed >> number & 1)
