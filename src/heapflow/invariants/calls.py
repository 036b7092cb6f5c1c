"""What calls may reach, and what functions without a body do to memory.

In:    CallGraph, models.     Out: `Calls`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from heapflow.invariants.abstract import ANY, POSITIVE, ZERO, Abstract
from heapflow.invariants.cells import Cells
from heapflow.ir.ids import InstrId
from heapflow.ir.kinds import FuncFlag, Linkage, ValueKind
from heapflow.models.model import (
    AccessPath,
    Alloc,
    Arg,
    Args,
    CopyMemory,
    Ensures,
    Family,
    FillMemory,
    FunctionModel,
    Op,
    Realloc,
    ResourceKind,
    Ret,
)
from heapflow.pointsto.callgraph import CallGraph

_INTRINSIC = int(FuncFlag.INTRINSIC)
_UNCALLED = int(FuncFlag.UNCALLED)


class ModelTable(Protocol):
    """What is known of functions by their names."""

    @property
    def families(self) -> Mapping[str, Family]: ...

    def lookup(self, name: str) -> FunctionModel | None: ...


class Calls:
    """What a call may reach, and what is known of functions without a body."""

    def __init__(self, cells: Cells, calls: CallGraph, models: ModelTable) -> None:
        self.cells, self.facts, self.program = cells, cells.facts, cells.program
        self.graph, self.models = calls, models
        self._models: dict[int, FunctionModel | None] = {}
        self._targets: dict[int, list[int]] = {}
        self.names: list[str] = [
            self.program.func_name(func) for func in range(len(self.program.functions))
        ]
        self.has_main = "main" in self.names
        bodies = [self.facts.has_body(func) for func in range(len(self.names))]
        self._given = {name for name, has_body in zip(self.names, bodies, strict=True) if has_body}
        # Other link targets call these, plugins for example, and only by name.
        self._wanted = {
            name
            for func, name in enumerate(self.names)
            if not bodies[func] and self.facts.definitions(func) == [func]
        }
        self._by_declaration = self._find_declared()

    def targets(self, row: int) -> list[int]:
        """Functions that a call may reach; none: not known."""
        found = self._targets.get(row)
        if found is None:
            facts = self.facts
            named = facts.callee(row)
            callees = [named] if named >= 0 else self.graph.callees(row)
            found = [one for callee in callees for one in facts.definitions(callee)]
            self._targets[row] = found
        return found

    def model(self, func: int) -> FunctionModel | None:
        if func not in self._models:
            self._models[func] = self.models.lookup(self.names[func])
        return self._models[func]

    def is_intrinsic(self, func: int) -> bool:
        return bool(self.facts.func_flags[func] & _INTRINSIC)

    def only_reads(self, func: int, position: int) -> bool:
        """Whether a function without a body leaves what an argument leads to as it is."""
        model = self.model(func)
        if model is None or model.is_belief:
            return self.program.is_const_pointee(func, position)
        # What is released, kept or handed on is not meant to be written to.
        target = AccessPath(Arg(position + 1))
        kept = any(getattr(one, "target", None) == target for one in model.effects)
        kept |= any(getattr(one, "source", None) == target for one in model.effects)
        roots = (getattr(getattr(one, "target", None), "root", None) for one in model.effects)
        if any(isinstance(root, Args) and root.first <= position + 1 for root in roots):
            return False
        return kept or position + 1 not in model.written_args

    def filled(self, row: int, func: int) -> tuple[int, int] | None:
        """Position of what a call fills with one byte, and that byte; -1: it is not known."""
        if self.is_intrinsic(func):
            if self.names[func].startswith("llvm.memset"):
                return 0, self._number(self.facts.operands(row)[2])
            return None
        model = self.model(func)
        for effect in model.effects if model is not None and not model.is_belief else ():
            if isinstance(effect, FillMemory) and isinstance(effect.target.root, Arg):
                value = effect.value
                if isinstance(value, Arg):
                    value = self._number(self.facts.operands(row)[value.index])
                return effect.target.root.index - 1, value
        return None

    def copied(self, func: int) -> tuple[int, int] | None:
        """Positions of target and source of a call that copies memory."""
        if self.is_intrinsic(func):
            return (0, 1) if self.names[func].startswith(("llvm.memcpy", "llvm.memmove")) else None
        model = self.model(func)
        for effect in model.effects if model is not None and not model.is_belief else ():
            if isinstance(effect, CopyMemory):
                target, source = effect.target.root, effect.source.root
                if isinstance(target, Arg) and isinstance(source, Arg):
                    return target.index - 1, source.index - 1
        return None

    def _number(self, value: int) -> int:
        if self.facts.value_kind[value] == ValueKind.INT:
            return int(self.program.values.number[value])
        return -1

    def makes(self, func: int) -> bool:
        """Whether a function without a body returns a new block."""
        model = self.model(func)
        effects = model.effects if model is not None else ()
        return any(isinstance(effect, Alloc | Realloc) for effect in effects)

    def is_given(self, func: int) -> bool:
        """Whether some function of that name has a body."""
        return self.names[func] in self._given

    def callers(self, func: int) -> list[InstrId]:
        """All calls of a function; none if there may be others."""
        own = self.program.functions.linkage[func] == Linkage.INTERNAL
        is_taken = self.facts.func_flags[func] & FuncFlag.ADDRESS_TAKEN
        if (
            is_taken
            or self.is_wanted(func)
            or self.names[func] == "main"
            or not (own or self.has_main)
        ):
            return []
        return self.graph.callers(func) or self._by_declaration.get(func, [])

    def all_callers(self, func: int) -> list[InstrId]:
        """All calls of a function that are known, by name and by address."""
        return [*self.graph.callers(func), *self._by_declaration.get(func, [])]

    def is_wanted(self, func: int) -> bool:
        """Whether another link target may call a function by its name."""
        own = self.program.functions.linkage[func] == Linkage.INTERNAL
        return not own and self.names[func] in self._wanted

    def open_functions(self) -> list[bool]:
        """Functions that may be called by others than the calls that are known. What nobody calls
        is not executed, and stores nothing."""
        flags = self.facts.func_flags
        return [
            not (flags[func] & _UNCALLED or self.callers(func)) for func in range(len(self.names))
        ]

    def _find_declared(self) -> dict[int, list[InstrId]]:
        """Calls of declarations that may mean several definitions, by definition."""
        found: dict[int, list[InstrId]] = {}
        for func in range(len(self.names)):
            for one in self.facts.definitions(func):
                if one != func:
                    found.setdefault(one, []).extend(self.graph.callers(func))
        return found


def outside_result(calls: Calls, func: int) -> Abstract:
    """What a function without a body returns. Who allocates memory gets it."""
    if calls.facts.func_flags[func] & FuncFlag.RESULT_NOT_NULL:
        return POSITIVE
    model = calls.model(func)
    if model is None or model.is_belief:
        return ANY
    for effect in model.effects:
        is_result = getattr(effect, "target", None) == AccessPath(Ret())
        if isinstance(effect, Alloc | Realloc) and is_result and not effect.when:
            family = calls.models.families.get(effect.family)
            if family is not None and family.kind is ResourceKind.MEMORY:
                return POSITIVE
        if isinstance(effect, Ensures) and not effect.when:
            holds = effect.holds
            if (holds.left, holds.op, holds.right) == (AccessPath(Ret()), Op.NE, 0):
                return ANY & ~ZERO
    return ANY
