"""LLVM's own functions: memory, variable arguments, arithmetic.

Variable arguments lie in an area of their own, eight bytes each, in order; the registers' areas of the x86-64
convention are marked as used up, so that the code that clang writes for `va_arg` takes them from there.
"""

from __future__ import annotations

from collections.abc import Callable

from heapflow.replay.aggregates import Aggregate
from heapflow.replay.code import Instr
from heapflow.replay.executor import Cut, Ended, Executor
from heapflow.replay.externals import copy_memory, fill_memory, give, result_name
from heapflow.replay.memory import Kind
from heapflow.replay.state import End, Frame, State
from heapflow.replay.terms import Term, Value, mask, signed

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
    "llvm.ptrmask",
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
    short = name.split(".")[1] if "." in name else name
    computed = _arithmetic(executor, state, instr, short, values, name)
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
    for value, width in frame.extra:
        if isinstance(value, Aggregate):
            raise Cut("structure as a variable argument")
        if width > 64:
            offset = (offset + 15) & ~15
        size = max(width // 8, 8)
        wide = executor.terms.zext(size * 8, value, width) if width < 64 else value
        executor.memory.write(area, offset, size, wide)
        offset += (size + 7) & ~7
    executor.store(state, values[0], 32, _USED_UP[0])
    executor.store(state, executor.terms.add(64, values[0], 4), 32, _USED_UP[1])
    executor.store(state, executor.terms.add(64, values[0], 8), 64, area.base)
    executor.store(state, executor.terms.add(64, values[0], 16), 64, area.base)


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


def _arithmetic(
    executor: Executor, state: State, instr: Instr, short: str, values: list[Value], name: str
) -> Value | None:
    """The value of an arithmetic intrinsic; None: not computed."""
    if ".with.overflow" in name:
        return _with_overflow(executor, instr, short, values)
    width = instr.width
    if not width or any(isinstance(value, Aggregate) for value in values):
        return None
    terms = executor.terms
    match short:
        case "umax" | "umin" | "smax" | "smin":
            compare = terms.ult if short[0] == "u" else terms.slt
            less = compare(width, values[0], values[1])
            first, second = (values[1], values[0]) if short.endswith("max") else values[:2]
            return terms.ite(width, less, first, second)
        case "abs":
            negative = terms.slt(width, values[0], 0)
            return terms.ite(width, negative, terms.sub(width, 0, values[0]), values[0])
        case "fshl" | "fshr":
            return _funnel(executor, width, short, values)
        case "is":  # llvm.is.constant: nothing is, where nothing is optimised
            return 0
        case "objectsize":
            return mask(width) if len(values) < 2 or values[1] == 0 else 0
        case "stacksave":
            return 0
        case "ctpop" | "ctlz" | "cttz" | "bswap" | "bitreverse":
            return _of_bits(executor, width, short, values[0])
        case "fabs":
            return terms.binary("and", width, values[0], mask(width - 1))
    return None


def _of_bits(executor: Executor, width: int, short: str, value: Value) -> Value:
    if isinstance(value, Term):
        if short == "bswap":
            swapped: Value = 0
            for position in range(width // 8):
                byte = executor.terms.extract(8, value, position * 8)
                if position:
                    swapped = executor.terms.concat(swapped, position * 8, byte, 8)
                else:
                    swapped = byte
            return swapped
        return executor.terms.opaque(short, width, value)
    match short:
        case "ctpop":
            return value.bit_count()
        case "ctlz":
            return width - value.bit_length()
        case "cttz":
            return width if value == 0 else (value & -value).bit_length() - 1
        case "bswap":
            return int.from_bytes(value.to_bytes(width // 8, "little"), "big")
        case _:
            return int(format(value, f"0{width}b")[::-1], 2)


def _funnel(executor: Executor, width: int, short: str, values: list[Value]) -> Value | None:
    high, low, count = values
    if not isinstance(count, int):
        return executor.terms.opaque(short, width, *values)
    count %= width
    both = executor.terms.concat(high, width, low, width)
    shift = width - count if short == "fshl" else count
    if shift == width:
        return high
    return executor.terms.extract(width, both, shift)


def _with_overflow(
    executor: Executor, instr: Instr, short: str, values: list[Value]
) -> Value | None:
    types, terms = executor.types, executor.terms
    parts = types.parts(instr.type)
    if len(parts) != 2:
        return None
    width = types.width(parts[0][1])
    op = short[1:4]
    a, b = values
    result = terms.binary(op, width, a, b)
    if isinstance(a, int) and isinstance(b, int):
        x, y = (a, b) if short[0] == "u" else (signed(a, width), signed(b, width))
        exact = {"add": x + y, "sub": x - y, "mul": x * y}[op]
        got = result if short[0] == "u" else signed(result, width)  # type: ignore[arg-type]
        over: Value = int(exact != got)
    else:
        grow = terms.zext if short[0] == "u" else terms.sext
        wide = width * 2
        exact_term = terms.binary(op, wide, grow(wide, a, width), grow(wide, b, width))
        over = terms.negate(terms.eq(wide, exact_term, grow(wide, result, width)))
    return Aggregate({parts[0][0]: result, parts[1][0]: over})  # type: ignore[return-value]
