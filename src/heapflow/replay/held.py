"""Whether anything that lives still leads to a block.

In:    a state.     Out: yes or no.
Roots are the values that are still needed in any frame (liveness), the variables of the source as
long as their function runs, local variables in memory, globals, objects of the outer world, and
what was given to code that may keep it. From there on it is plain reachability over what memory
holds: lists, trees, tail pointers, inline buffers and owner fields need no rule of their own. The
way that led to a block the last time is tried first (`State.ways`): mostly it still does.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from typing import Final, NamedTuple

from heapflow.replay.aggregates import Aggregate
from heapflow.replay.descriptors import has_number, is_lock
from heapflow.replay.executor import Executor
from heapflow.replay.facts import facts_of, numbers_of
from heapflow.replay.frame import Frame
from heapflow.replay.memory import SMALLEST_ADDRESS, Kind, Object, addresses_in
from heapflow.replay.state import State
from heapflow.replay.terms import Value

_WORLD: Final = Kind.WORLD
_GLOBAL: Final = Kind.GLOBAL
_HEAP: Final = Kind.HEAP
_NOTHING: Final = frozenset[int]()


class Way(NamedTuple):
    """How a block is reached: a name of a frame (-1: an object that is a root), then cells."""

    frame: int
    name: int
    cells: tuple[tuple[int, int], ...]  # object, offset: the first is the root or what the name is


def is_held(executor: Executor, state: State, block: int) -> bool:
    """Whether some way leads to the block."""
    if block in state.kept:
        return True
    number = state.objects[block].number
    if is_lock(executor, state.objects[block]):
        locked_by = executor.knowledge.func_of(state.objects[block].by)
        return any(frame.code.func == locked_by for frame in state.frames)
    if number:
        way = state.ways.get(block)
        if way is not None and _still_has(executor, state, way, number):
            return True
        way = state.ways[block] = _way_to_number(executor, state, number)
        return way is not None
    way = state.ways.get(block)
    if way is not None and _still_leads(executor, state, way, block):
        return True
    names: dict[int, tuple[int, int]] = {}  # object -> frame and name that lead to it
    if _is_named(executor, state, block, names):
        state.ways[block] = Way(*names[block], ())
        return True
    came_from: dict[int, tuple[int, int]] = {}  # object -> object and offset that lead to it
    passed = _passed(executor, state)
    if block in passed:
        return True
    for ident in (*_roots(state), *sorted(passed)):
        names.setdefault(ident, (-1, -1))
    if not _reach(executor, state, names.keys(), block, came_from):
        return False
    cells: list[tuple[int, int]] = []
    at = block
    while at in came_from and at not in names:
        cells.append(came_from[at])
        at = came_from[at][0]
    if at in names:
        state.ways[block] = Way(*names[at], tuple(cells[::-1]))
    return True


def _is_named(
    executor: Executor, state: State, block: int, names: dict[int, tuple[int, int]]
) -> bool:
    """Whether a value that is needed leads to the block itself; if none does, `names` has where all
    that they lead to was found first."""
    for position in range(len(state.frames) - 1, -1, -1):
        frame = state.frames[position]
        for name, value in _live_values(state, frame, position):
            if type(value) is int:
                names.setdefault(value >> 32, (frame.number, name))
                if value >> 32 == block:
                    return True
                continue
            inner: set[int] = set()
            for one in _scalars(value):
                addresses_in(executor.settled(state, one), inner)
            for ident in inner:
                names.setdefault(ident, (frame.number, name))
            if block in inner:
                return True
        for ident in frame.allocas:
            names.setdefault(ident, (frame.number, -1))
        if block in names:
            return True
    return False


def _passed(executor: Executor, state: State) -> set[int]:
    """What variable arguments lead to: a function may read them until it returns."""
    found: set[int] = set()
    for frame in state.frames:
        for one in frame.extra:
            for value in _scalars(one.value):
                addresses_in(executor.settled(state, value), found)
    return found


def at_the_end(
    executor: Executor, state: State, block: int, result: Value | None, unread: frozenset[int]
) -> bool:
    """The same when the outermost function returns: its variables are gone, and globals that nobody
    reads from then on (`unread`) keep nothing."""
    if block in state.kept:
        return True
    number = state.objects[block].number
    if is_lock(executor, state.objects[block]):
        return False
    if number:
        return _number_is_left(executor, state, number, result, unread)
    found: set[int] = set(_roots(state)) - unread
    for value in _scalars(result):
        addresses_in(executor.settled(state, value), found)
    return block in found or _reach(executor, state, found, block, {})


def _way_to_number(executor: Executor, state: State, number: int) -> Way | None:
    """The same for a descriptor: its number lies in a value that is needed, or in memory."""
    starts: set[int] = set(_roots(state))
    for position, frame in enumerate(state.frames):
        live = _live(state, frame, position)
        bits = frame.code.bit
        named = set(frame.variables.values()) | _about_to_be_named(frame)
        for name, value in frame.regs.items():
            bit = bits.get(name)
            if (bit is None or not live >> bit & 1) and name not in named:
                continue
            for one in _scalars(value):
                settled = executor.settled(state, one)
                if has_number([settled], number):
                    return Way(frame.number, name, ())
                addresses_in(settled, starts)
        starts.update(frame.allocas)
    starts |= _passed(executor, state)
    found = _memory_with(executor, state, starts, number)
    return None if found < 0 else Way(-1, -1, ((found, 0),))


def _still_has(executor: Executor, state: State, way: Way, number: int) -> bool:
    """Whether the number is still where it was, and that is still needed. Of a block of the heap it
    would have to be asked who holds it."""
    if way.frame < 0:
        obj = state.objects.get(way.cells[0][0])
        if obj is None or obj.freed >= 0 or not _is_root(state, obj):
            return False
        return _has_number(executor, state, obj, number)
    for position, frame in enumerate(state.frames):
        if frame.number == way.frame:
            value = frame.regs.get(way.name)
            if value is None or not _is_needed(state, frame, position, way.name):
                return False
            return any(has_number([executor.settled(state, v)], number) for v in _scalars(value))
    return False


def _is_root(state: State, obj: Object) -> bool:
    if obj.kind is _WORLD or obj.kind is _GLOBAL or obj.id in state.kept:
        return True
    return any(obj.id in frame.allocas for frame in state.frames)


def _is_needed(state: State, frame: Frame, position: int, name: int) -> bool:
    """Whether a value of a frame is used again, or is that of a source variable."""
    bit = frame.code.bit.get(name)
    if bit is not None and _live(state, frame, position) >> bit & 1:
        return True
    return name in frame.variables.values() or name in _about_to_be_named(frame)


def _number_is_left(
    executor: Executor, state: State, number: int, result: Value | None, unread: frozenset[int]
) -> bool:
    starts: set[int] = set(_roots(state)) - unread
    for value in _scalars(result):
        settled = executor.settled(state, value)
        if has_number([settled], number):
            return True
        addresses_in(settled, starts)
    return _memory_with(executor, state, starts, number) >= 0


def _memory_with(executor: Executor, state: State, starts: set[int], number: int) -> int:
    """An object that some objects lead to and that has the number of a descriptor in it; -1: none."""
    reached: dict[int, tuple[int, int]] = {}
    _reach(executor, state, starts, -1, reached)
    for ident in starts | reached.keys():
        obj = state.objects.get(ident)
        if obj is None or obj.freed >= 0 or not (obj.cells or obj.layers):
            continue
        if _has_number(executor, state, obj, number):
            return ident
    return -1


def _has_number(executor: Executor, state: State, obj: Object, number: int) -> bool:
    """Whether the contents of an object have the number of a descriptor in them, or one beside it."""
    numbers, undecided = numbers_of(executor.memory, obj)
    if not numbers.isdisjoint((number, number - 1, number + 1)):
        return True
    bound = state.bound.keys()
    settled = [executor.settled(state, v) for v in undecided if not bound.isdisjoint(v.atoms)]
    return has_number(settled, number)


def owners_of(executor: Executor, state: State, block: int) -> list[int]:
    """Blocks that nobody released and that lead to this one: lost with it, or before."""
    return [
        obj.id
        for obj in state.objects.values()
        if obj.kind is _HEAP and obj.freed < 0 and obj.id != block
        if _reach(executor, state, (obj.id,), block, {})
    ]


def _roots(state: State) -> Iterable[int]:
    yield from state.kept
    for obj in state.objects.values():
        if obj.kind is _WORLD or obj.kind is _GLOBAL:
            yield obj.id


def _still_leads(executor: Executor, state: State, way: Way, block: int) -> bool:
    """Whether every step of a way is still there."""
    target = way.cells[0][0] if way.cells else block
    if way.frame < 0:
        obj = state.objects.get(target)
        if obj is None or (
            obj.kind is not _WORLD and obj.kind is not _GLOBAL and target not in state.kept
        ):
            return False
    elif not _frame_leads(executor, state, way, target):
        return False
    for number, (ident, offset) in enumerate(way.cells):
        obj = state.objects.get(ident)
        cell = obj.cells.get(offset) if obj is not None and obj.freed < 0 else None
        leads = way.cells[number + 1][0] if number + 1 < len(way.cells) else block
        if cell is None or not _leads(executor, state, cell[1], leads):
            return False
    return True


def _frame_leads(executor: Executor, state: State, way: Way, target: int) -> bool:
    for position, frame in enumerate(state.frames):
        if frame.number != way.frame:
            continue
        if way.name < 0:
            return target in frame.allocas
        value = frame.regs.get(way.name)
        return _leads(executor, state, value, target) and _is_needed(
            state, frame, position, way.name
        )
    return False


def _leads(executor: Executor, state: State, value: Value | None, target: int) -> bool:
    """Whether a value may be an address of an object, or has one in it."""
    if type(value) is int:
        return value >> 32 == target
    inner: set[int] = set()
    for one in _scalars(value):
        addresses_in(executor.settled(state, one), inner)
    return target in inner


def _live(state: State, frame: Frame, position: int) -> int:
    if frame.index == 0:
        return frame.code.blocks[frame.block].live_start
    # The caller's call is still being executed; the top frame's last instruction is done.
    done = frame.index if position < len(state.frames) - 1 else frame.index - 1
    return frame.code.live_after(frame.block, done)


def _about_to_be_named(frame: Frame) -> AbstractSet[int]:
    """What the next instruction's bindings give to variables: a call's result is assigned behind it."""
    instrs = frame.code.blocks[frame.block].instrs
    if frame.index >= len(instrs):
        return _NOTHING
    bindings = instrs[frame.index].bindings
    if not bindings:
        return _NOTHING
    if all(frame.variables.get(one) == name for one, name in dict(bindings).items()):
        return _NOTHING  # it was done
    return {name for _, name in bindings}


def _live_values(state: State, frame: Frame, position: int) -> Iterable[tuple[int, Value]]:
    """Names and values that a frame still needs, and those of its source variables."""
    live = _live(state, frame, position)
    bits = frame.code.bit
    named: set[int] | None = None
    for name, value in frame.regs.items():
        if type(value) is int and value < SMALLEST_ADDRESS:
            continue
        number = bits.get(name)
        if number is None or not live >> number & 1:
            if named is None:
                named = {*frame.variables.values(), *_about_to_be_named(frame)}
            if name not in named:
                continue
        yield name, value


def live_values_at(state: State, frame: Frame, position: int) -> list[Value | None]:
    """The same with numbers that are no addresses, in the order of the names that are live there."""
    return list(map(frame.regs.get, frame.code.names(_live(state, frame, position))))


def _reach(
    executor: Executor,
    state: State,
    starts: Iterable[int],
    block: int,
    came_from: dict[int, tuple[int, int]],
) -> bool:
    """Whether memory leads from some objects to the block; `came_from` tells how."""
    seen = set(starts)
    stack = list(seen)
    objects, memory, bound = state.objects, executor.memory, state.bound.keys()
    while stack:
        obj = objects.get(stack.pop())
        if obj is None or obj.freed >= 0 or not (obj.cells or obj.layers):
            continue
        facts = facts_of(memory, obj)
        found = facts.leads
        if facts.open_atoms and not bound.isdisjoint(facts.open_atoms):
            found = dict(found)
            for offset, value in facts.open:
                inner: set[int] = set()
                addresses_in(executor.settled(state, value), inner)
                for ident in inner:
                    found.setdefault(ident, offset)
        if not found:
            continue
        for ident in found.keys() - seen:
            seen.add(ident)
            came_from[ident] = (obj.id, found[ident])
            if ident == block:
                return True
            stack.append(ident)
    return False


def _scalars(value: Value | None) -> Iterable[Value]:
    if value is None:
        return ()
    if isinstance(value, Aggregate):
        return value.parts.values()
    return (value,)
