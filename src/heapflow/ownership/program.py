"""All functions read for what they do with fields, callees first.

In:    Program, CallGraph, models.     Out: `Whole`, with `Effects` by function.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Protocol

from heapflow.ir.ids import FuncId
from heapflow.ir.program import Program
from heapflow.models.model import Effect, Family, FunctionModel
from heapflow.ownership.config import OwnershipConfig
from heapflow.ownership.effects import Effects
from heapflow.ownership.tables import Tables
from heapflow.pointsto.callgraph import CallGraph


class ModelTable(Protocol):
    """What is known of functions by their names."""

    @property
    def families(self) -> Mapping[str, Family]: ...

    def lookup(self, name: str) -> FunctionModel | None: ...


class Whole:
    """The program, and what is known of its functions so far."""

    def __init__(
        self, program: Program, calls: CallGraph, models: ModelTable, config: OwnershipConfig
    ) -> None:
        self.program, self.calls, self.models, self.config = program, calls, models, config
        self.tables = Tables(program)
        self.effects: dict[int, Effects] = {}
        self.limits_hit: Counter[str] = Counter()
        self._models: dict[int, FunctionModel | None] = {}
        self._targets: dict[int, list[FuncId]] = {}

    def targets(self, call: int) -> list[FuncId]:
        """Functions that a call may reach, the first few of them."""
        found = self._targets.get(call)
        if found is None:
            callees = self.calls.callees(call)
            direct = self.program.direct_callee(call)
            if not callees and direct >= 0:
                callees = [FuncId(direct)]
            meant = dict.fromkeys(self.tables.meant(func) for func in callees)
            found = self._targets[call] = list(meant)[: self.config.most_targets]
            self.limits_hit["targets of a call by pointer"] += len(meant) > len(found)
        return found

    def model(self, func: int) -> FunctionModel | None:
        if func not in self._models:
            self._models[func] = self.models.lookup(self.program.func_name(func))
        return self._models[func]

    def model_effects(self, func: int) -> Iterable[Effect]:
        if self.tables.has_body(func):
            return ()
        model = self.model(func)
        return model.effects if model is not None else ()
