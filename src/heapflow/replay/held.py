"""Whether anything that lives still leads to a block.

In:    a state.     Out: yes or no.
Roots are the values that are still needed in any frame (liveness), the variables of the source as long as
their function runs, local variables in memory, globals, objects of the outer world, and what was given to code
that may keep it. From there on it is plain reachability over what memory holds: lists, trees, tail pointers,
inline buffers and owner fields need no rule of their own.
What held a block the last time is asked first: mostly it still does.
"""

from __future__ import annotations

from collections.abc import Iterable

from heapflow.replay.aggregates import Aggregate
from heapflow.replay.executor import Executor
from heapflow.replay.externals import held_values
from heapflow.replay.memory import SMALLEST_ADDRESS, Kind, addresses_in
from heapflow.replay.state import Frame, State
from heapflow.replay.terms import Value

_ALWAYS = (Kind.WORLD, Kind.GLOBAL)


def is_held(executor: Executor, state: State, block: int) -> bool:
    """Whether some way leads to the block."""
    if block in state.kept or _still(state, block):
        return True
    found: set[int] = set()
    for position in range(len(state.frames) - 1, -1, -1):
        frame = state.frames[position]
        for name, value in live_values(state, frame, position):
            if isinstance(value, int):
                if value >= SMALLEST_ADDRESS:
                    if value >> 32 == block:
                        state.hint = (frame.number, name)
                        return True
                    found.add(value >> 32)
                continue
            for one in _scalars(value):
                addresses_in(executor.settled(state, one), found)
        found.update(frame.allocas)
        if block in found:
            return True
    return _reaches(executor, state, _with_roots(state, found), block)


def at_the_end(executor: Executor, state: State, block: int, result: Value | None) -> bool:
    """The same when the outermost function returns: its variables are gone."""
    if block in state.kept:
        return True
    found: set[int] = set()
    for value in _scalars(result):
        addresses_in(executor.settled(state, value), found)
    return _reaches(executor, state, _with_roots(state, found), block)


def _with_roots(state: State, found: set[int]) -> set[int]:
    found.update(state.kept)
    found.update(obj.id for obj in state.objects.values() if obj.kind in _ALWAYS)
    return found


def _still(state: State, block: int) -> bool:
    """Whether the name that held the block the last time still does, and is needed."""
    number, name = state.hint
    for position, frame in enumerate(state.frames):
        if frame.number != number:
            continue
        value = frame.regs.get(name)
        if not isinstance(value, int) or value >> 32 != block:
            return False
        if name in frame.variables.values():
            return True
        bit = frame.code.bit.get(name)
        return bit is not None and bool(_live(state, frame, position) >> bit & 1)
    return False


def _live(state: State, frame: Frame, position: int) -> int:
    if frame.index == 0:
        return frame.code.blocks[frame.block].live_start
    # The caller's call is still being executed; the top frame's last instruction is done.
    done = frame.index if position < len(state.frames) - 1 else frame.index - 1
    return frame.code.live_after(frame.block, done)


def live_values(state: State, frame: Frame, position: int) -> Iterable[tuple[int, Value]]:
    """Names and values that a frame still needs, and those of its source variables."""
    live = _live(state, frame, position)
    bits = frame.code.bit
    named = frame.variables.values()
    for name, value in frame.regs.items():
        if type(value) is int and value < SMALLEST_ADDRESS:
            continue
        number = bits.get(name)
        if (number is not None and live >> number & 1) or name in named:
            yield name, value


def all_live_values(state: State, frame: Frame, position: int) -> Iterable[tuple[int, Value]]:
    """The same with numbers that are no addresses, in the order of the names."""
    live = _live(state, frame, position)
    bits = frame.code.bit
    for name in sorted(frame.regs):
        number = bits.get(name)
        if number is not None and live >> number & 1:
            yield name, frame.regs[name]


def _reaches(executor: Executor, state: State, found: set[int], block: int) -> bool:
    if block in found:
        return True
    stack = list(found)
    while stack:
        obj = state.objects.get(stack.pop())
        if obj is None or obj.freed >= 0 or not (obj.cells or obj.layers):
            continue
        inner: set[int] = set()
        for value in held_values(executor, state, obj):
            addresses_in(value, inner)
        if block in inner:
            return True
        stack += inner - found
        found |= inner
    return False


def _scalars(value: Value | None) -> Iterable[Value]:
    if value is None:
        return ()
    if isinstance(value, Aggregate):
        return value.parts.values()
    return (value,)
