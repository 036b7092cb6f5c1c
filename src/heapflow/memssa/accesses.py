"""The memory accesses of each function that matter: which instruction reads or writes where.

In:    Facts, MemoryFacts, Acts, Carriers.     Out: Accesses (events by function, in program order).
An event is an instruction with the location sets that it may read and write. Left out: loads whose
result carries nothing, stores of plain data, and everything in global memory (Assumption 1).
Stores of null and of other values that carry nothing are kept where they end an earlier value: at a
single place (strong update), or through a pointer value that also stored a carrying value.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

from heapflow.ir.kinds import COPIES, Op, TypeKind, ValueKind
from heapflow.memssa.act import ActKind, Acts
from heapflow.memssa.carriers import Carriers
from heapflow.memssa.facts import LocationKind, MemoryFacts
from heapflow.pointsto.facts import Facts

Address = tuple[int, int]  # an SSA value and a constant distance from it


_WRITING = (ActKind.FRESH_AT, ActKind.WRITE, ActKind.TRANSFER)


class EventKind(IntEnum):
    """What an event is."""

    LOAD = 0
    STORE = 1  # also atomic exchanges: they read too
    EXTERNAL = 2  # a call that leaves the program, or a copy of memory
    CALL = 3  # a call with at least one callee in the program
    RETURN = 4


@dataclass(slots=True)
class Event:
    """One instruction; `reads` and `writes` are distinct sets, still of single locations."""

    kind: EventKind
    instr: int
    reads: tuple[int, ...] = ()
    writes: tuple[int, ...] = ()
    strong: bool = False  # a STORE that replaces its only location
    transfer: bool = False  # what it writes is copied from elsewhere in memory
    address: Address | None = None  # STORE: equal addresses in one activation are the same place


@dataclass(frozen=True)
class Accesses:
    """Events by function; functions without any are missing."""

    by_func: dict[int, list[Event]]
    loaded: int  # locations that some event reads
    callees: dict[int, tuple[int, ...]]  # per call: defined functions, callbacks included
    recursive: frozenset[int] = field(default_factory=frozenset)


def find_accesses(
    facts: Facts, memory: MemoryFacts, acts: Acts, carriers: Carriers, recursive: frozenset[int]
) -> Accesses:
    """All events."""
    collector = _Collector(facts, memory, acts, carriers, recursive)
    by_func = {}
    for func in range(len(facts.program.functions)):
        if facts.has_body(func):
            events = collector.function(func)
            if events:
                by_func[func] = events
    return Accesses(by_func, collector.loaded, collector.callees, recursive)


def defined_callees(facts: Facts, memory: MemoryFacts, acts: Acts) -> dict[int, tuple[int, ...]]:
    """Per call instruction the functions with bodies that it may run, callbacks included."""
    found: dict[int, tuple[int, ...]] = {}
    for call, callees in memory.callees.items():
        inside = {func for func in callees if facts.has_body(func)}
        inside |= {callback.func for callback in acts.callbacks.get(call, ())}
        if inside:
            found[call] = tuple(sorted(inside))
    return found


class _Collector:
    def __init__(
        self,
        facts: Facts,
        memory: MemoryFacts,
        acts: Acts,
        carriers: Carriers,
        recursive: frozenset[int],
    ) -> None:
        self.facts, self.memory, self.acts, self.carriers = facts, memory, acts, carriers
        self.recursive = recursive
        self.loaded = 0
        self.callees = defined_callees(facts, memory, acts)
        self.no_function = ~memory.mask(LocationKind.FUNCTION)

    def function(self, func: int) -> list[Event]:
        facts = self.facts
        events: list[Event] = []
        for row in facts.program.instr_range(func):
            op = facts.op[row]
            if op == Op.LOAD:
                event = self._load(row)
            elif op in (Op.STORE, Op.CMPXCHG, Op.ATOMIC_RMW):
                event = self._store(row)
            elif op in (Op.CALL, Op.INVOKE, Op.CALL_BR):
                event = self._call(row)
            elif op == Op.RET:
                event = Event(EventKind.RETURN, row)
            else:
                continue
            if event is not None:
                events.append(event)
        return self._without_idle_stores(events)

    def _load(self, row: int) -> Event | None:
        """[TSE'14 Fig. 3, I-LD] p = *q reads what q points to, as far as it can hold an allocation."""
        result = self.facts.result[row]
        if not self.carriers.values[result]:
            return None
        places = self._places(row)
        if not places:
            return None
        self.loaded |= places
        return Event(EventKind.LOAD, row, reads=(places,))

    def _places(self, row: int) -> int:
        pointer = self.facts.operand[self.facts.start[row]]
        return self.memory.value_set[pointer] & self.carriers.held

    def _store(self, row: int) -> Event | None:
        """[TSE'14 Fig. 3, I-ST] *p = q writes what p points to; atomic operations read it, too."""
        facts = self.facts
        places = self._places(row)
        if not places:
            return None
        reads: tuple[int, ...] = ()
        result = facts.result[row]
        if result >= 0 and self.carriers.values[result]:
            reads = (places,)
            self.loaded |= places
        stored = facts.operands(row)[-1]
        is_number = facts.type_kind[facts.value_type[stored]] == TypeKind.INT
        if is_number and not reads and not self.carriers.values[stored]:
            return None
        pointer = facts.operands(row)[0]
        strong = facts.op[row] == Op.STORE and self._is_single(pointer)
        address = address_of(facts, pointer) if facts.op[row] == Op.STORE else None
        return Event(EventKind.STORE, row, reads, (places,), strong, address=address)

    def _is_single(self, pointer: int) -> bool:
        """[TSE'14 §2] p points to one location only, and that is one concrete place."""
        places = self.memory.value_set[pointer] & self.no_function
        return is_single_place(self.memory, self.recursive, places)

    def _call(self, row: int) -> Event | None:
        reads: dict[int, None] = {}
        writes: dict[int, None] = {}
        held = self.carriers.held
        transfer = True
        for act in self.acts.by_instr.get(row, ()):
            if act.kind in (ActKind.READ, ActKind.FREE_AT, ActKind.ESCAPE_AT):
                reads[act.places & held] = None
            elif act.kind == ActKind.TRANSFER and act.sources & held:
                reads[act.sources & held] = None
                writes[act.places & held] = None
            elif act.kind == ActKind.FRESH_AT or (
                act.kind == ActKind.WRITE and self.carriers.values[act.value]
            ):
                writes[act.places & held] = None
                transfer = False
        for copy in self.carriers.incoming.get(row, ()):
            if copy.value < 0:
                reads[copy.sources & held] = None
        reads.pop(0, None)
        writes.pop(0, None)
        for places in reads:
            self.loaded |= places
        if row in self.callees:
            return Event(EventKind.CALL, row, tuple(reads), tuple(writes))
        if not reads and not writes:
            return None
        sides = tuple(reads), tuple(writes)
        effect = replacing_effect(self.memory, self.acts, self.recursive, row)
        strong = effect is not None and not getattr(self.acts.effects[effect], "when", ())
        return Event(EventKind.EXTERNAL, row, *sides, strong or self._is_set(row), transfer)

    def _is_set(self, call: int) -> bool:
        """Whether an external call gives the one place that it writes another pointer."""
        places = self.acts.always_set.get(call, 0)
        written = {act.places for act in self.acts.by_instr[call] if act.kind in _WRITING}
        return written == {places} and is_single_place(self.memory, self.recursive, places)

    def _without_idle_stores(self, events: list[Event]) -> list[Event]:
        """Drop stores that neither bring a carrying value nor end one."""
        stored = self.facts.operands
        carrying = {
            event.address
            for event in events
            if event.kind == EventKind.STORE and self.carriers.values[stored(event.instr)[-1]]
        }
        kept = [
            event
            for event in events
            if event.kind != EventKind.STORE
            or event.strong
            or event.reads
            or (event.address is not None and event.address in carrying)
            or self.carriers.values[stored(event.instr)[-1]]
        ]
        if all(event.kind == EventKind.RETURN for event in kept):
            return []
        return kept


def is_single_place(memory: MemoryFacts, recursive: frozenset[int], places: int) -> bool:
    """Whether a set is one concrete place: a stack variable of a function outside of recursion."""
    if places.bit_count() != 1:
        return False
    place = places.bit_length() - 1
    if not memory.single[place] or memory.kind[place] != LocationKind.STACK:
        return False
    return memory.owner[place] not in recursive


def replacing_effect(
    memory: MemoryFacts, acts: Acts, recursive: frozenset[int], call: int
) -> int | None:
    """The effect by which an external call replaces the one place that it writes; None if none."""
    writing = [act for act in acts.by_instr.get(call, ()) if act.kind in _WRITING]
    if len(writing) != 1 or writing[0].kind == ActKind.TRANSFER or writing[0].effect < 0:
        return None
    if not is_single_place(memory, recursive, writing[0].places):
        return None
    return writing[0].effect


def address_of(facts: Facts, pointer: int) -> Address:
    """An address as an SSA value plus a constant; steps by computed indices are values themselves."""
    distance = 0
    while True:
        row = facts.row_of_value[pointer]
        if row < 0:
            return pointer, distance
        op = facts.op[row]
        if op == Op.GEP and facts.start[row + 1] - facts.start[row] == 1:
            distance += facts.aux[row] + facts.aux2[row]
        elif op not in COPIES:
            return pointer, distance
        pointer = facts.operand[facts.start[row]]


def is_null(facts: Facts, value: int) -> bool:
    """Whether a value is a constant that points to nothing."""
    return facts.value_kind[value] in (ValueKind.NULL, ValueKind.UNDEF)
