"""Mod-Ref: what a function and everything it calls may read and write through pointers.

In:    Facts, MemoryFacts, Accesses, Classes.     Out: ModRef (U_f, D_f by function, U and D by call).
Paper: TSE'14 §4.2.1, Fig. 3 (I-LD, I-ST, I-CALL, I-PROC), Definition 3.
Method: one pass over the call graph's components, callees first; the functions of a component share
       what they touch, so recursion needs no further rounds.
N_k of I-CALL ("visible inside f"): heap classes, and stack classes of functions that can be active
       above f. What a callee touches directly through a parameter is cut down, at each call, to the
       variables that the argument points to: `get(&a); get(&b);` touch a and b, not both twice.
Guarantees (`check_modref`): a solution of the rules; locals of a function outside recursion stay in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from heapflow.ir.kinds import ValueKind
from heapflow.memssa.accesses import Accesses, Event, EventKind, address_of
from heapflow.memssa.act import Acts
from heapflow.memssa.classes import Classes
from heapflow.memssa.facts import LocationKind, MemoryFacts
from heapflow.pointsto.facts import Facts
from heapflow.support.bitset import from_members
from heapflow.support.scc import components_of


@dataclass
class Touched:
    """Classes that a function touches: through its parameters directly, and otherwise."""

    rest: int = 0
    through: dict[int, int] = field(default_factory=dict)  # parameter position -> classes

    def add(self, position: int, classes: int) -> None:
        if position < 0:
            self.rest |= classes
        elif classes:
            self.through[position] = self.through.get(position, 0) | classes

    def everything(self) -> int:
        bits = self.rest
        for classes in self.through.values():
            bits |= classes
        return bits

    def cut(self, mask: int) -> None:
        self.rest &= mask
        self.through = {position: bits & mask for position, bits in self.through.items()}


@dataclass(frozen=True)
class ModRef:
    """Sets of classes by function."""

    uses: list[int]  # U_f
    defs: list[int]  # D_f
    local: list[int]  # Local_f: own stack classes; empty for functions on a recursion cycle
    visible: list[int]  # classes that f may name in its own regions, its locals included
    at_call: dict[int, tuple[int, int]]  # [I-CALL] U and D of each call with a defined callee


def call_components(
    func_count: int, callees: dict[int, tuple[int, ...]], func_of_instr: Sequence[int]
) -> tuple[list[list[int]], list[set[int]], frozenset[int]]:
    """Components of the call graph (callees first), its edges, and the recursive functions."""
    graph: list[set[int]] = [set() for _ in range(func_count)]
    for call, targets in callees.items():
        graph[func_of_instr[call]].update(targets)
    components = components_of([sorted(targets) for targets in graph])
    recursive = {
        func
        for component in components
        for func in component
        if len(component) > 1 or func in graph[func]
    }
    return components, graph, frozenset(recursive)


def compute_modref(
    facts: Facts,
    memory: MemoryFacts,
    acts: Acts,
    accesses: Accesses,
    classes: Classes,
    components: list[list[int]],
    graph: list[set[int]],
) -> ModRef:
    """U and D of every function and of every call."""
    local = _locals(classes, len(graph), accesses.recursive)
    visible = _visible(classes, components, graph, accesses.recursive, local)
    search = _Search(facts, memory, acts, accesses, classes, visible)
    for component in components:
        if component[0] in accesses.recursive:
            search.cycle(component)
        else:
            search.function(component[0])
        for func in component:
            # [I-PROC] U = (∪ U_i) \ Local_f
            search.uses[func].cut(visible[func] & ~local[func])
            search.defs[func].cut(visible[func] & ~local[func])
    for component in components:
        if component[0] in accesses.recursive:
            search.calls_of_cycle(component)
    uses = [touched.everything() for touched in search.uses]
    defs = [touched.everything() for touched in search.defs]
    return ModRef(uses, defs, local, visible, search.at_call)


class _Search:
    def __init__(
        self,
        facts: Facts,
        memory: MemoryFacts,
        acts: Acts,
        accesses: Accesses,
        classes: Classes,
        visible: list[int],
    ) -> None:
        self.facts, self.memory, self.acts = facts, memory, acts
        self.accesses, self.classes, self.visible = accesses, classes, visible
        self.loaded = classes.translate(accesses.loaded)
        self.uses = [Touched() for _ in visible]
        self.defs = [Touched() for _ in visible]
        self.at_call: dict[int, tuple[int, int]] = {}
        self._objects: dict[int, int] = {}
        self.heap = _of_kind(classes, LocationKind.HEAP)

    def function(self, func: int) -> None:
        """A function outside of recursion; its callees are done."""
        uses, defs = self.uses[func], self.defs[func]
        for event in self.accesses.by_func.get(func, ()):
            reads, writes = event_sets(event, self.classes)
            position = self._parameter(func, self._pointer(event))
            uses.add(position, reads)
            defs.add(position, writes & self.loaded)
            if event.kind == EventKind.CALL:
                self._call(event.instr, func, uses, defs)

    def cycle(self, component: list[int]) -> None:
        """Functions that call each other touch the same, in no particular way."""
        uses, defs = Touched(), Touched()
        for func in component:
            for event in self.accesses.by_func.get(func, ()):
                reads, writes = event_sets(event, self.classes)
                uses.rest |= reads
                defs.rest |= writes & self.loaded
                if event.kind == EventKind.CALL:
                    self._call(event.instr, -1, uses, defs)
        for func in component:
            self.uses[func].rest, self.defs[func].rest = uses.rest, defs.rest

    def calls_of_cycle(self, component: list[int]) -> None:
        """Calls inside a cycle, once everything in it is known."""
        for func in component:
            for event in self.accesses.by_func.get(func, ()):
                if event.kind == EventKind.CALL:
                    self._call(event.instr, -1, Touched(), Touched())

    def _call(self, call: int, func: int, uses: Touched, defs: Touched) -> None:
        """[I-CALL] U = N_k ∩ ∪ U_i, D = N_k ∩ ∪ D_i; and what of it is through f's parameters."""
        caller = self.facts.func_of_instr[call]
        args = self.facts.operands(call)[1:]
        called_back = {back.func for back in self.acts.callbacks.get(call, ())}
        own = Touched(), Touched()
        for callee in self.accesses.callees[call]:
            for touched, total, mine in zip(
                (self.uses[callee], self.defs[callee]), (uses, defs), own, strict=True
            ):
                self._through(touched, func, args if callee not in called_back else [], total, mine)
        seen = self.visible[caller]
        self.at_call[call] = own[0].everything() & seen, own[1].everything() & seen

    def _through(
        self, touched: Touched, func: int, args: list[int], total: Touched, own: Touched
    ) -> None:
        total.rest |= touched.rest
        own.rest |= touched.rest
        for position, bits in touched.through.items():
            passed = -1
            if position < len(args):
                bits &= self._behind(args[position])
                passed = self._parameter(func, args[position])
            total.add(passed, bits)
            own.rest |= bits

    def _behind(self, value: int) -> int:
        """Classes of the variables that a value points to, and the heap; all if it has no set.

        Heap classes are not told apart by what arguments point to (docs/decisions/0030).
        """
        places = self.memory.value_set[value]
        if not places:
            return -1
        known = self._objects.get(places)
        if known is None:
            known = self.classes.translate(self.memory.of_objects(places)) | self.heap
            self._objects[places] = known
        return known

    def _pointer(self, event: Event) -> int:
        if event.kind not in (EventKind.LOAD, EventKind.STORE):
            return -1
        return self.facts.operand[self.facts.start[event.instr]]

    def _parameter(self, func: int, pointer: int) -> int:
        """The position of the parameter that a pointer is, up to a constant; -1 if it is none."""
        if func < 0 or pointer < 0:
            return -1
        base, _ = address_of(self.facts, pointer)
        if self.facts.value_kind[base] != ValueKind.PARAM:
            return -1
        return self.facts.params(func).index(base)


def event_sets(event: Event, classes: Classes) -> tuple[int, int]:
    """[I-LD], [I-ST] and the like: what one event itself reads and writes."""
    reads = writes = 0
    for places in event.reads:
        reads |= classes.translate(places)
    for places in event.writes:
        writes |= classes.translate(places)
    return reads, writes


def _of_kind(classes: Classes, wanted: LocationKind) -> int:
    return from_members(number for number, kind in enumerate(classes.kind) if kind == wanted)


def _locals(classes: Classes, count: int, recursive: frozenset[int]) -> list[int]:
    """[Definition 3] Local_f."""
    local = [0] * count
    for number, (kind, owner) in enumerate(zip(classes.kind, classes.owner, strict=True)):
        if kind == LocationKind.STACK and owner not in recursive:
            local[owner] |= 1 << number
    return local


def _visible(
    classes: Classes,
    components: list[list[int]],
    graph: list[set[int]],
    recursive: frozenset[int],
    local: list[int],
) -> list[int]:
    heap = 0
    own = [0] * len(graph)
    for number, (kind, owner) in enumerate(zip(classes.kind, classes.owner, strict=True)):
        if kind == LocationKind.HEAP:
            heap |= 1 << number
        elif owner >= 0:
            own[owner] |= 1 << number
    above = [heap] * len(graph)  # of callers; filled callers first
    for component in reversed(components):
        seen = 0
        for func in component:
            seen |= above[func]
        if component[0] in recursive:
            for func in component:
                seen |= own[func]
        for func in component:
            above[func] = seen | own[func]
            for callee in graph[func]:
                above[callee] |= above[func] | local[func]
    return above
