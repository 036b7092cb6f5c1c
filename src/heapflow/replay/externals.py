"""Functions of which nothing is known, and what calls of any kind do to memory.

In:    a call, its arguments.     Out: the state after the call.
What models say is in `modelcall`, what can be computed in `library`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from heapflow.models.world import EVERYTHING
from heapflow.replay.addresses import resolve, smear
from heapflow.replay.aggregates import Aggregate
from heapflow.replay.contents import call_in as call_in
from heapflow.replay.descriptors import descriptors_in
from heapflow.replay.events import EventKind
from heapflow.replay.executor import Executor
from heapflow.replay.facts import facts_of
from heapflow.replay.frame import Frame
from heapflow.replay.instr import Instr
from heapflow.replay.memory import Object, addresses_in
from heapflow.replay.state import State
from heapflow.replay.term import Term, Value, mask

_PASSED: Final = EventKind.PASSED


def result_name(executor: Executor, state: State, instr: Instr) -> str:
    """The name of what a call made unknown: the call, and how often it was passed so far."""
    number = state.passes.get(instr.id, 0)
    name = f"call{instr.id}.{number}"
    state.passes[instr.id] = number + 1
    executor.call_of[name] = instr.id
    return name


def reachable(
    executor: Executor, state: State, roots: Iterable[Value], starts: Iterable[int] = ()
) -> set[int]:
    """Objects that some values and objects lead to."""
    found: set[int] = set()
    for root in roots:
        addresses_in(executor.settled(state, root), found)
    found.update(starts)
    stack = list(found)
    objects, memory, bound = state.objects, executor.memory, state.bound.keys()
    while stack:
        obj = objects.get(stack.pop())
        if obj is None or obj.freed >= 0 or not (obj.cells or obj.layers):
            continue
        facts = facts_of(memory, obj)
        known = bound.isdisjoint(facts.open_atoms)
        inner = (facts.leads.keys() if known else led_to(executor, state, obj)) - found
        stack += inner
        found |= inner
    return found & objects.keys()


def led_to(executor: Executor, state: State, obj: Object) -> set[int]:
    """Objects that the contents of an object lead to."""
    facts = facts_of(executor.memory, obj)
    found = set(facts.leads)
    if not state.bound.keys().isdisjoint(facts.open_atoms):
        for _, value in facts.open:
            addresses_in(executor.settled(state, value), found)
    return found


def numbers_among(
    executor: Executor, state: State, roots: Iterable[Value], objects: Iterable[int]
) -> set[int]:
    """Descriptors whose numbers are given, as values or in the memory of some objects."""
    if not any(obj.number for obj in state.objects.values()):
        return set()
    values = [executor.settled(state, value) for value in roots]
    for ident in objects:
        obj = state.objects[ident]
        if obj.freed < 0:
            values += [executor.settled(state, value) for _, value in obj.cells.values()]
    return descriptors_in(state, values)


# Nothing known -----------------------------------------------------------------------------------


def call_unknown(
    executor: Executor,
    state: State,
    frame: Frame,
    instr: Instr,
    arguments: list[Value],
    func: int = -1,
) -> None:
    """Code that is not given: it may keep and change whatever it gets."""
    name = result_name(executor, state, instr)
    roots: list[Value] = []
    for value in arguments:
        roots += value.parts.values() if isinstance(value, Aggregate) else [value]
    given = reachable(executor, state, roots)
    state.writes += 1
    state.worlds = {**state.worlds, EVERYTHING: state.worlds.get(EVERYTHING, 0) + 1}
    state.said = {}
    members = _members(executor, state, frame, instr, arguments)
    for ident in sorted(given):
        for start, end in members.get(ident, ((0, -1),)):
            executor.forget(state, ident, name, start, end=end)
    state.kept = state.kept | given | numbers_among(executor, state, roots, given)
    state.note(_PASSED, instr.id, func)
    give(executor, state, frame, instr, None, name)


def _members(
    executor: Executor, state: State, frame: Frame, instr: Instr, arguments: list[Value]
) -> dict[int, list[tuple[int, int]]]:
    """Objects of which a call gets the addresses of members, and nothing else."""
    found: dict[int, list[tuple[int, int]]] = {}
    others: set[int] = set()
    for value, operand in zip(arguments, instr.operands[1:], strict=False):
        led: set[int] = set()
        for part in value.parts.values() if isinstance(value, Aggregate) else (value,):
            addresses_in(executor.settled(state, part), led)
        stretch = executor.stretch(state, frame, operand) if led else None
        if stretch is not None and len(led) == 1 and stretch[0] >> 32 in led:
            obj = executor.object(state, stretch[0] >> 32)
            end = stretch[1] - obj.base if stretch[1] >= 0 else -1
            found.setdefault(obj.id, []).append((stretch[0] - obj.base, end))
            led = led_to(executor, state, obj)
        others |= reachable(executor, state, (), led)
    return {ident: one for ident, one in found.items() if ident not in others}


def give(
    executor: Executor, state: State, frame: Frame, instr: Instr, value: Value | None, name: str
) -> None:
    """The result of the call: a value, or an unknown."""
    if instr.result < 0:
        return
    types = executor.types
    if value is None and instr.width:
        value = executor.unknown(name, instr.width, types.is_pointer(instr.type))
    elif value is None:
        value = Aggregate(
            {
                offset: executor.unknown(
                    f"{name}.{offset}", types.width(part), types.is_pointer(part)
                )
                for offset, part in types.parts(instr.type)
            }
        )
    frame.regs[instr.result] = value


# Memory ------------------------------------------------------------------------------------------


def copy_memory(
    executor: Executor, state: State, target: Value, source: Value, size: Value, name: str
) -> None:
    """memcpy, memmove. Where or how much is not known, the data there is unknown afterwards."""
    size = executor.settled(state, size)
    if size == 0:
        return
    to, at = resolve(executor, state, target)
    origin, start = resolve(executor, state, source)
    for one in (to, origin):
        if one.freed >= 0:
            executor.misuse(state, one)
    if isinstance(at, int) and isinstance(start, int) and isinstance(size, int) and size >= 0:
        executor.memory.copy(state.own(to.id), at, state.own(origin.id), start, size)
        return
    smear(executor, state, to.id, name)
    # What the source leads to lies somewhere in the target: taken for held.
    state.kept = state.kept | led_to(executor, state, origin)


def fill_memory(
    executor: Executor, state: State, target: Value, byte: Value, size: Value, name: str
) -> None:
    """memset."""
    size = executor.settled(state, size)
    if size == 0:
        return
    to, at = resolve(executor, state, target)
    if to.freed >= 0:
        executor.misuse(state, to)
    if at == 0 and isinstance(size, Term) and size is executor.settled(state, to.size):
        size = mask(31)  # a block of unknown size as a whole: nothing lies beyond
    if not isinstance(size, int) or size < 0 or not isinstance(at, int):
        smear(executor, state, to.id, name)
        return
    executor.memory.fill(state.own(to.id), at, size, byte)
