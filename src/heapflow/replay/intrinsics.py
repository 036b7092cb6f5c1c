"""LLVM's own functions: memory, variable arguments, arithmetic.

Variable arguments lie in an area of their own, eight bytes each, in order; the registers' areas of the
x86-64 convention are marked as used up, so that the code that clang writes for `va_arg` takes them from
there.
"""

from __future__ import annotations

from collections.abc import Callable

from heapflow.replay.addresses import place_of, store_at
from heapflow.replay.aggregates import store_typed
from heapflow.replay.arithmetic import arithmetic
from heapflow.replay.events import End
from heapflow.replay.executor import Ended, Executor
from heapflow.replay.externals import copy_memory, fill_memory, give, result_name
from heapflow.replay.frame import Frame
from heapflow.replay.instr import Instr
from heapflow.replay.memory import Kind
from heapflow.replay.state import State
from heapflow.replay.terms import Value

_NOTHING = (
    "llvm.lifetime",
    "llvm.dbg",
    "llvm.assume",
    "llvm.va_end",
    "llvm.donothing",
    "llvm.stackrestore",
    "llvm.prefetch",
    "llvm.invariant",
    "llvm.experimental.noalias",
    "llvm.sideeffect",
    "llvm.pseudoprobe",
    "llvm.fake.use",
)
_SAME = (
    "llvm.expect",
    "llvm.ptr.annotation",
    "llvm.annotation",
    "llvm.launder",
    "llvm.strip",
    "llvm.threadlocal.address",
    "llvm.ssa.copy",
    "llvm.arithmetic.fence",
)
_USED_UP = (48, 176)  # bytes of the areas for integer and floating-point registers


def call_intrinsic(executor: Executor, state: State, frame: Frame, instr: Instr, name: str) -> None:
    """Execute one."""
    if name.startswith(_NOTHING):
        return
    values = [
        executor.value(state, frame, operand)
        for operand in instr.operands[1:]
        if executor.knowledge.is_value(operand)
    ]
    if name.startswith(_SAME):
        frame.regs[instr.result] = values[0]
        return
    for prefix, handler in _HANDLERS.items():
        if name.startswith(prefix):
            handler(executor, state, frame, instr, values)
            executor.watch.changed(executor, state, instr)
            return
    computed = arithmetic(executor, instr, name, values)
    if computed is not None:
        frame.regs[instr.result] = computed
    else:
        give(executor, state, frame, instr, None, result_name(executor, state, instr))


def _copy(e: Executor, state: State, frame: Frame, instr: Instr, values: list[Value]) -> None:
    copy_memory(e, state, values[0], values[1], values[2], f"copied{instr.id}")


def _fill(e: Executor, state: State, frame: Frame, instr: Instr, values: list[Value]) -> None:
    fill_memory(e, state, values[0], values[1], values[2], f"filled{instr.id}")


def _trap(e: Executor, state: State, frame: Frame, instr: Instr, values: list[Value]) -> None:
    raise Ended(End.EXITED)


def _start_arguments(
    executor: Executor, state: State, frame: Frame, instr: Instr, values: list[Value]
) -> None:
    area = executor.new_object(state, Kind.STACK, f"arguments:{frame.number}", -1, instr.id)
    frame.allocas.append(area.id)
    offset = 0
    for value, type_id, copied, align in frame.extra:
        size = copied or executor.types.size[type_id]
        if align > 8 or (not copied and size > 8):
            offset = (offset + 15) & ~15
        if copied:
            source, start = place_of(executor, state, value, size)
            executor.memory.copy(state.own(area.id), offset, state.own(source.id), start, size)
        else:
            _write_slot(executor, state, area.base + offset, type_id, value)
        offset += (size + 7) & ~7
    store_at(executor, state, values[0], 32, _USED_UP[0])
    store_at(executor, state, executor.terms.add(64, values[0], 4), 32, _USED_UP[1])
    store_at(executor, state, executor.terms.add(64, values[0], 8), 64, area.base)
    store_at(executor, state, executor.terms.add(64, values[0], 16), 64, area.base)


def _write_slot(executor: Executor, state: State, address: int, type_id: int, value: Value) -> None:
    width = executor.types.width(type_id)
    if 0 < width < 64:
        store_at(executor, state, address, 64, executor.terms.zext(64, value, width))
    else:
        store_typed(executor, state, address, type_id, value)


def _copy_arguments(
    executor: Executor, state: State, frame: Frame, instr: Instr, values: list[Value]
) -> None:
    copy_memory(executor, state, values[0], values[1], 24, f"copied{instr.id}")


_Handler = Callable[[Executor, State, Frame, Instr, list[Value]], None]
_HANDLERS: dict[str, _Handler] = {
    "llvm.memcpy": _copy,
    "llvm.memmove": _copy,
    "llvm.memset": _fill,
    "llvm.trap": _trap,
    "llvm.ubsantrap": _trap,
    "llvm.debugtrap": _trap,
    "llvm.va_start": _start_arguments,
    "llvm.va_copy": _copy_arguments,
}
