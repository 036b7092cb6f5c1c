"""A function of a library calls functions of the program.

In:    a call of a modelled function, whom it calls with what.     Out: frames, one after the other.
The calls wait in an object of the caller's frame (so that what they are given is held); each is made
when the one before has returned, then control goes on behind the library's function.
"""

from __future__ import annotations

from collections.abc import Sequence

from heapflow.models.model import AccessPath, Arg, Free, Give, Keep, Realloc, Take, Unref
from heapflow.replay.descriptors import is_descriptor
from heapflow.replay.entering import enter_at, forget_written, may_touch
from heapflow.replay.events import EventKind
from heapflow.replay.executor import Cut, Executor
from heapflow.replay.externals import reachable
from heapflow.replay.memory import Kind
from heapflow.replay.places import ModelledCall
from heapflow.replay.releasing import release
from heapflow.replay.state import State
from heapflow.replay.term import Value

_FUNCTION, _LEFT, _WIDTH, _ARGUMENTS = 0, 8, 16, 24  # in the object of calls that wait


def call_back(call: ModelledCall, callee: Value, calls: Sequence[Sequence[Value]]) -> None:
    """The function that `callee` leads to is called with each of these lists of arguments."""
    executor, state, known = call.executor, call.state, call.executor.knowledge
    callee = executor.settled(state, callee)
    if not calls or callee == 0:
        return
    func = known.function_at(callee >> 32) if isinstance(callee, int) else -1
    func = known.meant(func) if func >= 0 else func
    if func < 0:
        values = [value for arguments in calls for value in arguments]
        state.kept = state.kept | reachable(executor, state, values)
    elif not known.has_body(func):
        for arguments in calls:
            _release(call, func, arguments)
    elif _is_wanted(call, func, calls):
        _let_wait(call, func, calls)
    else:
        for number, arguments in enumerate(calls):
            forget_written(executor, state, func, list(arguments), f"{call.name}.back{number}")


def _is_wanted(call: ModelledCall, func: int, calls: Sequence[Sequence[Value]]) -> bool:
    """Whether a function that is called back can get at what is followed."""
    executor, state = call.executor, call.state
    return any(
        executor.watch.wants(executor, state, func, call.instr, list(arguments))
        or (bool(state.tracked) and may_touch(executor, state, func, list(arguments)))
        for arguments in calls
    )


def _release(call: ModelledCall, func: int, arguments: Sequence[Value]) -> None:
    """A function of a library is called back: what is given to it may end."""
    executor, state = call.executor, call.state
    model = executor.knowledge.model(func)
    if model is None:
        state.kept = state.kept | reachable(executor, state, arguments)
        return
    for effect in model.effects:
        match effect:
            case Free(AccessPath(Arg(index), ()), family, deep):
                if not is_descriptor(executor, family) and index <= len(arguments):
                    release(call, arguments[index - 1], family, deep)
            case (
                Unref(AccessPath(Arg(index)))
                | Take(AccessPath(Arg(index)))
                | Keep(AccessPath(Arg(index)))
                | Give(AccessPath(Arg(index)))
                | Free(AccessPath(Arg(index)))
                | Realloc(AccessPath(Arg(index)))
            ):
                given = list(arguments[index - 1 : index])
                state.kept = state.kept | reachable(executor, state, given)
            case _:
                pass


def _let_wait(call: ModelledCall, func: int, calls: Sequence[Sequence[Value]]) -> None:
    executor, state, frame = call.executor, call.state, call.frame
    made = executor.new_object(state, Kind.STACK, "calls", 0, call.instr.id)
    width = max(len(arguments) for arguments in calls)
    memory = executor.memory
    memory.write(made, _FUNCTION, 8, func)
    memory.write(made, _LEFT, 8, len(calls))
    memory.write(made, _WIDTH, 8, width)
    # The next one is the last in the object.
    for number, arguments in enumerate(reversed(calls)):
        for position, value in enumerate(arguments):
            memory.write(made, _ARGUMENTS + 8 * (number * width + position), 8, value)
    frame.allocas.append(made.id)
    frame.calling_back = made.id


def go_on(executor: Executor, state: State) -> bool:
    """Make the next of the calls that wait in the topmost frame; False: there is none any more."""
    frame = state.top()
    waiting = state.own(frame.calling_back)
    memory = executor.memory
    func, left, width = (memory.read(waiting, at, 8) for at in (_FUNCTION, _LEFT, _WIDTH))
    assert isinstance(func, int) and isinstance(left, int) and isinstance(width, int)
    if not left:
        frame.allocas.remove(waiting.id)
        del state.objects[waiting.id]
        frame.calling_back = -1
        return False
    if len(state.frames) >= executor.config.deepest_calls:
        raise Cut("calls")
    arguments: list[Value] = []
    for position in range(width):
        at = _ARGUMENTS + 8 * ((left - 1) * width + position)
        arguments.append(memory.read(waiting, at, 8))
        memory.write(waiting, at, 8, 0)
    memory.write(waiting, _LEFT, 8, left - 1)
    instr = frame.code.blocks[frame.block].instrs[frame.index]
    state.note(EventKind.ENTERED, instr.id, func)
    code = executor.knowledge.code(func)
    for position, parameter in enumerate(code.params[: len(arguments)]):
        bits = executor.types.width(executor.knowledge.value_type[parameter])
        if bits and bits < 64:
            arguments[position] = executor.terms.extract(bits, arguments[position], 0)
    inner = enter_at(executor, state, instr, func, arguments)
    inner.called_back = True
    executor.watch.entered(executor, state, inner)
    return True
