"""Whether anything that lives still leads to a block.

In:    a state.     Out: yes or no.
Roots are the values that are still needed in any frame (liveness), the variables of the source as long as
their function runs, local variables in memory, globals, objects of the outer world, and what was given to code
that may keep it. From there on it is plain reachability over what memory holds: lists, trees, tail pointers,
inline buffers and owner fields need no rule of their own.
"""

from __future__ import annotations

from collections.abc import Iterable

from heapflow.replay.aggregates import Aggregate
from heapflow.replay.executor import Executor
from heapflow.replay.externals import held_values
from heapflow.replay.memory import Kind, addresses_in
from heapflow.replay.state import Frame, State
from heapflow.replay.terms import Value

_ALWAYS = (Kind.WORLD, Kind.GLOBAL)


def is_held(executor: Executor, state: State, block: int, result: Iterable[Value] = ()) -> bool:
    """Whether some way leads to the block; `result` is what the outermost function returns."""
    if block in state.kept:
        return True
    found: set[int] = set()
    for value in result:
        addresses_in(executor.settled(state, value), found)
    if block in found:
        return True
    for position in range(len(state.frames) - 1, -1, -1):
        _frame_roots(executor, state, state.frames[position], position, found)
        if block in found:
            return True
    found.update(state.kept)
    for obj in state.objects.values():
        if obj.kind in _ALWAYS:
            found.add(obj.id)
    return _reaches(executor, state, found, block)


def at_the_end(executor: Executor, state: State, block: int, result: Value | None) -> bool:
    """The same when the outermost function returns: its variables are gone."""
    if block in state.kept:
        return True
    found: set[int] = set(state.kept)
    for value in _scalars(result):
        addresses_in(executor.settled(state, value), found)
    for obj in state.objects.values():
        if obj.kind in _ALWAYS:
            found.add(obj.id)
    return block in found or _reaches(executor, state, found, block)


def _reaches(executor: Executor, state: State, found: set[int], block: int) -> bool:
    stack = list(found)
    while stack:
        obj = state.objects.get(stack.pop())
        if obj is None or obj.freed >= 0:
            continue
        inner: set[int] = set()
        for value in held_values(executor, state, obj):
            addresses_in(value, inner)
        if block in inner:
            return True
        stack += inner - found
        found |= inner
    return False


def _frame_roots(
    executor: Executor, state: State, frame: Frame, position: int, found: set[int]
) -> None:
    code = frame.code
    block = code.blocks[frame.block]
    if frame.index == 0:
        live = block.live_in
    else:
        # The caller's call is still being executed; the top frame's last instruction is done.
        done = frame.index if position < len(state.frames) - 1 else frame.index - 1
        live = code.live_after(frame.block, done)
    bits = code.bit
    for name, value in frame.regs.items():
        number = bits.get(name)
        if number is not None and live >> number & 1:
            for one in _scalars(value):
                addresses_in(executor.settled(state, one), found)
    for name in frame.variables.values():
        held = frame.regs.get(name)
        for one in _scalars(held):
            addresses_in(executor.settled(state, one), found)
    found.update(frame.allocas)


def _scalars(value: Value | None) -> Iterable[Value]:
    if value is None:
        return ()
    if isinstance(value, Aggregate):
        return value.parts.values()
    return (value,)
