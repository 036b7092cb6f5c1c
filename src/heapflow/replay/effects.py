"""What a modelled function does to the state, once everything about the call is decided.

In:    the call, the effects that happen.     Out: the state after them.
"""

from __future__ import annotations

from typing import Final

from heapflow.models.model import (
    AccessPath,
    Alloc,
    Arg,
    Args,
    Assign,
    Call,
    CopyMemory,
    Drop,
    Effect,
    Expose,
    FillMemory,
    Free,
    Global,
    Hold,
    Inside,
    Keep,
    Null,
    Offset,
    Realloc,
    Ret,
    Size,
    Take,
    Unref,
    Write,
)
from heapflow.replay.addresses import resolve, store_at
from heapflow.replay.aggregates import Aggregate
from heapflow.replay.decisions import require, settle
from heapflow.replay.descriptors import (
    close_number,
    is_descriptor,
    take_number,
)
from heapflow.replay.events import EventKind
from heapflow.replay.externals import copy_memory, fill_memory, led_to, reachable
from heapflow.replay.memory import Ground, Kind, Object, addresses_in
from heapflow.replay.places import ModelledCall
from heapflow.replay.releasing import keep, release
from heapflow.replay.term import Term, Value

# What these do to a parameter is not that its bytes are overwritten.
_TOUCHING: Final = (Alloc, Free, Realloc, Take, CopyMemory, FillMemory)
_RESULT: Final = AccessPath(Ret())


def apply_effects(call: ModelledCall, effects: list[Effect]) -> None:
    """All of them, in order."""
    _Effects(call).run(effects)


class _Effects:
    """The changes that one call makes."""

    def __init__(self, call: ModelledCall) -> None:
        self.call, self.executor, self.state = call, call.executor, call.state
        self.instr, self.arguments = call.instr, call.arguments

    def run(self, effects: list[Effect]) -> None:
        self._write_arguments(effects)
        for effect in effects:
            self._apply(effect)

    def _write_arguments(self, effects: list[Effect]) -> None:
        """Memory behind parameters that are not const is overwritten with data."""
        spared = {effect.target.root for effect in effects if isinstance(effect, _TOUCHING)}
        spared |= {effect.source.root for effect in effects if isinstance(effect, Realloc)}
        for index in self.call.model.written_args:
            if Arg(index) not in spared and index <= len(self.arguments):
                self._overwrite(self.arguments[index - 1], index)
        for effect in effects:
            if isinstance(effect, Write):
                roots = [effect.target]
                if isinstance(effect.target.root, Args):
                    count = range(effect.target.root.first, len(self.arguments) + 1)
                    roots = [AccessPath(Arg(i), effect.target.steps) for i in count]
                for root in roots:
                    self._overwrite(self.call.read(root))
                    if self.call.model.is_belief:
                        self._fill_variables(self.call.read(root))

    def _overwrite(self, address: Value, index: int = 0) -> None:
        found: set[int] = set()
        address = self.executor.settled(self.state, address)
        if not isinstance(address, int):
            addresses_in(address, found)
        elif address >> 32 in self.state.objects:
            found.add(address >> 32)
        elif address >> 32:
            self.executor.object(self.state, address >> 32)
            found.add(address >> 32)
        for ident in found & self.state.objects.keys():
            obj = self.state.objects[ident]
            start, end = self._stretch(obj, index)
            start = address - obj.base if isinstance(address, int) else start
            # Calls that agree leave the same behind their arguments.
            agrees = self.call.agrees and (end >= 0 or not start)
            name = f"{self.call.name}.{index}@{start}" if agrees else self.call.name
            self.executor.forget(self.state, ident, name, start, end=end, is_whole=agrees)

    def _fill_variables(self, address: Value) -> None:
        """Local variables whose addresses lie in a struct are there to be filled by who gets it."""
        address = self.executor.settled(self.state, address)
        held = self.state.objects.get(address >> 32) if isinstance(address, int) else None
        if held is None or held.freed >= 0:
            return
        for ident in sorted(led_to(self.executor, self.state, held)):
            obj = self.state.objects.get(ident)
            if obj is not None and obj.kind is Kind.STACK and obj is not held:
                self.executor.forget(self.state, ident, self.call.name)

    def _stretch(self, obj: Object, index: int) -> tuple[int, int]:
        """Where the member lies into which an argument leads; an end of -1: that of the object."""
        operands, frame = self.instr.operands, self.call.frame
        if not 0 < index < len(operands):
            return 0, -1
        stretch = self.executor.stretch(self.state, frame, operands[index])
        if stretch is None or stretch[0] >> 32 != obj.id:
            return 0, -1
        return stretch[0] - obj.base, stretch[1] - obj.base if stretch[1] >= 0 else -1

    def _apply(self, effect: Effect) -> None:
        match effect:
            case Alloc():
                self._allocate(effect)
            case Realloc():
                self._reallocate(effect)
            case Free(target, family) if is_descriptor(self.executor, family):
                number = self.executor.settled(self.state, self.call.read(target))
                close_number(self.executor, self.state, number, self.instr.id)
            case Free(target, family, deep) if not isinstance(target.root, Global):
                release(self.call, self.call.read(target), family, deep)
            case Hold(target, family):
                self._hold(target, family)
            case Drop(target):
                self._drop(target)
            case Unref(target) if not isinstance(target.root, Global):
                keep(self.call, self.call.read(target))
            case Take(target) | Keep(target):
                self._keep_all(target)
            case Expose(target, member, spares=spares):
                self._expose(target, member, spares)
            case Assign(AccessPath(Global()), value):
                keep(self.call, self._valued(value))
            case Assign(target, value) if target.steps:
                if isinstance(target.root, Ret) and self.call.result:
                    # The result may be an argument: its cell stands for all elements of a list, and
                    # what the others hold stays.
                    keep(self.call, self.call.read(target))
                self.call.store(target, self._valued(value))
            case CopyMemory(source, target, size):
                self._copy(self.call.read(source), self.call.read(target), size)
            case FillMemory(target, value, size):
                byte = self.arguments[value.index - 1] if isinstance(value, Arg) else value
                self._fill(self.call.read(target), byte, size)
            case Call(_, args, True):
                for argument in args:
                    if isinstance(argument, (AccessPath, Inside)):
                        path = argument.path if isinstance(argument, Inside) else argument
                        keep(self.call, self.call.read(path))
            case _:
                pass

    def _valued(self, value: object) -> Value:
        match value:
            case AccessPath():
                return self.call.read(value)
            case Inside(path):
                distance = self.executor.terms.var(f"{self.call.name}.inner", 64)
                return self.executor.terms.add(64, self.call.read(path), distance)
            case Null():
                return 0
            case _:
                return self.executor.unknown(f"{self.call.name}.borrowed", 64, True)

    def _allocate(self, effect: Alloc) -> None:
        executor, state = self.executor, self.state
        if effect.target == _RESULT and self.call.failing:
            return
        if effect.target.steps and self._holder(effect.target) == 0:
            return
        made = executor.new_block(state, self.instr, self.call.bytes(effect.size), effect.family)
        if effect.zeroed:
            state.own(made.id).ground = Ground.ZERO
        if is_descriptor(executor, effect.family):
            take_number(state, made)
            self._put_number(effect.target, made.number)
        elif effect.target == _RESULT:
            self.call.result = made.base
        else:
            self.call.put(effect.target, made.base)
        executor.watch.allocated(executor, state, made, self.instr)

    def _holder(self, target: AccessPath) -> Value:
        """What a place lies in; 0: the caller has no use for it, so there is none."""
        within = self.call.read(AccessPath(target.root, target.steps[:-1]))
        return self.executor.settled(self.state, within)

    def _hold(self, target: AccessPath, family: str) -> None:
        """A lock that is held is an object whose number is the address of what was locked."""
        executor, state = self.executor, self.state
        made = executor.new_object(state, Kind.HEAP, "held", 0, self.instr.id)
        made.family, made.number = family, self._address(target)
        state.note(EventKind.ALLOCATED, self.instr.id, made.id)
        executor.watch.allocated(executor, state, made, self.instr)

    def _drop(self, target: AccessPath) -> None:
        address = self._address(target)
        for one in list(self.state.objects.values()):
            if one.number == address and one.freed < 0:
                self.executor.release(self.state, one, self.instr.id)

    def _address(self, target: AccessPath) -> int:
        """Where what is meant lies; a pointer from outside leads to an object of its own."""
        value = self.executor.settled(self.state, self.call.read(target))
        if isinstance(value, int):
            return value
        obj, offset = resolve(self.executor, self.state, value)
        return obj.base + settle(self.executor, self.state, offset)

    def _put_number(self, target: AccessPath, number: int) -> None:
        if target == _RESULT:
            self.call.result = number
            return
        address = self.call.read(AccessPath(target.root, target.steps[:-1]))
        last = target.steps[-1]
        offset = last.bytes if isinstance(last, Offset) else 0
        at = self.executor.terms.add(64, address, offset)
        store_at(self.executor, self.state, at, 32, number)

    def _reallocate(self, effect: Realloc) -> None:
        executor, state = self.executor, self.state
        if effect.target == _RESULT and self.call.failing:
            return
        old = executor.settled(state, self.call.read(effect.source))
        size = self.call.bytes(effect.size)
        self._require_bytes(old, size)
        made = executor.new_block(state, self.instr, size, effect.family)
        if isinstance(old, int) and old:
            source = executor.object(state, old >> 32)
            size = source.size if isinstance(source.size, int) and source.size >= 0 else 1 << 20
            executor.memory.copy(made, 0, state.own(source.id), 0, size)
            if source.kind is Kind.HEAP:
                executor.release(state, source, self.instr.id)
        elif isinstance(old, Term):
            made.ground = Ground.UNKNOWN
        if effect.target == _RESULT:
            self.call.result = made.base
        else:
            self.call.store(effect.target, made.base)
        executor.watch.allocated(executor, state, made, self.instr)

    def _require_bytes(self, old: Value, size: Value) -> None:
        """A block that is there is not resized to nothing: that releases it, and gives none."""
        if size != -1 and old != 0:
            terms = self.executor.terms
            require(self.executor, self.state, terms.negate(terms.eq(64, size, 0)))

    def _keep_all(self, target: AccessPath) -> None:
        if isinstance(target.root, Args):
            for index in range(target.root.first, len(self.arguments) + 1):
                keep(self.call, self.call.read(AccessPath(Arg(index), target.steps)))
        else:
            keep(self.call, self.call.read(target))

    def _expose(self, target: AccessPath, member: int, spares: bool) -> None:
        """Unknown code may keep and change an argument with all behind it, or all behind it only. Who
        may spare that, and changes it, keeps the blocks that are asked about."""
        root, last = target.root, len(self.arguments)
        first = root.first if isinstance(root, Args) else root.index if isinstance(root, Arg) else 0
        last = last if isinstance(root, Args) else min(first, last)
        for position in range(first, last + 1):
            given = self.arguments[position - 1]
            roots = list(given.parts.values()) if isinstance(given, Aggregate) else [given]
            inside = self._member(roots, member, position)
            if inside is not None:
                roots = inside
            found = reachable(self.executor, self.state, roots)
            for ident in sorted(found):
                self.executor.forget(self.state, ident, self.call.name)
            if target.steps and inside is None:
                for value in roots:
                    own: set[int] = set()
                    addresses_in(self.executor.settled(self.state, value), own)
                    found -= own
            if spares and self.state.tracked.isdisjoint(found):
                continue
            if not self.call.failing:  # what makes something, and could not, keeps nothing for it
                self.state.kept = self.state.kept | found

    def _member(self, roots: list[Value], member: int, position: int) -> list[Value] | None:
        """What the bytes of a member hold, if an argument points into a larger object, or was
        computed as a member's address; they are changed."""
        address = self.executor.settled(self.state, roots[0]) if len(roots) == 1 else 0
        if member < 0 or not isinstance(address, int):
            return None
        obj = self.state.objects.get(address >> 32)
        offset = address - obj.base if obj is not None else 0
        if obj is None or offset < 0 or obj.freed >= 0:
            return None
        value = self.instr.operands[position] if position < len(self.instr.operands) else -1
        if not offset and (
            value < 0 or not self.executor.knowledge.program.is_member_address(value)
        ):
            return None
        held = [v for at, (_, v) in obj.cells.items() if offset <= at < offset + member]
        own = self.state.own(obj.id)
        self.executor.memory.forget_part(own, offset, member, self.call.name)
        return held

    def _copy(self, source: Value, target: Value, size: Size | None) -> None:
        copy_memory(
            self.executor, self.state, target, source, self.call.bytes(size), self.call.name
        )

    def _fill(self, target: Value, byte: Value, size: Size | None) -> None:
        fill_memory(self.executor, self.state, target, byte, self.call.bytes(size), self.call.name)
