"""What an instruction does when all of its operands are known numbers: one Python function for each.

In:    Knowledge, an instruction.     Out: a handler made for it, or None.
The handler falls back on the general one as soon as an operand is not a plain number.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from heapflow.replay.access import load, store
from heapflow.replay.codes import (
    BINARY,
    CMP_EQ,
    CMP_NE,
    CMP_SGE,
    CMP_SGT,
    CMP_SLE,
    CMP_SLT,
    CMP_UGE,
    CMP_UGT,
    CMP_ULE,
    CMP_ULT,
    DIVISIONS,
    OP_GEP,
    OP_ICMP,
    OP_LOAD,
    OP_SEXT,
    OP_STORE,
    RESIZED,
    SAME_BITS,
)
from heapflow.replay.compute import compute
from heapflow.replay.executor import Executor
from heapflow.replay.frame import Frame
from heapflow.replay.instr import Instr
from heapflow.replay.knowledge import Knowledge
from heapflow.replay.memory import Kind
from heapflow.replay.state import State
from heapflow.replay.term import Binary, fold, mask

Handler: TypeAlias = Callable[[Executor, State, Frame, Instr], "bool | None"]
_Operate: TypeAlias = Callable[[int, int], int]
_BITS_64 = mask(64)
_CODE: Final = Kind.CODE
_WORLD: Final = Kind.WORLD


def quick_handler(known: Knowledge, instr: Instr) -> Handler | None:
    """A handler made for one instruction; None: the general one has to do."""
    op = instr.op
    if op == OP_LOAD:
        return _load(known, instr)
    if op == OP_STORE:
        return _store(known, instr)
    if op == OP_GEP:
        return _address(known, instr)
    width = known.types.width(known.value_type[instr.operands[0]]) if instr.operands else 0
    if not width or not instr.width:
        return None
    if op in BINARY and op not in DIVISIONS:
        return _binary(known, instr, _operation(BINARY[op], width))
    if op == OP_ICMP:
        return _binary(known, instr, _comparison(instr.aux, width))
    if op in RESIZED or op in SAME_BITS:
        return _cut(instr, mask(min(width, instr.width)))
    if op == OP_SEXT:
        return _signed(instr, width)
    return None


# Arithmetic --------------------------------------------------------------------------------------


def _binary(known: Knowledge, instr: Instr, operate: _Operate) -> Handler:
    first, second = instr.operands[:2]
    result = instr.result
    scalar = known.scalar(second)
    constant = scalar or 0

    def with_constant(executor: Executor, state: State, frame: Frame, instr: Instr) -> None:
        regs = frame.regs
        a = regs.get(first)
        if isinstance(a, int):
            regs[result] = operate(a, constant)
        else:
            compute(executor, state, frame, instr)

    def with_both(executor: Executor, state: State, frame: Frame, instr: Instr) -> None:
        regs = frame.regs
        a, b = regs.get(first), regs.get(second)
        if isinstance(a, int) and isinstance(b, int):
            regs[result] = operate(a, b)
        else:
            compute(executor, state, frame, instr)

    return with_both if scalar is None else with_constant


def _operation(name: Binary, width: int) -> _Operate:
    bits = mask(width)
    match name:
        case "add":
            return lambda a, b: (a + b) & bits
        case "sub":
            return lambda a, b: (a - b) & bits
        case "mul":
            return lambda a, b: (a * b) & bits
        case "and":
            return lambda a, b: a & b
        case "or":
            return lambda a, b: a | b
        case "xor":
            return lambda a, b: a ^ b
        case "lshr":
            return lambda a, b: a >> b if b < width else 0
        case _:
            return lambda a, b: fold(name, width, a, b)


def _comparison(predicate: int, width: int) -> _Operate:
    half = 1 << (width - 1)  # signed order is unsigned order with the sign bits turned
    table: dict[int, _Operate] = {
        CMP_EQ: lambda a, b: 1 if a == b else 0,
        CMP_NE: lambda a, b: 1 if a != b else 0,
        CMP_ULT: lambda a, b: 1 if a < b else 0,
        CMP_ULE: lambda a, b: 1 if a <= b else 0,
        CMP_UGT: lambda a, b: 1 if a > b else 0,
        CMP_UGE: lambda a, b: 1 if a >= b else 0,
        CMP_SLT: lambda a, b: 1 if a ^ half < b ^ half else 0,
        CMP_SLE: lambda a, b: 1 if a ^ half <= b ^ half else 0,
        CMP_SGT: lambda a, b: 1 if a ^ half > b ^ half else 0,
        CMP_SGE: lambda a, b: 1 if a ^ half >= b ^ half else 0,
    }
    return table[predicate]


def _cut(instr: Instr, bits: int) -> Handler:
    first, result = instr.operands[0], instr.result

    def run(executor: Executor, state: State, frame: Frame, instr: Instr) -> None:
        a = frame.regs.get(first)
        if isinstance(a, int):
            frame.regs[result] = a & bits
        else:
            compute(executor, state, frame, instr)

    return run


def _signed(instr: Instr, width: int) -> Handler:
    first, result = instr.operands[0], instr.result
    half, more = 1 << (width - 1), mask(instr.width) ^ mask(width)

    def run(executor: Executor, state: State, frame: Frame, instr: Instr) -> None:
        a = frame.regs.get(first)
        if isinstance(a, int):
            frame.regs[result] = a | more if a & half else a
        else:
            compute(executor, state, frame, instr)

    return run


# Memory ------------------------------------------------------------------------------------------


def _address(known: Knowledge, instr: Instr) -> Handler | None:
    base, constant, result = instr.operands[0], instr.aux + instr.aux2, instr.result
    if not instr.width or len(instr.operands) > 2:
        return None
    if len(instr.operands) == 1:

        def member(executor: Executor, state: State, frame: Frame, instr: Instr) -> None:
            a = frame.regs.get(base)
            if isinstance(a, int):
                frame.regs[result] = (a + constant) & _BITS_64
            else:
                compute(executor, state, frame, instr)

        return member
    index, stride = instr.operands[1], instr.numbers[1]
    start = known.scalar(base)
    width = known.types.width(known.value_type[index])
    half, full = 1 << (width - 1), 1 << width

    def element(executor: Executor, state: State, frame: Frame, instr: Instr) -> None:
        regs = frame.regs
        a = regs.get(base, start)
        number = regs.get(index)
        if isinstance(a, int) and isinstance(number, int):
            if number & half:
                number -= full
            regs[result] = (a + number * stride + constant) & _BITS_64
        else:
            compute(executor, state, frame, instr)

    return element


def _load(known: Knowledge, instr: Instr) -> Handler | None:
    width = instr.width
    if not width or width % 8:
        return None
    size, base, result = width // 8, instr.operands[0], instr.result
    start = known.scalar(base)

    def run(executor: Executor, state: State, frame: Frame, instr: Instr) -> None:
        address = frame.regs.get(base, start)
        if isinstance(address, int):
            obj = state.objects.get(address >> 32)
            if obj is not None and obj.freed < 0:
                cell = obj.cells.get(address - obj.base)
                if cell is not None and cell[0] == size and isinstance(cell[1], int):
                    frame.regs[result] = cell[1]
                    return
        load(executor, state, frame, instr)

    return run


def _store(known: Knowledge, instr: Instr) -> Handler | None:
    base, stored = instr.operands[:2]
    width = known.types.width(known.value_type[stored])
    if not width or width % 8:
        return None
    size = width // 8
    start, constant = known.scalar(base), known.scalar(stored)

    def run(executor: Executor, state: State, frame: Frame, instr: Instr) -> None:
        regs = frame.regs
        address, value = regs.get(base, start), regs.get(stored, constant)
        if isinstance(address, int) and isinstance(value, int):
            obj = state.objects.get(address >> 32)
            if obj is not None and obj.freed < 0 and obj.owner == state.token:
                offset = address - obj.base
                cell = obj.cells.get(offset)
                if cell is not None and cell[0] == size and obj.lengths is None:
                    obj.cells[offset] = (size, value)
                    obj.facts = None
                    executor.watch.stored(executor, state, instr, value)
                    return
                if obj.kind is _WORLD and cell is None:
                    executor.watch.overwriting(executor, state, obj, size)
                if obj.kind is not _CODE:
                    executor.memory.write(obj, offset, size, value)
                    executor.watch.stored(executor, state, instr, value)
                    return
        store(executor, state, frame, instr)

    return run
