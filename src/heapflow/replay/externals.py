"""Functions without a body: what their models say they do, or that nothing is known of them.

In:    a call, its arguments, the model.     Out: the state after the call.
Conditions of effects are decided before anything changes, so that a choice can start the call again.
Functions whose results can be computed are in `library`.
"""

from __future__ import annotations

from collections.abc import Iterable

from heapflow.models.model import (
    AccessPath,
    Alloc,
    Arg,
    Args,
    Assign,
    Borrowed,
    Call,
    Comparison,
    CopyMemory,
    Effect,
    Ensures,
    Exit,
    FillMemory,
    Free,
    FunctionModel,
    Global,
    Inside,
    Keep,
    NoReturn,
    Null,
    Offset,
    Op,
    Realloc,
    ResourceKind,
    Ret,
    ReturnsTwice,
    Size,
    Take,
    Unref,
    Write,
)
from heapflow.replay.aggregates import Aggregate
from heapflow.replay.code import Instr
from heapflow.replay.executor import Alternative, Choice, Cut, Ended, Executor
from heapflow.replay.memory import Ground, Kind, Object, addresses_in
from heapflow.replay.state import End, EventKind, Frame, State
from heapflow.replay.terms import Term, Value


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
    while stack:
        obj = state.objects.get(stack.pop())
        if obj is None or obj.freed >= 0:
            continue
        inner: set[int] = set()
        for value in held_values(executor, state, obj):
            addresses_in(value, inner)
        stack += inner - found
        found |= inner
    return {ident for ident in found if ident in state.objects}


def held_values(executor: Executor, state: State, obj: Object) -> list[Value]:
    """What an object holds; single bytes that make up an address are put together."""
    cells = obj.cells
    found = [executor.settled(state, value) for size, (value) in cells.values() if size >= 8]
    words = {at & ~7 for at, (size, _) in cells.items() if size < 8}
    for word in words:
        if all(word + i in cells and cells[word + i][0] == 1 for i in range(8)):
            found.append(executor.memory.read(obj, word, 8))
    for layer in obj.layers:
        if layer.copied is not None:
            found += held_values(executor, state, layer.copied)
    return found


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
    for ident in sorted(given):
        executor.forget(state, ident, name)
    state.kept = state.kept | given
    state.note(EventKind.PASSED, instr.id, func)
    give(executor, state, frame, instr, None, name)


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
        value = Aggregate(  # type: ignore[assignment]
            {
                offset: executor.unknown(f"{name}.{offset}", types.width(part), False)
                for offset, part in types.parts(instr.type)
            }
        )
    frame.regs[instr.result] = value  # type: ignore[assignment]


# Models ------------------------------------------------------------------------------------------


class _ModelCall:
    """One call of a modelled function."""

    def __init__(
        self,
        executor: Executor,
        state: State,
        frame: Frame,
        instr: Instr,
        model: FunctionModel,
        arguments: list[Value],
    ) -> None:
        self.executor, self.state, self.frame, self.instr = executor, state, frame, instr
        self.model, self.arguments = model, arguments
        self.name = f"call{instr.id}.{state.passes.get(instr.id, 0)}"
        self.result: Value | None = None
        self.width = instr.width
        self.failing = False
        self.rare = False  # it fails for want of memory

    def run(self) -> None:
        executor, state = self.executor, self.state
        self.result = self._result()
        effects = [effect for effect in self.model.effects if self._holds(effect)]
        self._check_end(effects)
        # From here on the state changes: nothing may be chosen any more.
        result_name(executor, state, self.instr)
        if self.rare:
            state.failed += 1
            state.note(EventKind.FAILED, self.instr.id)
        self._write_arguments(effects)
        for effect in effects:
            self._apply(effect)
        if not effects or self._is_only_borrowing(effects):
            state.note(EventKind.PASSED, self.instr.id, -1)
        give(executor, state, self.frame, self.instr, self.result, self.name)

    def _is_only_borrowing(self, effects: list[Effect]) -> bool:
        return not any(isinstance(e, Alloc | Free | Realloc | Take | Keep) for e in effects)

    # The result comes first: conditions speak of it.

    def _result(self) -> Value | None:
        if self.instr.result < 0:
            return None
        for effect in self.model.effects:
            target = getattr(effect, "target", None)
            if target != AccessPath(Ret()) or not self._arguments_hold(effect):
                continue
            if isinstance(effect, Alloc | Realloc):
                return self._allocated(effect)
            if isinstance(effect, Assign):
                return self._assigned(effect)
        value = self.executor.unknown(
            self.name, self.width or 64, self.executor.types.is_pointer(self.instr.type)
        )
        self._ensure(value)
        return value

    def _ensure(self, value: Value) -> None:
        for effect in self.model.effects:
            if isinstance(effect, Ensures) and effect.holds.left == AccessPath(Ret()):
                holds = self._compared(effect.holds, value)
                self.executor.require(self.state, holds)

    def _arguments_hold(self, effect: Effect) -> bool:
        when: tuple[Comparison, ...] = getattr(effect, "when", ())
        return all(
            self.executor.decide(self.state, self._compared(one, None))
            for one in when
            if one.left != AccessPath(Ret())
        )

    def _allocated(self, effect: Alloc | Realloc) -> Value:
        """Address of the new block, which is made later; 0 if the allocation fails."""
        ensured = any(
            isinstance(one, Ensures) and one.holds.left == AccessPath(Ret())
            for one in self.model.effects
        )
        if not ensured and self._fails(effect):
            self.failing = True
            return 0
        return self.executor.next_address(self.state)

    def _fails(self, effect: Alloc | Realloc) -> bool:
        """Whether this allocation fails: an ordinary outcome of opening a file, a rare one of
        asking for memory."""
        executor, state = self.executor, self.state
        family = executor.knowledge.models.families.get(effect.family)
        rare = family is None or family.kind is ResourceKind.MEMORY
        site = executor.watch.is_site(executor, state, self.instr)
        flag = executor.terms.var(f"fails:{self.name}", 1)
        known = state.known.get(flag.number)
        if known is None:
            wanted = site and isinstance(effect, Alloc) and not state.tracked
            if rare and (wanted or not executor.may_fail or state.failed):
                return False
            other = executor.terms.negate(flag)
            assert isinstance(other, Term)
            fails = executor.extend(state, flag)
            works = executor.extend(state, other)
            assert fails is not None and works is not None
            raise Choice([Alternative(other, works), Alternative(flag, fails, later=rare)])
        self.rare = bool(known) and rare
        return bool(known)

    def _assigned(self, effect: Assign) -> Value | None:
        """What the function returns, by its model."""
        executor, state = self.executor, self.state
        match effect.value:
            case AccessPath():
                if self._may_be_null(effect):
                    return 0
                return self._read(effect.value)
            case Inside(path):
                start = self._read(path)
                if self._may_be_null(effect):
                    return 0
                distance = executor.terms.var(f"{self.name}.distance", 64)
                executor.require(state, executor.terms.ult(64, distance, 1 << 16))
                return executor.terms.add(64, start, distance)
            case Borrowed():
                return executor.unknown(self.name, 64, True)
            case Null():
                return 0
        return None

    def _may_be_null(self, effect: Assign) -> bool:
        """Decided by a flag where the model leaves it open (`when ret != NULL`)."""
        if not any(one.left == AccessPath(Ret()) for one in effect.when):
            return False
        flag = self.executor.terms.var(f"null:{self.name}", 1)
        return self.executor.decide(self.state, flag)

    # Conditions

    def _holds(self, effect: Effect) -> bool:
        if isinstance(effect, Ensures):
            return False
        when: tuple[Comparison, ...] = getattr(effect, "when", ())
        return all(
            self.executor.decide(self.state, self._compared(one, self.result)) for one in when
        )

    def _compared(self, one: Comparison, result: Value | None) -> Value:
        terms = self.executor.terms
        if one.left == AccessPath(Ret()):
            value, width = (result if result is not None else 0), self.width or 64
            if result is None:
                value = self.executor.unknown(self.name, width, False)
        else:
            value, width = self._read(one.left), self._width(one.left)
        right = one.right & ((1 << width) - 1)
        match one.op:
            case Op.EQ:
                return terms.eq(width, value, right)
            case Op.NE:
                return terms.negate(terms.eq(width, value, right))
            case Op.LT:
                return terms.slt(width, value, right)
            case Op.LE:
                return terms.negate(terms.slt(width, right, value))
            case Op.GT:
                return terms.slt(width, right, value)
            case _:
                return terms.negate(terms.slt(width, value, right))

    def _width(self, path: AccessPath) -> int:
        if not path.steps and isinstance(path.root, Arg):
            operand = self.instr.operands[path.root.index]
            return self.executor.types.width(self.executor.knowledge.value_type[operand]) or 64
        return 64

    def _check_end(self, effects: list[Effect]) -> None:
        for effect in effects:
            if isinstance(effect, NoReturn) and effect.exit is not Exit.MAYBE:
                if effect.exit is Exit.UNWIND and self.arguments:
                    self._jump_back()
                raise Ended(End.EXITED)
            if isinstance(effect, ReturnsTwice) and self.arguments:
                buffer = self.arguments[0]
                if isinstance(buffer, int):
                    frame = self.frame
                    self.state.jumps[buffer] = (frame.number, frame.block, frame.index)
                self.result = 0

    def _jump_back(self) -> None:
        """longjmp: back to the frame that called setjmp, if it is still active."""
        state, buffer = self.state, self.arguments[0]
        target = state.jumps.get(buffer) if isinstance(buffer, int) else None
        numbers = [frame.number for frame in state.frames]
        if target is None or target[0] not in numbers:
            raise Ended(End.EXITED)
        raise JumpedBack(numbers.index(target[0]), target[1], target[2], self.arguments[-1])

    # Places

    def _read(self, path: AccessPath) -> Value:
        """The value at a place."""
        value = self._root(path)
        for step in path.steps:
            offset = step.bytes if isinstance(step, Offset) else 0
            at = self.executor.terms.add(64, value, offset)
            value = self.executor.load(self.state, at, 64, True)
        return value

    def _root(self, path: AccessPath) -> Value:
        match path.root:
            case Ret():
                return self.result if self.result is not None else 0
            case Arg(index):
                return self.arguments[index - 1] if index <= len(self.arguments) else 0
            case Args(first):
                return self.arguments[first - 1] if first <= len(self.arguments) else 0
            case Global():
                return 0

    def _store(self, path: AccessPath, value: Value) -> None:
        if not path.steps:
            if isinstance(path.root, Ret):
                self.result = value
            return
        address = self._read(AccessPath(path.root, path.steps[:-1]))
        last = path.steps[-1]
        offset = last.bytes if isinstance(last, Offset) else 0
        if isinstance(address, int) and address == 0:
            return
        at = self.executor.terms.add(64, address, offset)
        self.executor.store(self.state, at, 64, value)

    # Effects

    def _write_arguments(self, effects: list[Effect]) -> None:
        """Memory behind parameters that are not const is overwritten with data."""
        if self.model.pure or any(isinstance(e, Alloc | Free | Realloc | Take) for e in effects):
            stored = {
                e.target.root for e in effects if isinstance(e, Alloc | Free | Realloc | Take)
            }
        else:
            stored = set()
        told = {e.target.root for e in effects if isinstance(e, CopyMemory | FillMemory)}
        for index in self.model.written_args:
            if Arg(index) in stored or Arg(index) in told or index > len(self.arguments):
                continue
            self._overwrite(self.arguments[index - 1])
        for effect in effects:
            if isinstance(effect, Write):
                roots = [effect.target]
                if isinstance(effect.target.root, Args):
                    count = range(effect.target.root.first, len(self.arguments) + 1)
                    roots = [AccessPath(Arg(i), effect.target.steps) for i in count]
                for root in roots:
                    self._overwrite(self._read(root))

    def _overwrite(self, address: Value) -> None:
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
            start = address - obj.base if isinstance(address, int) else 0
            self.executor.forget(self.state, ident, self.name, start)

    def _apply(self, effect: Effect) -> None:
        match effect:
            case Alloc():
                self._allocate(effect)
            case Realloc():
                self._reallocate(effect)
            case Free(target, _, deep) if not isinstance(target.root, Global):
                self._free(self._read(target), deep)
            case Unref(target) if not isinstance(target.root, Global):
                self._keep(self._read(target))
            case Take(target) | Keep(target):
                self._keep_all(target)
            case Assign(target, value) if target.steps:
                self._store(target, self._valued(value))
            case CopyMemory(source, target, size):
                self._copy(self._read(source), self._read(target), size)
            case FillMemory(target, value, size):
                byte = self.arguments[value.index - 1] if isinstance(value, Arg) else value
                self._fill(self._read(target), byte, size)
            case Call(_, args):
                for argument in args:
                    if isinstance(argument, AccessPath | Inside):
                        path = argument.path if isinstance(argument, Inside) else argument
                        self._keep(self._read(path)) if effect.later else None
            case _:
                pass

    def _valued(self, value: object) -> Value:
        match value:
            case AccessPath():
                return self._read(value)
            case Inside(path):
                distance = self.executor.terms.var(f"{self.name}.inner", 64)
                return self.executor.terms.add(64, self._read(path), distance)
            case Null():
                return 0
            case _:
                return self.executor.unknown(f"{self.name}.borrowed", 64, True)

    def _allocate(self, effect: Alloc) -> None:
        executor, state = self.executor, self.state
        if effect.target == AccessPath(Ret()) and self.failing:
            return
        made = executor.new_block(state, self.instr, self._bytes(effect.size), effect.family)
        if effect.zeroed:
            state.own(made.id).ground = Ground.ZERO
        if effect.target == AccessPath(Ret()):
            self.result = made.base
        else:
            self._store(effect.target, made.base)
        executor.watch.allocated(executor, state, made, self.instr)

    def _reallocate(self, effect: Realloc) -> None:
        executor, state = self.executor, self.state
        if effect.target == AccessPath(Ret()) and self.failing:
            return
        old = executor.settled(state, self._read(effect.source))
        made = executor.new_block(state, self.instr, self._bytes(effect.size), effect.family)
        if isinstance(old, int) and old:
            source = executor.object(state, old >> 32)
            size = source.size if isinstance(source.size, int) and source.size >= 0 else 1 << 20
            executor.memory.copy(made, 0, state.own(source.id), 0, size)
            if source.kind is Kind.HEAP:
                executor.release(state, source, self.instr.id)
        elif isinstance(old, Term):
            made.ground = Ground.UNKNOWN
        if effect.target == AccessPath(Ret()):
            self.result = made.base
        else:
            self._store(effect.target, made.base)
        executor.watch.allocated(executor, state, made, self.instr)

    def _bytes(self, size: Size | None) -> Value:
        if size is None:
            return -1
        terms = self.executor.terms
        total: Value = size.scale
        for index in size.factors:
            operand = self.instr.operands[index]
            width = self.executor.types.width(self.executor.knowledge.value_type[operand]) or 64
            factor = terms.zext(64, self.arguments[index - 1], width)
            total = terms.mul(64, total, factor)
        return total

    def _free(self, pointer: Value, deep: bool) -> None:
        executor, state = self.executor, self.state
        pointer = executor.settled(state, pointer)
        if not isinstance(pointer, int) or pointer == 0:
            found: set[int] = set()
            addresses_in(pointer, found)
            if not state.tracked.isdisjoint(found):
                raise Cut("free of a computed address")
            return
        obj = executor.object(state, pointer >> 32)
        if obj.kind in (Kind.STACK, Kind.GLOBAL, Kind.CODE) and not deep:
            raise Ended(End.BROKEN)
        inside = reachable(executor, state, [pointer]) if deep else {obj.id}
        for ident in sorted(inside):
            one = state.objects[ident]
            if one.kind in (Kind.HEAP, Kind.WORLD) and one.freed < 0:
                executor.release(state, one, self.instr.id)
            elif one.freed >= 0 and not deep:
                raise Ended(End.BROKEN)

    def _keep(self, pointer: Value) -> None:
        found: set[int] = set()
        addresses_in(self.executor.settled(self.state, pointer), found)
        self.state.kept = self.state.kept | found

    def _keep_all(self, target: AccessPath) -> None:
        if isinstance(target.root, Args):
            for index in range(target.root.first, len(self.arguments) + 1):
                self._keep(self._read(AccessPath(Arg(index), target.steps)))
        else:
            self._keep(self._read(target))

    def _copy(self, source: Value, target: Value, size: Size | None) -> None:
        copy_memory(self.executor, self.state, target, source, self._bytes(size), self.name)

    def _fill(self, target: Value, byte: Value, size: Size | None) -> None:
        fill_memory(self.executor, self.state, target, byte, self._bytes(size), self.name)


class JumpedBack(Exception):
    """longjmp: control goes on behind a setjmp."""

    def __init__(self, depth: int, block: int, index: int, value: Value) -> None:
        super().__init__(depth)
        self.depth, self.block, self.index, self.value = depth, block, index, value


def call_model(
    executor: Executor,
    state: State,
    frame: Frame,
    instr: Instr,
    model: FunctionModel,
    arguments: list[Value],
) -> None:
    """A call of a modelled function."""
    _ModelCall(executor, state, frame, instr, model, arguments).run()


def copy_memory(
    executor: Executor, state: State, target: Value, source: Value, size: Value, name: str
) -> None:
    """memcpy, memmove. Where or how much is not known, the data there is unknown afterwards."""
    size = executor.settled(state, size)
    if size == 0:
        return
    to, at = executor.resolve(state, target)
    origin, start = executor.resolve(state, source)
    if to.freed >= 0 or origin.freed >= 0:
        raise Ended(End.BROKEN)
    if isinstance(at, int) and isinstance(start, int) and isinstance(size, int) and size >= 0:
        executor.memory.copy(state.own(to.id), at, state.own(origin.id), start, size)
        return
    executor.smear(state, to.id, name)
    held: set[int] = set()
    for value in held_values(executor, state, origin):
        addresses_in(value, held)
    if not state.tracked.isdisjoint(held):
        state.kept = state.kept | held  # somewhere in the target: taken for held


def fill_memory(
    executor: Executor, state: State, target: Value, byte: Value, size: Value, name: str
) -> None:
    """memset."""
    size = executor.settled(state, size)
    if size == 0:
        return
    to, at = executor.resolve(state, target)
    if to.freed >= 0:
        raise Ended(End.BROKEN)
    if not isinstance(size, int) or size < 0 or not isinstance(at, int):
        executor.smear(state, to.id, name)
        return
    executor.memory.fill(state.own(to.id), at, size, byte)
