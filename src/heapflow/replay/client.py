"""Calls that a client of the code would make one after the other, executed as one path.

In:    a script: functions, and which of their arguments are the same thing.     Out: frames.
The client is the outermost frame that nobody has written: when a function that it called returns,
the next one begins. What it gave or got before it still has; all other arguments are unknowns.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from heapflow.ir.kinds import ParamFlag
from heapflow.ownership.ownership import Laid, Target
from heapflow.replay.addresses import load_at
from heapflow.replay.aggregates import Aggregate
from heapflow.replay.code import Code
from heapflow.replay.events import EventKind
from heapflow.replay.frame import Frame
from heapflow.replay.memory import Kind, addresses_in
from heapflow.replay.state import State
from heapflow.replay.term import Value

if TYPE_CHECKING:
    from heapflow.replay.executor import Executor

_OWN_SPACE = ParamFlag.BY_VALUE | ParamFlag.STRUCT_RETURN
RESULT = -1


@dataclass(frozen=True, slots=True)
class Given:
    """Something that the client has: an argument or the result of an earlier call, or what lies
    behind it."""

    call: int
    position: int  # of the argument; RESULT
    path: tuple[int, ...] = ()  # loads that lead on from it, by offset


@dataclass(frozen=True, slots=True)
class ClientCall:
    """One call. Arguments that are not named are unknowns of their own."""

    func: int
    arguments: tuple[tuple[int, Given], ...] = ()


def begin_call(executor: Executor, state: State, number: int, call: ClientCall) -> Frame:
    """The client's next call; a choice comes before anything has changed."""
    code = executor.knowledge.code(call.func)
    given = {position: _given(executor, state, one) for position, one in call.arguments}
    if state.frames:
        _leave(state)
    frame = state.push(code)
    state.stage = number
    for position, parameter in enumerate(code.params):
        value = given.get(position)
        if value is None:
            value = fresh_argument(executor, state, code, position, number)
        frame.regs[parameter] = value
    arguments = tuple(frame.regs[parameter] for parameter in code.params)
    state.client = (*state.client, (*arguments, 0))
    state.note(EventKind.STARTED, code.blocks[code.entry].instrs[0].id, call.func)
    return frame


def fresh_argument(
    executor: Executor, state: State, code: Code, position: int, number: int = 0
) -> Value:
    """An argument of which nothing is known but its type."""
    type_id = executor.knowledge.value_type[code.params[position]]
    width = executor.types.width(type_id) or 64
    name = f"argument{position}" if number == 0 else f"further{number}.{position}"
    if code.param_flags[position] & _OWN_SPACE:
        made = state.make(Kind.WORLD, f"*{name}")
        made.size = executor.types.size[code.param_pointees[position]]
        return made.base
    return executor.unknown(name, width, executor.types.is_pointer(type_id))


def lay_block(executor: Executor, state: State, laid: Laid, made_by: int) -> None:
    """Put a block into what the first call gets: an earlier call that is not executed left it there."""
    frame, position = state.frames[-1], laid.position
    owner = state.make(Kind.WORLD, f"*argument{position}")
    owner.size = laid.size
    block = executor.new_object(state, Kind.HEAP, "laid", -1, made_by)
    block.ground = owner.ground
    targets = {Target.NOTHING: 0, Target.BLOCK: block.base, Target.OWNER: owner.base}
    for cell in laid.cells:
        inner = cell.inner if cell.leads_to is not Target.NOTHING else 0
        holder = block if cell.in_block else owner
        executor.memory.write(holder, cell.offset, 8, targets[cell.leads_to] + inner)
    frame.regs[frame.code.params[position]] = owner.base
    arguments = list(state.client[-1])
    arguments[position] = owner.base
    state.client = (*state.client[:-1], tuple(arguments))
    state.tracked = frozenset((block.id,))
    state.note(EventKind.ALLOCATED, made_by, block.id)


def take_result(executor: Executor, state: State, value: Value | None) -> None:
    """The client gets what a call returns, and has it from then on."""
    if value is None:
        return
    found: set[int] = set()
    for one in value.parts.values() if isinstance(value, Aggregate) else (value,):
        addresses_in(executor.settled(state, one), found)
    state.kept = state.kept | found
    plain = 0 if isinstance(value, Aggregate) else value
    state.client = (*state.client[:-1], (*state.client[-1][:-1], plain))


def _given(executor: Executor, state: State, one: Given) -> Value:
    value = executor.settled(state, state.client[one.call][one.position])
    for offset in one.path:
        address = executor.terms.add(64, value, offset)
        value = load_at(executor, state, address, 64, True)
    return value


def _leave(state: State) -> None:
    """The call before is over: its variables are gone."""
    frame = state.frames.pop()
    for ident in frame.allocas:
        state.objects.pop(ident, None)
    state.holder = -1
