"""Allocators and deallocators: functions that hand out, or release, a block for their caller.

In:    Program, models.     Out: Allocators.
Paper: TSE'14 §3 (heap cloning): a function is an allocator if an allocation flows to its return value
       through top-level variables; here also if it is stored through an out-parameter.
Example: `void *xmalloc(size_t n) { void *p = malloc(n); if (!p) abort(); return p; }`
Found before the solver runs, so that every call site of a wrapper is a heap object of its own.
Not modelled: blocks that reach the return value through memory (docs/unsoundness.md#allocators).
"""

from __future__ import annotations

from dataclasses import dataclass

from heapflow.ir.program import Program
from heapflow.pointsto.codes import Op, ValueKind
from heapflow.pointsto.effects import Effects, ModelSource, fresh_blocks, released_args
from heapflow.pointsto.facts import Facts
from heapflow.pointsto.typeref import Ref, TypeRefs


@dataclass(frozen=True, slots=True, order=True)
class Handout:
    """One way in which a function hands a block to its caller."""

    func: int
    arg: int  # 0-based out-parameter; -1: the result
    call: int  # instruction in `func` that gets the block
    call_arg: int  # how that call hands it out: its own out-parameter (external only), or -1
    offset: int  # bytes between the block's start and the pointer handed out
    level: int  # 1: straight from an external allocator
    store: int  # instruction that stores through the out-parameter; -1


@dataclass(frozen=True, slots=True, order=True)
class Release:
    """A function that releases what a parameter points to."""

    func: int
    param: int
    call: int


@dataclass(frozen=True)
class Allocators:
    """What was found, by function; several entries if there are several reasons."""

    program: Program
    handouts: tuple[Handout, ...]
    releases: tuple[Release, ...]

    def dump(self) -> str:
        """One line per reason, sorted by name."""
        lines = [(self._name(h.func), 0, self._handout_line(h)) for h in self.handouts]
        lines += [(self._name(r.func), 1, self._release_line(r)) for r in self.releases]
        return "".join(line + "\n" for _, _, line in sorted(lines))

    def _name(self, func: int) -> str:
        return self.program.func_name(func)

    def _site(self, call: int) -> str:
        callee = self.program.direct_callee(call)
        file, line, _ = self.program.position(call)
        name = self.program.func_name(callee) if callee >= 0 else "?"
        return f"`{name}` at {file}:{line}"

    def _handout_line(self, h: Handout) -> str:
        verb = "returns" if h.arg < 0 else f"stores through parameter {h.arg + 1}"
        where = f" at offset {h.offset}" if h.offset else ""
        return f"{self._name(h.func)}: allocator, {verb} the block of {self._site(h.call)}{where}"

    def _release_line(self, r: Release) -> str:
        name, site = self._name(r.func), self._site(r.call)
        return f"{name}: deallocator, parameter {r.param + 1} reaches {site}"


def find_allocators(program: Program, models: ModelSource) -> Allocators:
    """All allocators and deallocators of the program, wrappers of wrappers included."""
    facts = Facts(program)
    return find_allocators_in(facts, Effects(program, models), TypeRefs(program))


def find_allocators_in(facts: Facts, effects: Effects, refs: TypeRefs) -> Allocators:
    search = _Search(facts, effects, refs)
    handouts = search.handouts()
    releases = search.releases()
    return Allocators(facts.program, tuple(sorted(handouts)), tuple(sorted(releases)))


class _Search:
    def __init__(self, facts: Facts, effects: Effects, refs: TypeRefs) -> None:
        self.facts, self.effects, self.refs = facts, effects, refs
        self.calls_of: dict[int, list[int]] = {}
        self.results: list[tuple[int, int, int]] = []  # function, returned value, -1
        self.outs: list[tuple[int, int, int, int]] = []  # function, parameter, value, store
        for row in range(facts.instr_count):
            op = facts.op[row]
            if op == Op.CALL or op == Op.INVOKE:
                func = facts.callee(row)
                if func >= 0:
                    self.calls_of.setdefault(func, []).append(row)
            elif op == Op.RET and facts.operands(row):
                value = facts.operands(row)[0]
                if facts.is_pointer(value):
                    self.results.append((facts.func_of_instr[row], value, -1))
            elif op == Op.STORE:
                self._look_at_store(row)

    def _look_at_store(self, row: int) -> None:
        """Remember `*out = value` for parameters declared as pointers to pointers."""
        facts = self.facts
        address, value = facts.operands(row)
        if facts.value_kind[address] != ValueKind.PARAM or not facts.is_pointer(value):
            return
        params = facts.program.params
        ctype = int(params.ctype[facts.value_index[address]])
        if ctype < 0 or self.refs.kind(self.refs.elem(ctype)) != Ref.POINTER:
            return
        func = facts.func_of_instr[row]
        position = facts.params(func).index(address)
        self.outs.append((func, position, value, row))

    def handouts(self) -> list[Handout]:
        """Fixed point: blocks of external allocators, then of the functions found so far."""
        places = [(func, -1, value, -1) for func, value, _ in self.results] + self.outs
        # Which calls hand a block to a place, by the call's result.
        by_call: dict[int, list[tuple[int, int, int, int]]] = {}
        for func, arg, value, store in places:
            for origin, offset in self.facts.origins(value):
                row = self.facts.row_of_value[origin]
                if 0 <= row < self.facts.instr_count and self.facts.is_call(row):
                    by_call.setdefault(row, []).append((func, arg, offset, store))
        found: list[Handout] = []
        level_of: dict[int, int] = {}
        for func, calls in self.calls_of.items():
            if any(block.arg < 0 for block in fresh_blocks(self.effects.of(func))):
                level_of.update(dict.fromkeys(calls, 0))
        pending = sorted(level_of)
        done: set[tuple[int, int, int, int]] = set()
        while pending:
            call = pending.pop(0)
            for func, arg, offset, store in by_call.get(call, ()):
                if (call, func, arg, store) in done:
                    continue
                done.add((call, func, arg, store))
                level = level_of[call] + 1
                found.append(Handout(func, arg, call, -1, offset, level, store))
                if arg < 0:
                    for outer in self.calls_of.get(func, ()):
                        if outer not in level_of:
                            level_of[outer] = level
                            pending.append(outer)
        return found

    def releases(self) -> list[Release]:
        """Fixed point: parameters that reach a releasing argument through top-level variables."""
        facts = self.facts
        position_of = {
            value: (func, position)
            for func in range(len(facts.func_flags))
            if facts.has_body(func)
            for position, value in enumerate(facts.params(func))
        }
        pending = [(f, arg) for f in self.calls_of for arg in released_args(self.effects.of(f))]
        done = set(pending)
        found: list[Release] = []
        while pending:
            func, arg = pending.pop(0)
            for call in self.calls_of.get(func, ()):
                args = facts.operands(call)[1:]
                origins = facts.origins(args[arg]) if arg < len(args) else []
                for origin, _ in origins:
                    if origin not in position_of:
                        continue
                    owner = position_of[origin]
                    found.append(Release(owner[0], owner[1], call))
                    if owner not in done:
                        done.add(owner)
                        pending.append(owner)
        return found
