"""Instructions that read or write memory, and those that take aggregates apart or put them together.

In:    an executor, a state, an instruction.     Out: the state after it.
"""

from __future__ import annotations

from typing import Final

from heapflow.ir.kinds import RmwOp
from heapflow.replay.addresses import load_at, store_at
from heapflow.replay.aggregates import Aggregate, load_typed, part_of, store_typed
from heapflow.replay.codes import FLOAT_RMW, RMW_PLAIN
from heapflow.replay.compute import lane_of
from heapflow.replay.decisions import decide
from heapflow.replay.events import End
from heapflow.replay.executor import Cut, Ended, Executor
from heapflow.replay.floats import float_binary
from heapflow.replay.frame import Frame
from heapflow.replay.instr import Instr
from heapflow.replay.keeps import kept
from heapflow.replay.memory import Kind
from heapflow.replay.state import State
from heapflow.replay.term import Term, Value, mask

_STACK: Final = Kind.STACK


def allocate(executor: Executor, state: State, frame: Frame, instr: Instr) -> None:
    size: Value = instr.aux
    if instr.aux < 0:
        types, known = executor.types, executor.knowledge
        count = executor.value(state, frame, instr.operands[0])
        width = types.width(known.value_type[instr.operands[0]])
        wide = executor.terms.zext(64, count, width)
        size = executor.terms.mul(64, wide, max(types.size[instr.aux_type], 1))
    made = executor.new_object(state, _STACK, f"local:{frame.number}", size, instr.id)
    made.type = instr.aux_type
    frame.allocas.append(made.id)
    frame.regs[instr.result] = made.base


def load(executor: Executor, state: State, frame: Frame, instr: Instr) -> None:
    address = executor.value(state, frame, instr.operands[0])
    value = load_typed(executor, state, address, instr.type)
    if isinstance(value, Term) and value.op == "var":
        value = kept(executor, state, instr.id, address, value)
    frame.regs[instr.result] = value


def store(executor: Executor, state: State, frame: Frame, instr: Instr) -> None:
    address = executor.value(state, frame, instr.operands[0])
    value = executor.value(state, frame, instr.operands[1])
    store_typed(executor, state, address, executor.knowledge.value_type[instr.operands[1]], value)
    executor.watch.stored(executor, state, instr, value)


def compare_exchange(executor: Executor, state: State, frame: Frame, instr: Instr) -> None:
    address, expected, new = (executor.value(state, frame, o) for o in instr.operands[:3])
    type_id = executor.knowledge.value_type[instr.operands[1]]
    width = executor.types.width(type_id)
    old = load_at(executor, state, address, width, executor.types.is_pointer(type_id))
    same = decide(executor, state, executor.terms.eq(width, old, expected))
    if same:
        store_at(executor, state, address, width, new)
    offsets = [offset for offset, _ in executor.types.parts(instr.type)]
    parts: dict[int, Value] = {offsets[0]: old, offsets[-1]: int(same)}
    frame.regs[instr.result] = Aggregate(parts)
    executor.watch.stored(executor, state, instr, new)


def read_modify_write(executor: Executor, state: State, frame: Frame, instr: Instr) -> None:
    address, operand = (executor.value(state, frame, o) for o in instr.operands[:2])
    width = instr.width
    old = load_at(executor, state, address, width, executor.types.is_pointer(instr.type))
    new = _modified(executor, instr.aux, width, old, operand)
    store_at(executor, state, address, width, new)
    frame.regs[instr.result] = old
    executor.watch.stored(executor, state, instr, new)


def _modified(executor: Executor, kind: int, width: int, old: Value, operand: Value) -> Value:
    """What an atomic operation stores."""
    terms = executor.terms
    if kind in RMW_PLAIN:
        return terms.binary(RMW_PLAIN[kind], width, old, operand)
    if kind in FLOAT_RMW:
        return float_binary(terms, FLOAT_RMW[kind], width, old, operand)
    match kind:
        case RmwOp.EXCHANGE:
            return operand
        case RmwOp.NAND:
            both = terms.binary("and", width, old, operand)
            return terms.binary("xor", width, both, mask(width))
        case RmwOp.MAX:
            return terms.ite(width, terms.slt(width, old, operand), operand, old)
        case RmwOp.MIN:
            return terms.ite(width, terms.slt(width, old, operand), old, operand)
        case RmwOp.UMAX:
            return terms.ite(width, terms.ult(width, old, operand), operand, old)
        case RmwOp.UMIN:
            return terms.ite(width, terms.ult(width, old, operand), old, operand)
        case _:  # C has no others
            raise Cut(f"atomic operation {RmwOp(kind).name.lower()}")


def extract_value(executor: Executor, state: State, frame: Frame, instr: Instr) -> None:
    value = executor.value(state, frame, instr.operands[0])
    if instr.width:
        frame.regs[instr.result] = part_of(executor, value, instr.aux, instr.type)
        return
    parts = {
        offset: part_of(executor, value, instr.aux + offset, part)
        for offset, part in executor.types.parts(instr.type)
    }
    frame.regs[instr.result] = Aggregate(parts)


def insert_value(executor: Executor, state: State, frame: Frame, instr: Instr) -> None:
    whole, value = (executor.value(state, frame, operand) for operand in instr.operands[:2])
    parts = {
        offset: part_of(executor, whole, offset, part)
        for offset, part in executor.types.parts(instr.type)
    }
    for offset, part in executor.types.parts(executor.knowledge.value_type[instr.operands[1]]):
        parts[instr.aux + offset] = part_of(executor, value, offset, part)
    frame.regs[instr.result] = Aggregate(parts)


def extract_element(executor: Executor, state: State, frame: Frame, instr: Instr) -> None:
    vector = executor.value(state, frame, instr.operands[0])
    lane = lane_of(executor, state, frame, instr.operands[1])
    lanes = executor.types.parts(executor.knowledge.value_type[instr.operands[0]])
    if lane >= len(lanes):
        raise Ended(End.BROKEN)
    frame.regs[instr.result] = part_of(executor, vector, *lanes[lane])


def insert_element(executor: Executor, state: State, frame: Frame, instr: Instr) -> None:
    vector, value = (executor.value(state, frame, operand) for operand in instr.operands[:2])
    lane = lane_of(executor, state, frame, instr.operands[2])
    lanes = executor.types.parts(instr.type)
    if lane >= len(lanes):
        raise Ended(End.BROKEN)
    parts = {offset: part_of(executor, vector, offset, part) for offset, part in lanes}
    parts[lanes[lane][0]] = value
    frame.regs[instr.result] = Aggregate(parts)


def shuffle(executor: Executor, state: State, frame: Frame, instr: Instr) -> None:
    first, second = (executor.value(state, frame, operand) for operand in instr.operands[:2])
    lanes = executor.types.parts(executor.knowledge.value_type[instr.operands[0]])
    pool = [part_of(executor, first, *lane) for lane in lanes]
    pool += [part_of(executor, second, *lane) for lane in lanes]
    results = executor.types.parts(instr.type)
    chosen = executor.knowledge.shuffle_mask(instr)
    parts = {
        offset: pool[index] if index >= 0 else 0
        for (offset, _), index in zip(results, chosen, strict=True)
    }
    frame.regs[instr.result] = Aggregate(parts)
