"""Loops are passed in a search: see `loops`."""

from __future__ import annotations

from collections.abc import Mapping

from heapflow.replay.answers import changed
from heapflow.replay.descriptors import locks_in
from heapflow.replay.entering import forget_footprint
from heapflow.replay.executor import Executor
from heapflow.replay.externals import numbers_among, reachable, result_name
from heapflow.replay.frame import Frame
from heapflow.replay.loops import Loop, only_looks
from heapflow.replay.state import State
from heapflow.replay.term import Value


def pass_loop(
    executor: Executor, state: State, frame: Frame, loop: Loop, kept: Mapping[int, Value]
) -> None:
    """Where a turn begins: any number of turns may have been. `kept` are φs that stay as they are."""
    name = result_name(executor, state, loop.key)
    arguments = [executor.value(state, frame, value) for value in loop.given]
    changed(state, sorted(loop.touches.changes))
    forget_footprint(executor, state, loop.footprint, loop.touches.globals, arguments, name)
    types = executor.types
    for number, phi in enumerate(frame.code.blocks[frame.block].phis):
        if phi.result not in kept:
            is_pointer = types.is_pointer(phi.type)
            frame.regs[phi.result] = executor.unknown(f"{name}.{number}", phi.width, is_pointer)
    frame.skipped = {**frame.skipped, frame.block: frozenset(kept.items())}


def leading_to_blocks(
    executor: Executor, state: State, frame: Frame, loop: Loop
) -> dict[int, Value] | None:
    """The φs of a loop's first block that lead to tracked blocks; None: the loop may do something with
    these."""
    others: list[Value] = []
    leading: dict[int, Value] = {}
    for value in loop.given:
        now = executor.settled(state, executor.value(state, frame, value))
        if isinstance(now, int) and now >> 32 in state.tracked:
            if not only_looks(executor.knowledge, loop, value):
                return None
            leading[value] = now
        else:
            others.append(now)
    named = state.objects.keys() & loop.touches.globals
    found = reachable(executor, state, others, named)
    if not state.tracked.isdisjoint(found):
        return None
    if not state.tracked.isdisjoint(numbers_among(executor, state, others, found)):
        return None
    if not state.tracked.isdisjoint(locks_in(executor, state, found)):
        return None
    phis = {phi.result for phi in frame.code.blocks[frame.block].phis}
    return {value: now for value, now in leading.items() if value in phis}
