"""Fields with their owners: who stores fresh blocks in a field, who releases them, who ends the struct.

In:    Program, CallGraph, models.     Out: `FieldTable`.
Paper: spec-like rules of ownership per field (Ravitch and Liblit, ISMM'13); a field that somebody
releases owns what it holds.
Guarantees: the same tables for the same program, in a fixed order.
Not modelled: fields of unions are one field; which object a pointer leads to (types stand for it).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from heapflow.ir.kinds import FuncFlag, Linkage
from heapflow.ir.program import Program
from heapflow.ownership.config import OwnershipConfig
from heapflow.ownership.effects import Effects
from heapflow.ownership.places import CELL, Field, OriginKind, Root, RootKind
from heapflow.ownership.program import ModelTable, Whole
from heapflow.ownership.reader import Reader
from heapflow.pointsto.callgraph import CallGraph

_SHARED = (RootKind.PARAM, RootKind.GLOBAL)


@dataclass(frozen=True, slots=True, order=True)
class Storer:
    """A function that puts a fresh block into a field."""

    func: int
    root: Root  # of the struct that has the field
    chain: tuple[int, ...]


@dataclass(slots=True)
class FieldFacts:
    """What the program does with one field."""

    storers: list[Storer] = field(default_factory=list)
    writers: list[tuple[int, Root]] = field(default_factory=list)  # of anything, fresh or not
    releasers: set[int] = field(default_factory=set)
    looped: set[int] = field(default_factory=set)  # functions that store one in every turn
    handed: bool = False  # somebody copies what it holds, or gives it to code that is not known


class FieldTable:
    """All fields that fresh blocks are stored in, and what functions do with structs."""

    def __init__(self, whole: Whole) -> None:
        self.whole, self.program = whole, whole.program
        self.layouts = whole.tables.layouts
        self.fields: dict[Field, FieldFacts] = {}
        self.enders: dict[int, list[tuple[int, Root]]] = {}  # struct -> who releases one of them
        self.makers: dict[int, list[int]] = {}  # struct -> entries that return a new one
        self._entries: dict[int, bool] = {}
        self.has_main = any(
            self.program.func_name(func) == "main" and not self.program.is_declaration(func)
            for func in range(len(self.program.functions))
        )
        self._gather()

    def effects(self, func: int) -> Effects:
        return self.whole.effects[func]

    def _gather(self) -> None:
        for func in sorted(self.whole.effects):
            effects = self.whole.effects[func]
            for (place, root), chains in sorted(effects.stores.items()):
                if place.owner == CELL:
                    continue
                facts = self.fields.setdefault(place, FieldFacts())
                facts.writers.append((func, root))
                facts.storers += [Storer(func, root, one) for one in sorted(chains) if one]
            for place, _ in effects.looped:
                self.fields.setdefault(place, FieldFacts()).looped.add(func)
            for place, _ in effects.releases:
                self.fields.setdefault(place, FieldFacts()).releasers.add(func)
            for place in effects.hands:
                self.fields.setdefault(place, FieldFacts()).handed = True
            self._find_enders(func, effects)
            self._find_makers(func, effects)

    def _find_enders(self, func: int, effects: Effects) -> None:
        found: set[tuple[int, Root]] = set()
        for position in effects.frees:
            root = Root(RootKind.PARAM, position)
            found.update((struct, root) for struct in self.structs(func, root))
        for place, root in effects.releases:
            struct = self.layouts.held_struct(place)
            if struct >= 0 and root.kind in _SHARED:
                found.add((struct, root))
        for struct, root in sorted(found):
            self.enders.setdefault(struct, []).append((func, root))

    def _find_makers(self, func: int, effects: Effects) -> None:
        if self.is_entry(func) and any(o.kind is OriginKind.FRESH for o in effects.returned):
            struct = self.result_struct(func)
            if struct >= 0:
                self.makers.setdefault(struct, []).append(func)

    # Functions -----------------------------------------------------------------------------------

    def is_entry(self, func: int) -> bool:
        """Whether code that is not given can call it, or all that calls it is not known."""
        found = self._entries.get(func)
        if found is None:
            functions = self.program.functions
            own = functions.linkage[func] == Linkage.INTERNAL
            taken = bool(functions.flags[func] & FuncFlag.ADDRESS_TAKEN)
            is_main = self.program.func_name(func) == "main"
            found = (not own or taken) and not is_main
            if self.has_main and not taken and self.whole.calls.callers(func):
                found = False  # the program is complete: its callers are looked at instead
            self._entries[func] = found
        return found

    def structs(self, func: int, root: Root) -> frozenset[int]:
        """The structs that a parameter may lead to, as it is declared or, for void *, used."""
        functions, params = self.program.functions, self.program.params
        row = int(functions.param_start[func]) + root.number
        if root.kind is not RootKind.PARAM or row >= int(functions.param_start[func + 1]):
            return frozenset()
        declared = self.layouts.pointee(int(params.ctype[row]))
        if declared >= 0:
            return frozenset((declared,))
        return frozenset(self.effects(func).shapes.get(root.number, ()))

    def result_struct(self, func: int) -> int:
        ctype = int(self.program.functions.ctype[func])
        return self.layouts.pointee(int(self.program.ctypes.elem[ctype])) if ctype >= 0 else -1

    def size(self, func: int) -> int:
        return len(self.program.instr_range(func))


def find_fields(
    program: Program, calls: CallGraph, models: ModelTable, config: OwnershipConfig
) -> FieldTable:
    """The table of fields of a program."""
    whole = Whole(program, calls, models, config)
    for func in calls.bottom_up():
        if whole.tables.has_body(func):
            reader = Reader(whole, func)
            whole.effects[func] = reader.read()
            whole.limits_hit.update(reader.pointers.cut_off)  # each once per function
    return FieldTable(whole)
