"""Which values and locations can hold a tracked allocation at all: the cheap first pass.

In:    Facts, MemoryFacts, Acts.     Out: Carriers.
Paper: TSE'14 §4.3, "only statements reachable from allocation sites need to be considered".
Method: forward reachability from all allocations over values and locations, without regard to the
       order of statements. Everything after this looks only at what was reached: a function that no
       allocation enters and a location that never holds one cost nothing.
Guarantees (`check_carriers`): closed under every rule by which the graph moves a value.
"""

from __future__ import annotations

from dataclasses import dataclass

from heapflow.ir.kinds import POINTER_COPIES, Op, ParamFlag
from heapflow.memssa.act import Act, ActKind, Acts
from heapflow.memssa.distances import spread
from heapflow.memssa.facts import LocationKind, MemoryFacts
from heapflow.pointsto.facts import Facts
from heapflow.support.bitset import members

# Operations whose result may hold what an operand holds. For these all operands count …
MOVES = frozenset(
    {
        *POINTER_COPIES,
        Op.PHI,
        Op.ADD,
        Op.SUB,
        Op.AND,
        Op.OR,
        Op.XOR,
        Op.EXTRACT_VALUE,
        Op.INSERT_VALUE,
        Op.EXTRACT_ELEMENT,
        Op.INSERT_ELEMENT,
        Op.SHUFFLE_VECTOR,
    }
)
# … and for these only some.
FIRST_ONLY = frozenset({Op.GEP, Op.EXTRACT_ELEMENT, Op.SUB})


def moved_operands(facts: Facts, row: int) -> list[int]:
    """The operands that an operation's result may hold; none if it is no move."""
    op = facts.op[row]
    if op in FIRST_ONLY:
        return facts.operand[facts.start[row] : facts.start[row] + 1]
    if op in MOVES:
        return facts.operands(row)
    if op == Op.SELECT:
        return facts.operands(row)[1:]
    return []


@dataclass(frozen=True)
class Incoming:
    """What a call puts into its callee's own memory: by-value arguments and variable ones."""

    call: int
    func: int
    value: int  # variable argument; -1: a copy of memory
    sources: int  # locations of the caller whose contents are copied
    places: int  # locations of the callee


@dataclass(frozen=True)
class Carriers:
    """The result: flags by value, a set of locations, and the calls' own copies."""

    values: bytearray
    held: int  # locations other than globals that may hold a tracked allocation
    incoming: dict[int, list[Incoming]]
    results_of: dict[int, list[int]]  # function -> calls of it, through pointers too


def find_carriers(facts: Facts, memory: MemoryFacts, acts: Acts) -> Carriers:
    """Everything that an allocation can reach."""
    search = _Search(facts, memory, acts)
    search.run()
    return Carriers(search.values, search.held, search.incoming, search.calls_of)


class _Search:
    def __init__(self, facts: Facts, memory: MemoryFacts, acts: Acts) -> None:
        self.facts, self.memory, self.acts = facts, memory, acts
        self.values = bytearray(len(facts.value_kind))
        self.held = 0
        self.pending: list[int] = []
        self.trackable = ~memory.mask(LocationKind.GLOBAL, LocationKind.FUNCTION)
        self.calls_of: dict[int, list[int]] = {}
        for call, callees in memory.callees.items():
            for func in callees:
                self.calls_of.setdefault(func, []).append(call)
        self.incoming = find_incoming(facts, memory)
        self.loads: dict[int, list[int]] = {}  # location set -> results of loads from it
        self.transfers: list[tuple[int, int]] = []
        self._collect()

    def _collect(self) -> None:
        facts, sets = self.facts, self.memory.value_set
        for row in range(facts.instr_count):
            if facts.op[row] in (Op.LOAD, Op.CMPXCHG, Op.ATOMIC_RMW):
                self._add_load(sets[facts.operand[facts.start[row]]], facts.result[row])
        for row, found in self.acts.by_instr.items():
            for act in found:
                if act.kind == ActKind.READ:
                    self._add_load(act.places, facts.result[row])
                elif act.kind == ActKind.TRANSFER:
                    self.transfers.append((act.sources, act.places & self.trackable))
                elif act.kind == ActKind.FRESH:
                    self._reach(facts.result[row])
                elif act.kind == ActKind.FRESH_AT:
                    self.held |= act.places & self.trackable
        for copies in self.incoming.values():
            for copy in copies:
                if copy.value < 0:
                    self.transfers.append((copy.sources, copy.places))

    def _add_load(self, places: int, result: int) -> None:
        places &= self.trackable
        if places and result >= 0 and self.memory.may_carry[result]:
            self.loads.setdefault(places, []).append(result)

    def _reach(self, value: int) -> None:
        if value >= 0 and not self.values[value] and self.memory.may_carry[value]:
            self.values[value] = 1
            self.pending.append(value)

    def run(self) -> None:
        waiting = list(self.loads)
        known = -1
        while self.pending or known != self.held:
            while self.pending:
                self._value(self.pending.pop())
            known = self.held
            for sources, places in self.transfers:
                if sources & self.held:
                    self.held |= places
            still = []
            for places in waiting:
                if places & self.held:
                    for result in self.loads[places]:
                        self._reach(result)
                else:
                    still.append(places)
            waiting = still

    def _value(self, value: int) -> None:
        facts, sets = self.facts, self.memory.value_set
        for row in facts.users(value):
            op = facts.op[row]
            if op == Op.STORE or op == Op.CMPXCHG or op == Op.ATOMIC_RMW:
                if value in facts.operands(row)[1:]:
                    self.held |= sets[facts.operand[facts.start[row]]] & self.trackable
            elif facts.is_call(row):
                self._argument(row, value)
            elif op == Op.RET:
                for call in self.calls_of.get(facts.func_of_instr[row], ()):
                    self._reach(facts.result[call])
            elif value in moved_operands(facts, row):
                self._reach(facts.result[row])

    def _argument(self, row: int, value: int) -> None:
        facts = self.facts
        args = facts.operands(row)[1:]
        for func in self.memory.callees.get(row, ()):
            if facts.has_body(func):
                for param, arg in zip(facts.params(func), args, strict=False):
                    if arg == value:
                        self._reach(param)
        for callback in self.acts.callbacks.get(row, ()):
            for param, arg in zip(facts.params(callback.func), callback.args, strict=False):
                if arg == value:
                    self._reach(param)
        for copy in self.incoming.get(row, ()):
            if copy.value == value:
                self.held |= copy.places
        for act in self.acts.by_instr.get(row, ()):
            if act.value == value:
                self._act(act)

    def _act(self, act: Act) -> None:
        if act.kind in (ActKind.PASS, ActKind.INSIDE):
            self._reach(self.facts.result[act.instr])
        elif act.kind == ActKind.WRITE:
            self.held |= act.places & self.trackable


def find_incoming(facts: Facts, memory: MemoryFacts) -> dict[int, list[Incoming]]:
    """By-value and variable arguments of all calls to defined functions."""
    copies_of, extras_of = _incoming_locations(memory)
    flags = facts.program.params.flags.tolist()
    start = facts.program.functions.param_start.tolist()
    found: dict[int, list[Incoming]] = {}
    if not copies_of and not extras_of:
        return found
    for call, callees in memory.callees.items():
        for func in callees:
            if (func not in copies_of and func not in extras_of) or not facts.has_body(func):
                continue
            args, params = facts.operands(call)[1:], facts.params(func)
            here = found.setdefault(call, [])
            for number, (param, arg) in enumerate(zip(params, args, strict=False)):
                if flags[start[func] + number] & ParamFlag.BY_VALUE:
                    here += _copied(memory, call, func, arg, param)
            extra = extras_of.get(func, 0)
            if extra:
                rest = [arg for arg in args[len(params) :] if memory.may_carry[arg]]
                here += [Incoming(call, func, arg, 0, extra) for arg in rest]
    return found


def _incoming_locations(memory: MemoryFacts) -> tuple[set[int], dict[int, int]]:
    """Functions with by-value copies, and the variable-argument locations by function."""
    copies = {
        memory.owner[location]
        for location, kind in enumerate(memory.kind)
        if kind == LocationKind.COPY
    }
    extras: dict[int, int] = {}
    for location, kind in enumerate(memory.kind):
        if kind == LocationKind.VARARGS:
            owner = memory.owner[location]
            extras[owner] = extras.get(owner, 0) | 1 << location
    return copies, extras


def _copied(memory: MemoryFacts, call: int, func: int, arg: int, param: int) -> list[Incoming]:
    found = []
    copy = memory.value_set[param]
    base = [p for p in members(copy) if memory.owner[p] == func]
    if not base:
        return []
    given = memory.value_set[arg]
    if anywhere := given & memory.one_place:
        found.append(Incoming(call, func, -1, anywhere, memory.of_objects(1 << base[0])))
    for distance, sources in sorted(spread(memory, given & ~anywhere, -1).items()):
        place = memory.place(memory.obj[base[0]], memory.offset[base[0]] + distance)
        if place >= 0:
            found.append(Incoming(call, func, -1, sources, 1 << place))
    return found
