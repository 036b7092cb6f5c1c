"""A function of the program is entered: its frame, its parameters, what it may get at."""

from __future__ import annotations

from typing import Final

from heapflow.ir.kinds import ParamFlag
from heapflow.replay.addresses import place_of
from heapflow.replay.aggregates import Aggregate
from heapflow.replay.descriptors import locks_in
from heapflow.replay.executor import Executor
from heapflow.replay.externals import led_to, numbers_among, reachable
from heapflow.replay.footprint import Footprint
from heapflow.replay.frame import Frame
from heapflow.replay.instr import Instr
from heapflow.replay.memory import Kind, addresses_in
from heapflow.replay.state import State
from heapflow.replay.term import Value

_BY_VALUE = int(ParamFlag.BY_VALUE)
_HEAP: Final = Kind.HEAP


def enter_at(
    executor: Executor, state: State, instr: Instr, func: int, arguments: list[Value]
) -> Frame:
    """A new frame, with its parameters."""
    code = executor.knowledge.code(func)
    inner = state.push(code)
    inner.call = instr.id
    for position, parameter in enumerate(code.params):
        if position < len(arguments):
            value = arguments[position]
            if code.param_flags[position] & _BY_VALUE:
                size = executor.types.size[code.param_pointees[position]]
                value = by_value(executor, state, inner, value, size)
        else:
            width = executor.types.width(executor.knowledge.value_type[parameter]) or 64
            value = executor.terms.var(f"missing:{inner.number}:{position}", width)
        inner.regs[parameter] = value
    return inner


def by_value(executor: Executor, state: State, inner: Frame, address: Value, size: int) -> Value:
    """The callee's own copy of a structure."""
    source, offset = place_of(executor, state, address, size)
    made = executor.new_object(state, Kind.STACK, f"copy:{inner.number}", size, inner.call)
    inner.allocas.append(made.id)
    executor.memory.copy(made, 0, state.own(source.id), offset, size)
    return made.base


def may_touch(executor: Executor, state: State, func: int, arguments: list[Value]) -> bool:
    """Whether a callee can get at a tracked block: by its arguments, or by globals that it names."""
    roots: list[Value] = [value for value in arguments if not isinstance(value, Aggregate)]
    for value in arguments:
        if isinstance(value, Aggregate):
            roots += value.parts.values()
    starts = state.objects.keys() & executor.knowledge.touches(func).globals
    found = reachable(executor, state, roots, starts)
    if not state.tracked.isdisjoint(found):
        return True
    if not state.tracked.isdisjoint(numbers_among(executor, state, roots, found)):
        return True
    return not state.tracked.isdisjoint(locks_in(executor, state, found))


def forget_written(
    executor: Executor, state: State, func: int, arguments: list[Value], name: str
) -> None:
    """What the callee may write is unknown from now on."""
    known = executor.knowledge
    forget_footprint(
        executor, state, known.footprint(func), known.touches(func).globals, arguments, name
    )


def forget_footprint(
    executor: Executor,
    state: State,
    footprint: Footprint,
    named: set[int],
    arguments: list[Value],
    name: str,
) -> None:
    """The same of code with a footprint, in which some globals are named."""
    state.writes += 1
    near: list[Value] = []
    far: list[Value] = []
    parts: dict[int, list[tuple[int, int]]] = {}  # object -> stretches that are written
    for position, value in enumerate(arguments):
        if isinstance(value, Aggregate):
            continue
        if footprint.anywhere or position in footprint.far:
            far.append(value)
        elif position in footprint.near:
            value = executor.settled(state, value)
            stretch = footprint.stretches.get(position)
            obj = state.objects.get(value >> 32) if isinstance(value, int) else None
            if stretch is None or obj is None or not isinstance(value, int):
                near.append(value)
            else:
                at = value - obj.base
                parts.setdefault(obj.id, []).append((at + stretch[0], at + stretch[1]))
    globals_ = named if footprint.globals else set[int]()
    starts = state.objects.keys() & globals_
    found = reachable(executor, state, far, starts)
    for value in near:
        addresses_in(executor.settled(state, value), found)
    held: set[int] = set()
    for ident in sorted(found):
        if ident in state.objects:
            held |= led_to(executor, state, state.objects[ident])
            executor.forget(state, ident, name, pointers=True)
    for ident in sorted(parts.keys() - found):
        held |= led_to(executor, state, state.objects[ident])
        for start, end in parts[ident]:
            executor.forget(state, ident, name, start, pointers=True, end=end)
    # Who led to a block before may do so still.
    state.kept = state.kept | {one for one in held if _is_block(state, one)}
    if executor.from_main:
        # Globals that nobody looked at yet: only where they are known from the start does it matter.
        for ident in sorted(globals_.difference(state.objects)):
            executor.forget(state, ident, name)


def _is_block(state: State, ident: int) -> bool:
    obj = state.objects.get(ident)
    return obj is not None and obj.kind is _HEAP and obj.freed < 0
