"""What calls of external functions do, as single steps on values and locations.

In:    Program, models, MemoryFacts.     Out: Acts per call instruction.
Example: `n = asprintf(&s, …)` with `&s` → {s} is FRESH_AT {s}; `free(p)` is FREE p; `q = strchr(p, c)`
         is PASS p; `memcpy(d, s, 16)` with pointers at 0 and 8 is two TRANSFERs.
A path like `*arg1` is a set of locations whose contents are meant; a longer one goes through what
those contents point to. Arguments of functions without a model escape, with what their objects hold;
so do those that a belief exposes (`heapflow.ownership`).
Not modelled: `when` is left to the leak engine; `Write`, `FillMemory` and `Ref` move no pointer.
"""

from __future__ import annotations

from collections.abc import Iterator

from heapflow.ir.kinds import FuncFlag, Op, ValueKind
from heapflow.memssa.act import NO_EFFECT, Act, ActKind, Acts, Callback, Escaping
from heapflow.memssa.distances import reached, spread
from heapflow.memssa.facts import LocationKind, MemoryFacts
from heapflow.models.model import (
    AccessPath,
    Alloc,
    Arg,
    Args,
    Assign,
    Call,
    CopyMemory,
    Effect,
    Expose,
    Free,
    FunctionModel,
    Give,
    Global,
    Inside,
    Keep,
    Offset,
    Realloc,
    Ret,
    Step,
    Take,
    Unref,
    Value,
)
from heapflow.pointsto.effects import Effects
from heapflow.pointsto.facts import Facts
from heapflow.support.bitset import from_members, members


def find_acts(facts: Facts, models: Effects, memory: MemoryFacts) -> Acts:
    """The steps of every call that leaves the program."""
    finder = _Finder(facts, models, memory)
    for row in range(facts.instr_count):
        if facts.is_call(row):
            finder.call(row)
    return finder.acts


class _Finder:
    def __init__(self, facts: Facts, models: Effects, memory: MemoryFacts) -> None:
        self.facts, self.models, self.memory = facts, models, memory
        self.acts = Acts()
        self._effect_numbers: dict[Effect, int] = {}
        # Function addresses and string literals are values too, but nothing can be lost with them.
        self.data = ~memory.mask(LocationKind.FUNCTION)

    def call(self, row: int) -> None:
        facts = self.facts
        callee_value = facts.operand[facts.start[row]]
        if facts.value_kind[callee_value] == ValueKind.INLINE_ASM:
            for arg in self._args(row):
                self._add(Act(ActKind.ESCAPE, row, -1, value=arg, why=Escaping.ASSEMBLER))
            return
        callees = self.memory.callees.get(row, ())
        if not callees:
            self._unresolved(row, callee_value)
        for func in callees:
            if facts.has_body(func):
                continue
            if facts.func_flags[func] & FuncFlag.INTRINSIC:
                self._intrinsic(row, func)
                continue
            model = self.models.of(func)
            if model is None:
                self._unknown(row, func)
            else:
                self._model(row, func, model)

    def _unresolved(self, row: int, callee_value: int) -> None:
        """A call through a pointer of which nothing is known, or a library's (`xmlFree`)."""
        facts = self.facts
        if facts.value_kind[callee_value] == ValueKind.INSTR:
            load = facts.value_index[callee_value]
            if facts.op[load] == Op.LOAD:
                pointer = facts.operand[facts.start[load]]
                if facts.value_kind[pointer] == ValueKind.GLOBAL:
                    name = facts.program.global_name(facts.value_index[pointer])
                    model = self.models.of_variable(name)
                    if model is not None:
                        self._model(row, -1, model)
                        return
        for arg in self._args(row):
            self._add(Act(ActKind.ESCAPE, row, -1, value=arg))
            places = self.memory.of_objects(self.memory.value_set[arg] & self.data)
            if places:
                self._add(Act(ActKind.ESCAPE_AT, row, -1, places=places))

    def _args(self, row: int) -> list[int]:
        args = self.facts.operands(row)[1:]
        return [arg for arg in args if self.memory.may_carry[arg]]

    def _add(self, act: Act) -> None:
        self.acts.by_instr.setdefault(act.instr, []).append(act)

    def _intrinsic(self, row: int, func: int) -> None:
        name = self.facts.program.func_name(func)
        args = self.facts.operands(row)[1:]
        if name.startswith(("llvm.memcpy", "llvm.memmove", "llvm.va_copy")):
            size = self._number(args[2]) if len(args) > 2 else -1
            sets = self.memory.value_set
            self._copy(row, func, sets[args[1]], sets[args[0]], size, NO_EFFECT)
        elif self.facts.result[row] >= 0 and self.memory.may_carry[self.facts.result[row]]:
            for arg in self._args(row):
                self._add(Act(ActKind.PASS, row, func, value=arg))

    def _unknown(self, row: int, func: int) -> None:
        self.acts.unmodelled[func] = self.acts.unmodelled.get(func, 0) + 1
        for arg in self._args(row):
            self._expose(row, func, arg)

    def _expose(
        self, row: int, func: int, arg: int, *, itself: bool = True, member: int = -1
    ) -> None:
        """Unknown code gets a value with what its objects hold, or only what they hold."""
        if not self.memory.may_carry[arg]:
            return
        pointed = self.memory.value_set[arg] & self.data
        inner = member >= 0 and self._is_inside(arg, pointed)
        if itself and not inner:
            self._add(Act(ActKind.ESCAPE, row, func, value=arg))
        if inner:
            places = 0
            for found in spread(self.memory, pointed, member).values():
                places |= found
        else:
            places = self.memory.of_objects(pointed)
        if places:
            self._add(Act(ActKind.ESCAPE_AT, row, func, places=places))

    def _is_inside(self, value: int, pointed: int) -> bool:
        """Whether a pointer is that of a member, not of the struct."""
        if self.facts.program.is_member_address(value):
            return True
        offset = self.memory.offset
        if pointed:
            return all(offset[place] > 0 for place in members(pointed))
        row = self.facts.row_of_value[value]
        is_step = row >= 0 and self.facts.op[row] == Op.GEP
        return is_step and self.facts.aux[row] > 0

    def _number(self, value: int) -> int:
        if self.facts.value_kind[value] != ValueKind.INT:
            return -1
        return int(self.facts.program.values.number[value])

    # -- models -------------------------------------------------------------------------------

    def _model(self, row: int, func: int, model: FunctionModel) -> None:
        for effect in model.effects:
            number = self._effect_number(effect)
            match effect:
                case Alloc(target=target) | Give(target=target):
                    self._fresh(row, func, target, number)
                case Realloc(source=source, target=target):
                    self._fresh(row, func, target, number)
                    self._release(row, func, source, number, deep=False)
                    old, new = self._pointee(row, source), self._pointee(row, target)
                    self._copy(row, func, old, new, -1, number)
                case Free(target=target, deep=deep):
                    self._release(row, func, target, number, deep=deep)
                case Unref(target=target):
                    self._release(row, func, target, number, deep=False)
                case Expose(target=target, member=member):
                    itself = not target.steps
                    for arg in self._roots(row, target):
                        self._expose(row, func, arg, itself=itself, member=member)
                case Keep(target=target):
                    self._escape(row, func, target, number, Escaping.KEPT)
                case Take(target=target):
                    if self.models.always(row, model):
                        number = NO_EFFECT
                    self._escape(row, func, target, number, Escaping.TAKEN)
                case Assign(target=target, value=value):
                    self._assign(row, func, target, value, number)
                case CopyMemory(source=source, target=target, size=size):
                    length = -1
                    if size is not None and len(size.factors) == 1 and size.scale == 1:
                        operands = self.facts.operands(row)
                        if size.factors[0] < len(operands):
                            length = self._number(operands[size.factors[0]])
                    old, new = self._pointee(row, source), self._pointee(row, target)
                    self._copy(row, func, old, new, length, number)
                case Call():
                    self._callback(row, effect, number)
                case _:
                    pass

    def _effect_number(self, effect: Effect) -> int:
        known = self._effect_numbers.get(effect)
        if known is None:
            known = self._effect_numbers[effect] = len(self.acts.effects)
            self.acts.effects.append(effect)
        return known

    def _fresh(self, row: int, func: int, target: AccessPath, effect: int) -> None:
        if target == AccessPath(Ret()):
            if self.facts.result[row] >= 0:
                self._add(Act(ActKind.FRESH, row, func, effect=effect))
            return
        places = self._places(row, target)
        if places:
            self._add(Act(ActKind.FRESH_AT, row, func, places=places, effect=effect))

    def _release(self, row: int, func: int, target: AccessPath, effect: int, *, deep: bool) -> None:
        for value, places in self._ends(row, target):
            if value >= 0:
                self._add(Act(ActKind.FREE, row, func, value=value, effect=effect))
                reached = self.memory.value_set[value]
            else:
                self._add(Act(ActKind.FREE_AT, row, func, places=places, effect=effect))
                reached = self.memory.contents(places)
            if deep:
                inner = self._reachable(reached)
                if inner:
                    self._add(Act(ActKind.FREE_AT, row, func, places=inner, effect=effect))

    def _reachable(self, pointed: int) -> int:
        """All locations of the objects pointed to, and of what those lead to."""
        found = 0
        pending = pointed & self.data
        while pending:
            fresh = self.memory.of_objects(pending) & ~found
            found |= fresh
            pending = self.memory.contents(fresh) & self.data & ~found
        return found

    def _escape(self, row: int, func: int, target: AccessPath, effect: int, why: Escaping) -> None:
        for value, places in self._ends(row, target):
            kind = ActKind.ESCAPE if value >= 0 else ActKind.ESCAPE_AT
            self._add(Act(kind, row, func, value=value, places=places, effect=effect, why=why))

    def _assign(self, row: int, func: int, target: AccessPath, value: Value, effect: int) -> None:
        inside = isinstance(value, Inside)
        path = value.path if isinstance(value, Inside) else value
        if (
            isinstance(target.root, Arg)
            and target.steps
            and not getattr(self.acts.effects[effect], "when", ())
        ):
            places = self._places(row, target)
            self.acts.always_set[row] = self.acts.always_set.get(row, 0) | places
        if not isinstance(path, AccessPath):
            return  # null, or the library's own memory
        for source, sources in self._ends(row, path):
            if isinstance(target.root, Global):
                kind = ActKind.ESCAPE if source >= 0 else ActKind.ESCAPE_AT
                act = Act(kind, row, func, source, sources, effect=effect, why=Escaping.STORED)
            elif target == AccessPath(Ret()):
                kind = ActKind.INSIDE if inside else ActKind.PASS
                kind = kind if source >= 0 else ActKind.READ
                act = Act(kind, row, func, source, sources, effect=effect)
            else:
                places = self._places(row, target)
                kind = ActKind.WRITE if source >= 0 else ActKind.TRANSFER
                act = Act(kind, row, func, source, places, sources, effect)
            self._add(act)

    def _callback(self, row: int, effect: Call, number: int) -> None:
        passed: list[int] = []
        for value in effect.args:
            path = value.path if isinstance(value, Inside) else value
            ends = list(self._ends(row, path)) if isinstance(path, AccessPath) else []
            passed.append(ends[0][0] if len(ends) == 1 else -1)
        operands = self.facts.operands(row)
        for end, _ in self._ends(row, effect.callee):
            for func in self._functions(end):
                if self.facts.has_body(func):
                    found = self.acts.callbacks.setdefault(row, [])
                    found.append(Callback(row, func, tuple(passed)))
        if effect.later:
            callee = self.facts.func_of_value(operands[0])
            for end in passed:
                if end >= 0 and self.memory.may_carry[end]:
                    why = Escaping.DEFERRED
                    self._add(Act(ActKind.ESCAPE, row, callee, end, effect=number, why=why))

    def _functions(self, value: int) -> list[int]:
        if value < 0:
            return []
        direct = self.facts.func_of_value(value)
        if direct >= 0:
            return self.facts.definitions(direct)
        found = members(self.memory.value_set[value] & ~self.data)
        return sorted({self.memory.owner[location] for location in found})

    # -- paths --------------------------------------------------------------------------------

    def _ends(self, row: int, path: AccessPath) -> Iterator[tuple[int, int]]:
        """A path's end: (value, 0), or (-1, locations that hold it). Nothing if it has none."""
        for value in self._roots(row, path):
            if not path.steps:
                if self.memory.may_carry[value]:
                    yield value, 0
                continue
            places = self._walk(self.memory.value_set[value], path.steps)
            if places:
                yield -1, places

    def _places(self, row: int, path: AccessPath) -> int:
        bits = 0
        for value in self._roots(row, path):
            bits |= self._walk(self.memory.value_set[value], path.steps)
        return bits

    def _pointee(self, row: int, path: AccessPath) -> int:
        """What the value at a path points to."""
        bits = 0
        for value, places in self._ends(row, path):
            bits |= self.memory.value_set[value] if value >= 0 else self.memory.contents(places)
        return bits & self.data

    def _roots(self, row: int, path: AccessPath) -> list[int]:
        args = self.facts.operands(row)[1:]
        match path.root:
            case Ret():
                return [self.facts.result[row]] if self.facts.result[row] >= 0 else []
            case Arg(index):
                return args[index - 1 : index]
            case Args(first):
                return args[first - 1 :]
            case Global():
                return []

    def _walk(self, pointed: int, steps: tuple[Step, ...]) -> int:
        places = self._stepped(pointed & self.data, steps[0]) if steps else 0
        for step in steps[1:]:
            places = self._stepped(self.memory.contents(places) & self.data, step)
        return places

    def _stepped(self, pointed: int, step: Step) -> int:
        match step:
            case Offset(0):
                return pointed
            case Offset(distance):
                return self._moved(pointed, distance)
            case _:  # any field, or a member whose place only the library's header knows
                return self.memory.of_objects(pointed)

    def _moved(self, pointed: int, distance: int) -> int:
        memory = self.memory
        found = (memory.place(memory.obj[p], memory.offset[p] + distance) for p in members(pointed))
        return from_members(place for place in found if place >= 0)

    # -- copies of memory ---------------------------------------------------------------------

    def _copy(self, row: int, func: int, source: int, target: int, size: int, effect: int) -> None:
        """One TRANSFER per distance from the start at which the source may hold a pointer."""
        memory = self.memory
        source, target = source & self.data, target & self.data
        if not source or not target:
            return
        if anywhere := source & memory.one_place:  # at no known distance: into all that is reached
            places = reached(memory, target, size)
            self._add(Act(ActKind.TRANSFER, row, func, -1, places, anywhere, effect))
        for distance, sources in sorted(spread(memory, source & ~anywhere, size).items()):
            places = self._moved(target, distance) if distance else target
            if places:
                self._add(Act(ActKind.TRANSFER, row, func, -1, places, sources, effect))
