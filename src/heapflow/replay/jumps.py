"""longjmp: the frames above are gone, setjmp returns once more."""

from __future__ import annotations

from heapflow.replay.control import JumpedBack
from heapflow.replay.executor import Executor
from heapflow.replay.state import State


def jump_back(executor: Executor, state: State, back: JumpedBack) -> None:
    """Go on behind the setjmp."""
    while len(state.frames) > back.depth + 1:
        gone = state.frames.pop()
        for ident in gone.allocas:
            state.objects.pop(ident, None)
    frame = state.top()
    frame.block, frame.index = back.block, back.index
    call = frame.code.blocks[back.block].instrs[back.index]
    if call.result >= 0:
        value = executor.settled(state, back.value)
        frame.regs[call.result] = 1 if value == 0 else value
    frame.index += 1
    executor.watch.returned(executor, state, call)
