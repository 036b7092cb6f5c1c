"""What every instruction does to a state.

In:    an `Executor`, a state.     Out: the state after one instruction, or a Choice, an end, a cut.
One function per instruction, found when it is executed for the first time. A function returns True if
it has moved control itself.
"""

from __future__ import annotations

from typing import Final

from heapflow.ir.kinds import Op
from heapflow.replay.access import (
    allocate,
    compare_exchange,
    extract_element,
    extract_value,
    insert_element,
    insert_value,
    load,
    read_modify_write,
    shuffle,
    store,
)
from heapflow.replay.calls import call, give_back
from heapflow.replay.capacity import note_want, only_for_want_of_memory
from heapflow.replay.code import Block, Edge
from heapflow.replay.codes import EDGE_CASE, EDGE_DEFAULT, EDGE_IF_TRUE, EDGE_INDIRECT
from heapflow.replay.compute import compute
from heapflow.replay.compute import constant_expression as constant_expression
from heapflow.replay.decisions import decide, possible, settle
from heapflow.replay.events import End, EventKind
from heapflow.replay.executor import Choice, Cut, Ended, Executor
from heapflow.replay.frame import Frame
from heapflow.replay.instr import Instr
from heapflow.replay.knowledge import BLOCK_ADDRESSES
from heapflow.replay.quick import Handler, quick_handler
from heapflow.replay.state import State
from heapflow.replay.term import Term, Value

_BRANCH: Final = EventKind.BRANCH


def step(executor: Executor, state: State) -> None:
    """Execute the next instruction."""
    frame = state.frames[-1]
    if frame.owner != state.token:
        frame = state.top()
    instr = frame.code.blocks[frame.block].instrs[frame.index]
    state.steps += 1
    executor.steps += 1
    if instr.bindings:
        frame.bind(instr.bindings)
        if state.tracked:
            executor.watch.bound(executor, state, frame, instr)
    run = instr.run
    if run is None:
        run = instr.run = handler_of(executor, instr)
    if not run(executor, state, frame, instr):
        frame.index += 1


def handler_of(executor: Executor, instr: Instr) -> Handler:
    """The function that executes an instruction."""
    return quick_handler(executor.knowledge, instr) or _HANDLERS[instr.op]


# Control -----------------------------------------------------------------------------------------


def _branch(executor: Executor, state: State, frame: Frame, instr: Instr) -> bool:
    edges = frame.code.blocks[frame.block].edges
    if not instr.operands:
        jump(executor, state, frame, edges[0])
        return True
    condition = executor.value(state, frame, instr.operands[0])
    yes, no = edges
    if yes.kind != EDGE_IF_TRUE:
        yes, no = no, yes
    if isinstance(condition, int):
        edge = yes if condition else no
        state.note(_BRANCH, instr.id, edge.id)
        jump(executor, state, frame, edge)
        return True
    try:
        taken = decide(executor, state, condition)
    except Choice as choice:
        choice.edges = [yes, no]
        only_for_want_of_memory(executor, state, choice)
        raise
    note_want(executor, state, condition, taken)
    edge = yes if taken else no
    state.note(_BRANCH, instr.id, edge.id)
    jump(executor, state, frame, edge)
    return True


def _switch(executor: Executor, state: State, frame: Frame, instr: Instr) -> bool:
    block = frame.code.blocks[frame.block]
    tested = executor.value(state, frame, instr.operands[0])
    width = executor.types.width(executor.knowledge.value_type[instr.operands[0]])
    if len(instr.operands) > 1:
        _number_wide_cases(executor, state, frame, instr, block)
    if isinstance(tested, int):
        edge = _case(block, tested, width)
        state.note(_BRANCH, instr.id, edge.id)
        jump(executor, state, frame, edge)
        return True
    ways = [(executor.settled(state, c), e) for c, e in _ways(executor, block, tested, width)]
    for condition, edge in ways:
        known = state.known.get(condition.number) if isinstance(condition, Term) else condition
        if known == 1:
            state.note(_BRANCH, instr.id, edge.id)
            jump(executor, state, frame, edge)
            return True
    left = [(c, e) for c, e in ways if c != 0]
    alternatives = possible(executor, state, [condition for condition, _ in left])
    by_number = {c.number: e for c, e in left if isinstance(c, Term)}
    if not alternatives:
        raise Ended(End.BROKEN)
    choice = Choice(alternatives)
    choice.edges = [by_number[one.condition.number] for one in alternatives]
    raise choice


def _number_wide_cases(
    executor: Executor, state: State, frame: Frame, instr: Instr, block: Block
) -> None:
    """Cases of more than 64 bits are operands of the switch: they get their numbers from there."""
    operands = iter(instr.operands[1:])
    for edge in block.edges:
        if edge.kind == EDGE_INDIRECT:
            number = executor.value(state, frame, next(operands))
            assert isinstance(number, int)
            edge.kind, edge.number = EDGE_CASE, number


def _case(block: Block, tested: int, width: int) -> Edge:
    found = block.cases
    if found is None:
        bits = (1 << width) - 1
        found = block.cases = {}
        for edge in block.edges:
            if edge.kind == EDGE_CASE:
                found.setdefault(edge.number & bits, edge)
    return found.get(tested) or block.edges[_default(block)]


def _default(block: Block) -> int:
    kinds = [edge.kind for edge in block.edges]
    return kinds.index(EDGE_DEFAULT)


def _ways(executor: Executor, block: Block, tested: Term, width: int) -> list[tuple[Value, Edge]]:
    """The condition of every target: cases that lead to the same place are one."""
    terms, bits = executor.terms, (1 << width) - 1
    cases: dict[int, tuple[Value, Edge]] = {}
    default: Value = 1
    other: Edge | None = None
    for edge in block.edges:
        if edge.kind != EDGE_CASE:
            other = edge
            continue
        same = terms.eq(width, tested, edge.number & bits)
        default = terms.binary("and", 1, default, terms.negate(same))
        if edge.target in cases:
            before, first = cases[edge.target]
            cases[edge.target] = (terms.binary("or", 1, before, same), first)
        else:
            cases[edge.target] = (same, edge)
    found = list(cases.values())
    if other is not None:
        found.append((default, other))
    return found


def _indirect(executor: Executor, state: State, frame: Frame, instr: Instr) -> bool:
    block = frame.code.blocks[frame.block]
    target = executor.value(state, frame, instr.operands[0])
    if not isinstance(target, int):
        target = settle(executor, state, target)
    for edge in block.edges:
        if edge.target == target - BLOCK_ADDRESSES:
            jump(executor, state, frame, edge)
            return True
    raise Ended(End.BROKEN)


def jump(executor: Executor, state: State, frame: Frame, edge: Edge) -> None:
    """Follow an edge: φs all at once, then the next block."""
    source = frame.block
    target = frame.code.blocks[edge.target]
    if target.phis:
        _move(executor, state, frame, edge, target)
    frame.block, frame.index, frame.previous = edge.target, 0, source
    executor.watch.jumped(executor, state, frame, source, target)


def _move(executor: Executor, state: State, frame: Frame, edge: Edge, target: Block) -> None:
    moves = edge.moves
    if moves is None:
        source = frame.block
        moves = edge.moves = [phi.operands[phi.blocks.index(source)] for phi in target.phis]
    values = [executor.value(state, frame, operand) for operand in moves]
    for phi, value in zip(target.phis, values, strict=True):
        frame.regs[phi.result] = value
        if phi.bindings:
            frame.bind(phi.bindings)


def _unreachable(executor: Executor, state: State, frame: Frame, instr: Instr) -> bool:
    raise Ended(End.BROKEN, "unreachable code")


def _nothing(executor: Executor, state: State, frame: Frame, instr: Instr) -> None:
    return None


def _not_executed(executor: Executor, state: State, frame: Frame, instr: Instr) -> bool:
    raise Cut(f"instruction {Op(instr.op).name.lower().replace('_', ' ')}")


def _handlers() -> list[Handler]:
    table: list[Handler] = [_not_executed] * 256
    table[Op.RET], table[Op.BR], table[Op.SWITCH] = give_back, _branch, _switch
    table[Op.INDIRECT_BR], table[Op.UNREACHABLE] = _indirect, _unreachable
    table[Op.ALLOCA], table[Op.LOAD], table[Op.STORE] = allocate, load, store
    table[Op.CMPXCHG], table[Op.ATOMIC_RMW] = compare_exchange, read_modify_write
    table[Op.FENCE], table[Op.GEP] = _nothing, compute
    for op in (Op.CALL, Op.INVOKE, Op.CALL_BR):
        table[op] = call
    table[Op.EXTRACT_VALUE], table[Op.INSERT_VALUE] = extract_value, insert_value
    table[Op.EXTRACT_ELEMENT], table[Op.INSERT_ELEMENT] = extract_element, insert_element
    table[Op.SHUFFLE_VECTOR] = shuffle
    for op in Op:
        if Op.ICMP <= op <= Op.PTR_TO_ADDR or op in (Op.SELECT, Op.FREEZE):
            table[op] = compute
    return table


_HANDLERS: list[Handler] = _handlers()
