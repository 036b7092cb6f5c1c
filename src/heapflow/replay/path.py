"""The executed path as it is told: steps in order, decisions that matter, example values.

In:    the state at the end of a path, the choices on it that matter.     Out: `LosingPath` (plain
data).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from heapflow.ir.ids import BlockId
from heapflow.ir.kinds import CmpPredicate, EdgeKind, Op, ValueKind
from heapflow.models.model import Alloc, Realloc
from heapflow.replay.code import Code
from heapflow.replay.events import Event, EventKind, Loss, LostBy
from heapflow.replay.examples import examples_of
from heapflow.replay.inputs import Inputs, inputs_of
from heapflow.replay.knowledge import Knowledge
from heapflow.replay.lostat import place_of_loss
from heapflow.replay.search import Search
from heapflow.replay.state import State


class PathKind(Enum):
    """What happens at a step."""

    CALL = "call"  # detail: the function that is entered
    BRANCH = "branch"  # detail: the edge that is taken
    ALLOCATED = "allocated"
    FAILED = "failed"  # an allocation
    FREED = "freed"
    RETURNED = "returned"  # detail: the function that hands the block to its caller
    LOST = "lost"
    STARTED = "started"  # a call that the client makes; detail: the function


@dataclass(frozen=True, slots=True)
class PathStep:
    kind: PathKind
    instr: int
    detail: int = -1


@dataclass(frozen=True, slots=True)
class LosingPath:
    """An execution that loses a block."""

    steps: tuple[PathStep, ...]
    lost_at: int  # instruction
    lost_by: LostBy
    variable: int  # source variable that held the last pointer; -1
    func: int  # in which it is lost
    failed: int = -1  # the allocation that fails
    examples: tuple[tuple[str, str], ...] = ()  # inputs and their values
    inputs: Inputs | None = None  # a call that takes the path, where arguments are enough
    owners: tuple[int, ...] = ()  # instructions that made the blocks which lead to it, lost as well
    # Calls whose effect on the block is believed, not known: which of their arguments it is; 0: they
    # made it.
    believed: tuple[tuple[int, int], ...] = ()
    began: int = -1  # the function in which the path begins
    within: int = -1  # of a misuse: the instruction of the suspect's function that leads to it
    # What made the block, after the calls inside of which it did; nothing: the path did not.
    made_by: tuple[int, ...] = ()
    elsewhere: tuple[int, ...] = ()  # instructions at which other paths lose the block


def tell_path(search: Search, state: State, matters: frozenset[int]) -> LosingPath:
    """The path of a state that has lost its block; `matters` are numbers of choices."""
    loss = state.loss
    assert loss is not None
    events = state.events()
    end = next(i for i, event in enumerate(events) if event.kind is EventKind.LOST)
    made = _made(events, loss.obj)
    lost_at = place_of_loss(search.knowledge, loss)
    after = range(made + 1, end)
    is_open = matters.isdisjoint(events[i].choice for i in after)
    implied = _implied(search.knowledge, events, after, loss.depth, lost_at, is_open)
    told = [
        i
        for i, event in enumerate(events[: end + 1])
        if _is_told(event, i == made, matters) or i in implied or _frees(event, loss)
    ]
    steps = _with_calls(events[: end + 1], set(told))
    failed = next((event.instr for event in events if event.kind is EventKind.FAILED), -1)
    inputs = inputs_of(search, state)
    examples = examples_of(search, state, matters, inputs)
    return LosingPath(
        steps,
        lost_at,
        loss.by,
        loss.variable,
        loss.func,
        failed,
        examples,
        inputs,
        loss.owners,
        _believed(events[:end]),
        search.start,
        loss.within,
        made_within(events, loss.obj),
    )


def _believed(events: list[Event]) -> tuple[tuple[int, int], ...]:
    found = [(one.instr, one.detail) for one in events if one.kind is EventKind.BELIEVED]
    return tuple(dict.fromkeys(found))


def _made(events: list[Event], obj: int) -> int:
    """Position of the allocation of the block that is lost."""
    for position, event in enumerate(events):
        if event.kind is EventKind.ALLOCATED and event.detail == obj:
            return position
    return -1


def made_within(events: Iterable[Event], obj: int) -> tuple[int, ...]:
    """The calls that were active when a block was made, and what made it; nothing: it was not."""
    active: list[int] = []
    for event in events:
        if event.kind is EventKind.ENTERED:
            active.append(event.instr)
        elif event.kind is EventKind.LEFT and active:
            active.pop()
        elif event.kind is EventKind.ALLOCATED and event.detail == obj:
            return (*active, event.instr)
    return ()


def _frees(event: Event, loss: Loss) -> bool:
    return event.kind is EventKind.FREED and event.detail == loss.obj


def _is_told(event: Event, makes: bool, matters: frozenset[int]) -> bool:
    if event.kind is EventKind.BRANCH:
        return event.choice in matters
    if event.kind is EventKind.ALLOCATED:
        return makes
    return event.kind in (EventKind.LOST, EventKind.FAILED, EventKind.STARTED)


def _implied(
    knowledge: Knowledge,
    events: list[Event],
    positions: range,
    depth: int,
    lost_at: int,
    is_open: bool,
) -> set[int]:
    """Positions of decisions that earlier ones imply, and that lead to the loss: the way taken always
    comes to it, or to the next such decision, the other need not. That a pointer is not NULL is left
    out, unless a function of the library gave it that makes nothing (`fgets(…) != NULL`). `is_open`:
    no decision matters, as the block is lost elsewhere on other ways; then the last one says where, if
    earlier ones are told at all."""
    found: set[int] = set()
    last = -1
    func, goal = knowledge.func_of(lost_at), knowledge.instr_block[lost_at]
    code = knowledge.code(func)
    for position in reversed(positions):
        event = events[position]
        is_here = event.depth == depth and knowledge.func_of(event.instr) == func
        if event.kind is not EventKind.BRANCH or not is_here:
            continue
        branch = code.blocks[knowledge.instr_block[event.instr]]
        avoiding = _avoiding(code, goal)
        ways = {edge.target in avoiding for edge in branch.edges if edge.id != event.detail}
        taken = {edge.target in avoiding for edge in branch.edges if edge.id == event.detail}
        if True in ways and taken == {False}:
            goal = BlockId(branch.id)
            if not _finds_pointer(knowledge, event):
                if event.choice < 0:
                    found.add(position)
                last = max(last, position)
    return found | {last} if is_open and found else found


def _avoiding(code: Code, goal: int) -> set[int]:
    """Blocks from which a way leads out of the function without the goal."""
    before: dict[int, list[int]] = {}
    for block in code.blocks.values():
        for edge in block.edges:
            before.setdefault(edge.target, []).append(block.id)
    queue = [block for block in code.exits() if block != goal]
    found = set(queue)
    for block_id in queue:
        for previous in before.get(block_id, ()):
            if previous not in found and previous != goal:
                found.add(previous)
                queue.append(previous)
    return found


def _finds_pointer(knowledge: Knowledge, event: Event) -> bool:
    """Whether a branch goes on with a pointer that is not NULL: as it mostly is."""
    program = knowledge.program
    tested = program.operands(event.instr)[0]
    if program.values.kind[tested] != ValueKind.INSTR:
        return False
    compare = int(program.values.index[tested])
    if program.instrs.op[compare] != Op.ICMP:
        return False
    operand, other = program.operands(compare)
    if not knowledge.types.is_pointer(knowledge.value_type[operand]):
        return False
    if _is_answer(knowledge, operand):
        return False
    if knowledge.value_kind[other] != ValueKind.NULL:
        return True
    block = knowledge.code(knowledge.func_of(event.instr)).blocks[
        knowledge.instr_block[event.instr]
    ]
    is_true = any(e.id == event.detail and e.kind == EdgeKind.IF_TRUE for e in block.edges)
    is_equal = int(program.instrs.aux[compare]) == CmpPredicate.EQ
    return is_true != is_equal


def _is_answer(knowledge: Knowledge, value: int) -> bool:
    """Whether a pointer says how a function of the library fared: it has a model, and makes nothing."""
    if knowledge.value_kind[value] != ValueKind.INSTR:
        return False
    row = knowledge.value_index[value]
    is_call = int(knowledge.program.instrs.op[row]) == Op.CALL
    callee = knowledge.program.direct_callee(row) if is_call else -1
    model = knowledge.model(callee) if callee >= 0 and not knowledge.has_body(callee) else None
    effects = () if model is None else model.effects
    return bool(effects) and not any(isinstance(one, Alloc | Realloc) for one in effects)


def _with_calls(events: list[Event], told: set[int]) -> tuple[PathStep, ...]:
    """Calls are told where something that is told happens inside. `told`: positions."""
    steps: list[PathStep] = []
    pending: list[tuple[int, bool]] = []  # calls that are active, and whether they were told
    makers: set[int] = set()  # calls inside of which the block is made
    for position, event in enumerate(events):
        if event.kind is EventKind.ENTERED:
            pending.append((position, False))
        elif event.kind is EventKind.LEFT:
            call, was_told = pending.pop() if pending else (position, False)
            loses = events[position + 1 : position + 2]
            if was_told and call in makers and not (loses and loses[0].kind is EventKind.LOST):
                steps.append(PathStep(PathKind.RETURNED, event.instr, event.detail))
        elif position in told:
            for number, (call, is_told) in enumerate(pending):
                if not is_told:
                    steps.append(PathStep(PathKind.CALL, events[call].instr, events[call].detail))
                    pending[number] = (call, True)
            steps.append(PathStep(PathKind(event.kind.value), event.instr, event.detail))
            if event.kind is EventKind.ALLOCATED:
                makers.update(call for call, _ in pending)
    return tuple(steps)
