"""Turns of loops that are executed: how many are begun, and what ends with each.

In:    an executor, a state that jumps to the first block of a loop.     Out: whether it has to wait.
"""

from __future__ import annotations

from typing import Final

from heapflow.ir.kinds import Op
from heapflow.replay.code import Block, Code
from heapflow.replay.control import Cut, Ended
from heapflow.replay.events import End, EventKind
from heapflow.replay.executor import Executor
from heapflow.replay.frame import Frame
from heapflow.replay.state import State

_BRANCH: Final = EventKind.BRANCH


def turn_waits(executor: Executor, state: State, frame: Frame, target: Block, latest: int) -> bool:
    """Whether a path waits until all others were followed, because it turns beyond the bound (`latest`:
    how often one path may). Only turns in which something was chosen count: a loop over constants is
    simply run."""
    turns = frame.turns.get(target.id, 0)
    frame.turns[target.id] = turns + (state.chosen > frame.marks.get(target.id, 0))
    frame.marks[target.id] = state.chosen
    turns, config = frame.turns.get(target.id, 0), executor.config
    if state.loss is not None:
        state.after += 1
        if state.after > config.most_turns_after:
            raise Ended(End.TURNED)  # the program goes on, whatever comes
    if turns <= config.most_turns + state.late:
        return False
    if turns <= config.most_forced_turns and _is_forced(state, frame, target):
        return False
    code = frame.code
    if state.loss is not None and target.id not in code.distance(code.exits()):
        raise Ended(End.TURNED)
    if state.late >= latest:
        raise Cut("turns")
    state.late += 1
    return True


def end_scopes(executor: Executor, frame: Frame, source: int, target: Block) -> bool:
    """At the end of a loop's turn, forget variables that are declared in it and not needed any more;
    whether there were any."""
    code = frame.code
    line = code.turn_lines.get((source, target.id))
    if line is None:
        line = code.turn_lines[source, target.id] = _turn_line(executor, code, source, target)
    if not line:
        return False
    bits, lines = code.bit, executor.knowledge.program.variables.line
    gone = [
        variable
        for variable, name in frame.variables.items()
        if lines[variable[0]] > line
        if name not in bits or not target.live_start >> bits[name] & 1
    ]
    for variable in gone:
        frame.unbind(variable)
    return bool(gone)


def _is_forced(state: State, frame: Frame, header: Block) -> bool:
    """Whether the turn that ends had to be begun: the loop's own test left no choice (a counter, a
    table of the program, as many elements as before). What was chosen in it is another matter."""
    if header.id not in frame.code.tested_loops():
        return False
    branch, depth, trail = header.instrs[-1].id, len(state.frames), state.trail
    while trail is not None:
        event = trail.event
        if event.kind is _BRANCH and event.instr == branch and event.depth == depth:
            return event.choice < 0
        trail = trail.before
    return False


def _turn_line(executor: Executor, code: Code, source: int, target: Block) -> int:
    """Where the loop begins whose turn ends with a jump; 0: none does, or nobody knows."""
    header = _header_ahead(code, source, target)
    position = executor.knowledge.program.position
    places = (position(one.id)[1] for one in header.instrs) if header is not None else iter(())
    return next((line for line in places if line > 0), 0)


def _header_ahead(code: Code, source: int, target: Block) -> Block | None:
    """The header of the loop whose turn ends with this jump, or with the counting that follows."""
    if (source, target.id) in code.back_edges:
        return target
    counts = all(one.op not in (Op.CALL, Op.STORE) for one in target.instrs)
    if len(target.edges) == 1 and counts:
        after = target.edges[0].target
        if (target.id, after) in code.back_edges:
            return code.blocks[after]
    return None
