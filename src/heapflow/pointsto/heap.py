"""Heap objects: one per chain of calls from an external allocator out through its wrappers.

In:    Allocators, evidence on types.     Out: Heap.
Paper: TSE'14 §3 (heap cloning): every call site of an allocator is an allocation site of its own.
Example: `xmalloc` is called at k1 and k2: objects [malloc, k1] and [malloc, k2]. In `xmalloc` the block
         is both, so what it does with the block happens to every clone; the result of k1 is only the
         first, plus what `xmalloc` returns besides (`ret_rest` in calls.py).
A chain goes on while the function hands the block out, up to `clone_depth` levels; through a function
that fixes the block's type only if it has at most `constructor_sites` callers.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

from heapflow.ir.kinds import NUMBER_COPIES
from heapflow.models.model import Size
from heapflow.pointsto.allocators import Allocators, Handout
from heapflow.pointsto.codes import FuncFlag, Op, ValueKind
from heapflow.pointsto.config import PointsToConfig
from heapflow.pointsto.effects import Effects, fresh_blocks
from heapflow.pointsto.facts import Facts
from heapflow.pointsto.layouts import Shape
from heapflow.pointsto.levels import data_with_pointers
from heapflow.pointsto.typeref import VOID, Ref, TypeRef
from heapflow.pointsto.valuetypes import ValueTypes
from heapflow.support.scc import components_of

PARAM = int(ValueKind.PARAM)
COPYING = ("llvm.memcpy", "llvm.memmove", "memcpy", "memmove")


@dataclass(frozen=True, slots=True)
class HeapObject:
    """A block: the external call that made it and the calls through which it came out."""

    chain: tuple[int, ...]  # call instructions, the external allocator's first
    arg: int  # the external allocator stores it through this argument; -1: returns it
    shape: Shape
    pointer_free: bool


@dataclass
class Heap:
    """Objects and where they appear."""

    objects: list[HeapObject] = field(default_factory=list)
    results: list[tuple[int, int, int]] = field(default_factory=list)  # call, object, offset
    # call, argument, offset behind the argument, object, offset in the object
    outs: list[tuple[int, int, int, int, int]] = field(default_factory=list)
    # Function and call whose block goes on to the callers as clones: not part of what it "returns".
    cloned: set[tuple[int, int]] = field(default_factory=set)
    cloned_stores: dict[int, set[int]] = field(default_factory=dict)  # store -> calls left out
    # Object, offset in it, value: a reallocated block begins with the contents of what the value
    # points to; so does a block (or what comes after its header) that a wrapper fills with a copy of
    # what it is given.
    inherited: list[tuple[int, int, int]] = field(default_factory=list)
    copies: set[int] = field(default_factory=set)  # calls of memcpy that are dealt with so
    # Function, object, offset: what a cloned function returns to callers that call it by value.
    generic: list[tuple[int, int, int]] = field(default_factory=list)
    clones: int = 0
    limited: int = 0  # objects not told apart because of `max_heap_objects`


class HeapBuilder:
    """Enumerates chains; `build_heap` is the entry point."""

    def __init__(
        self,
        facts: Facts,
        effects: Effects,
        types: ValueTypes,
        allocators: Allocators,
        config: PointsToConfig,
    ) -> None:
        self.facts, self.effects, self.types, self.config = facts, effects, types, config
        self.heap = Heap()
        self.not_plain = data_with_pointers(facts, types)
        self.by_call: dict[int, list[Handout]] = {}
        self.filled: dict[int, list[int]] = {}  # call -> parameters copied into its block
        self.callers: dict[int, list[int]] = {}
        for row in range(facts.instr_count):
            if facts.is_call(row) and (func := facts.callee(row)) >= 0:
                for meant in facts.definitions(func):
                    self.callers.setdefault(meant, []).append(row)
        recursive = _recursive(facts, allocators)
        for handout in allocators.handouts:
            if handout.func not in recursive and self._goes_on(handout):
                self.by_call.setdefault(handout.call, []).append(handout)
                if handout.arg < 0:
                    self.heap.cloned.add((handout.func, handout.call))
                else:
                    self.heap.cloned_stores.setdefault(handout.store, set()).add(handout.call)
        if config.clone_copies:
            self._find_copies({handout.call for handout in allocators.handouts})

    def _find_copies(self, allocating: set[int]) -> None:
        """`p = malloc(n); return memcpy(p, given, n);`: each clone is a copy of its caller's."""
        facts = self.facts
        for func, rows in self.callers.items():
            if not facts.program.func_name(func).startswith(COPYING):
                continue
            for row in rows:
                target, source = facts.operands(row)[1:3]
                into, of = facts.origins(target), facts.origins(source)
                calls = {facts.row_of_value[value] for value, offset in into if not offset}
                params = [v for v, off in of if facts.value_kind[v] == PARAM and not off]
                if len(calls) == len(into) and calls <= allocating and len(params) == len(of):
                    self.heap.copies.add(row)
                    for call in calls:
                        self.filled.setdefault(call, []).extend(params)

    def _goes_on(self, handout: Handout) -> bool:
        callers = self.callers.get(handout.func, [])
        if handout.level >= self.config.clone_depth or not callers:
            return False
        if len(callers) <= self.config.constructor_sites:
            return True
        found = self.types.object_types(self.facts.result[handout.call])
        kinds = {self.types.refs.kind(ref) for ref in found}
        return kinds <= {Ref.DATA}

    def build(self) -> Heap:
        for func in sorted(self.callers):
            for block in fresh_blocks(self.effects.of(func)):
                for call in self.callers[func]:
                    if block.arg < 0:
                        made = self._extend((call,), (0,), block.size)
                        if block.source >= 0:
                            self._inherit(made, block.source)
                    else:
                        obj = self._add((call,), block.arg, block.size, (0,))
                        self.heap.outs.append((call, block.arg, block.offset, obj, 0))
        return self.heap

    def _inherit(self, objects: list[int], source: int) -> None:
        """Find the old block of each clone as far out in its chain as a parameter leads."""
        facts = self.facts
        for obj in objects:
            chain = self.heap.objects[obj].chain
            values = self._outwards(chain, _argument(facts, chain[0], source))
            self.heap.inherited += [(obj, 0, value) for value in values]

    def _outwards(self, chain: tuple[int, ...], values: list[int]) -> list[int]:
        """What values in the function of a chain's first call are at its last call."""
        facts = self.facts
        for inner, outer in pairwise(chain):
            params = facts.params(facts.func_of_instr[inner])
            values = [
                further
                for value in values
                for further in (
                    _argument(facts, outer, params.index(value)) if value in params else [value]
                )
            ]
        return values

    def _sources(self, chain: tuple[int, ...], offsets: tuple[int, ...]) -> list[tuple[int, int]]:
        """What the wrappers of a chain fill the block with, and from which offset on."""
        found: list[tuple[int, int]] = []
        for level, call in enumerate(chain):
            if call in self.filled:
                values = self._outwards(chain[level:], self.filled[call])
                found += [(offsets[level], value) for value in values]
        return found

    def _extend(
        self, chain: tuple[int, ...], offsets: tuple[int, ...], size: Size | None
    ) -> list[int]:
        """Make the objects of all chains that start so; they all appear at this call.

        `offsets`: where in the block the result of each call of the chain points.
        """
        call, offset = chain[-1], offsets[-1]
        objects: list[int] = []
        handouts = self.by_call.get(call, [])
        if len(self.heap.objects) > self.config.max_heap_objects:
            self.heap.limited += bool(handouts)
            handouts = []
        for handout in handouts:
            for outer in self.callers[handout.func]:
                moved = offset + handout.offset
                if handout.arg < 0:
                    objects += self._extend((*chain, outer), (*offsets, moved), size)
                    continue
                obj = self._add((*chain, outer), -1, size, (*offsets, moved), handout.arg)
                self.heap.outs.append((outer, handout.arg, 0, obj, moved))
                objects.append(obj)
        # Reached by value as well, or by nobody: then a block of no particular caller exists.
        func = self.facts.func_of_instr[call]
        if not objects or self.facts.func_flags[func] & FuncFlag.ADDRESS_TAKEN:
            obj = self._add(chain, -1, size, offsets)
            objects.append(obj)
            for handout in handouts:
                self.heap.generic.append((handout.func, obj, offset + handout.offset))
        self.heap.results += [(call, obj, offset) for obj in objects]
        return objects

    def _add(
        self,
        chain: tuple[int, ...],
        arg: int,
        size: Size | None,
        offsets: tuple[int, ...],
        out: int = -1,
    ) -> int:
        """`out`: the argument of the outermost call that receives the block."""
        found = self._types(chain, arg, out)
        sources = self._sources(chain, offsets) if arg < 0 else []
        for _, source in sources:
            if not found:
                found = self.types.object_types(source)
        shape, pointer_free = self._shape(chain, found, size, offsets[-1])
        self.heap.inherited += [(len(self.heap.objects), at, source) for at, source in sources]
        self.heap.objects.append(HeapObject(chain, arg, shape, pointer_free))
        self.heap.clones += len(chain) > 1
        return len(self.heap.objects) - 1

    # -- shape --------------------------------------------------------------------------------

    def _shape(
        self, chain: tuple[int, ...], found: set[TypeRef], size: Size | None, offset: int
    ) -> tuple[Shape, bool]:
        exact, repeats = self._size(chain, size)
        refs = self.types.refs
        if 0 <= exact < 8:
            return Shape((), exact), True
        if found and all(refs.kind(ref) == Ref.DATA for ref in found):
            return Shape((), exact), found.isdisjoint(self.not_plain)
        if not found and self._is_opaque(chain[0]):
            return Shape((), exact), True
        chosen = () if VOID in found else self._choose(found, exact)
        if offset or not chosen:  # a header in front of the block: the parts are not told apart
            return Shape((), exact), False
        pointer_free = all(not refs.has_pointer(ref) for ref in chosen)
        each = refs.size(chosen[0])
        if exact >= 0:
            repeats = 0 < each < exact and exact % each == 0
        return Shape(chosen, exact, repeats and len(chosen) == 1 and each > 0), pointer_free

    def _types(self, chain: tuple[int, ...], arg: int, out: int) -> set[TypeRef]:
        """Evidence at every level; plain data counts only if nobody says more."""
        if arg >= 0:
            return self._types_behind(chain[0], arg)
        found: set[TypeRef] = self._types_behind(chain[-1], out) if out >= 0 else set()
        for call in chain:
            result = self.facts.result[call]
            if result >= 0 and self.facts.is_pointer(result):
                found |= self.types.object_types(result)
        refs = self.types.refs
        telling = {ref for ref in found if refs.kind(ref) != Ref.DATA}
        return telling or found

    def _types_behind(self, call: int, arg: int) -> set[TypeRef]:
        """What the variable that receives the block (`asprintf(&text, …)`) is declared to point to."""
        args = self.facts.operands(call)[1:]
        if arg >= len(args):
            return set()
        found: set[TypeRef] = set()
        for owner, offset in self.types.place_types(args[arg]):
            targets = self.types.refs.pointees_at(owner, offset)
            found |= {target for target in targets if target is not None}
        return {ref for ref in found if self.types.refs.kind(ref) != Ref.UNKNOWN}

    def _is_opaque(self, call: int) -> bool:
        """Made by a function whose result has a type that the program does not look into."""
        model = self.effects.of(self.facts.callee(call))
        if model is None or model.signature is None:
            return False
        return "void" not in model.signature.result.text

    def _choose(self, found: set[TypeRef], exact: int) -> tuple[TypeRef, ...]:
        """The outermost types that fit the size; the one of exactly that size if there is one."""
        refs = self.types.refs
        known = {refs.canonical(ref) for ref in found if refs.kind(ref) != Ref.FUNC}
        if exact >= 0:
            known = {ref for ref in known if refs.size(ref) <= exact}
            same = {ref for ref in known if refs.size(ref) == exact}
            known = same or known
        outer = {
            ref
            for ref in known
            if not any(ref in refs.structs_at(other, 0) for other in known if other != ref)
        }
        return tuple(sorted(outer or known))

    def _size(self, chain: tuple[int, ...], size: Size | None) -> tuple[int, bool]:
        """Bytes (-1 unknown), and whether the size is a multiple of something."""
        if size is None:
            return -1, False
        total, repeats = size.scale, False
        args = self.facts.operands(chain[0])[1:]
        for factor in size.factors:
            if factor > len(args):
                return -1, False
            number, multiple = self._number(args[factor - 1], chain, 0)
            repeats |= multiple or (len(size.factors) > 1 and number > 1)
            total = total * number if total >= 0 and number >= 0 else -1
        return total, repeats

    def _number(self, value: int, chain: tuple[int, ...], level: int) -> tuple[int, bool]:
        facts = self.facts
        if facts.value_kind[value] == ValueKind.INT:
            return max(int(facts.program.values.number[value]), 0), False
        if facts.value_kind[value] == ValueKind.PARAM and level + 1 < len(chain):
            position = facts.params(facts.func_of_instr[chain[level]]).index(value)
            args = facts.operands(chain[level + 1])[1:]
            if position >= len(args):
                return -1, False
            return self._number(args[position], chain, level + 1)
        row = facts.row_of_value[value]
        if row < 0:
            return -1, False
        if facts.op[row] in NUMBER_COPIES:
            return self._number(facts.operands(row)[0], chain, level)
        if facts.op[row] not in (Op.MUL, Op.ADD, Op.SHL):
            return -1, False
        parts = [self._number(operand, chain, level) for operand in facts.operands(row)]
        (a, _), (b, _) = parts
        if a < 0 or b < 0:
            return -1, facts.op[row] != Op.ADD and (a > 1 or b > 1)
        match facts.op[row]:
            case Op.MUL:
                return a * b, False
            case Op.ADD:
                return a + b, False
            case _:
                return a << min(b, 62), False


def _argument(facts: Facts, call: int, position: int) -> list[int]:
    """Where an argument of a call comes from."""
    args = facts.operands(call)[1:]
    if position >= len(args):
        return []
    return sorted({origin for origin, _ in facts.origins(args[position])})


def _recursive(facts: Facts, allocators: Allocators) -> set[int]:
    """Functions that hand out, at some remove, what they got from themselves."""
    numbers: dict[int, int] = {}
    for handout in allocators.handouts:
        numbers.setdefault(handout.func, len(numbers))
    adjacency: list[set[int]] = [set() for _ in numbers]
    for handout in allocators.handouts:
        callee = facts.callee(handout.call)
        if callee in numbers:
            adjacency[numbers[handout.func]].add(numbers[callee])
    names = list(numbers)
    found: set[int] = set()
    for component in components_of(adjacency):
        if len(component) > 1 or component[0] in adjacency[component[0]]:
            found.update(names[number] for number in component)
    return found


def build_heap(
    facts: Facts,
    effects: Effects,
    types: ValueTypes,
    allocators: Allocators,
    config: PointsToConfig,
) -> Heap:
    """All heap objects of the program, before solving."""
    return HeapBuilder(facts, effects, types, allocators, config).build()
