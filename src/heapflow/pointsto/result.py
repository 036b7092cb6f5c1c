"""What the points-to phase hands on: objects, cells, a set per value, a set per cell.

Equal sets are stored once: a value has a set number, the sets are one ragged relation over cells. Set 0
is the empty set; -1 says that the value has no set at all, and `tracking` says why (filter a).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from heapflow.ir.program import Program
from heapflow.ir.table import I32, I64, U8
from heapflow.pointsto.objects import ObjectKind
from heapflow.pointsto.tracking import Tracking
from heapflow.support.errors import InternalError


@dataclass(frozen=True, slots=True)
class ObjectColumns:
    """Abstract objects. Heap objects know the calls through which they came out of an allocator."""

    kind: U8  # ObjectKind
    value: I32  # address constant, alloca result, result of the outermost call; -1 none
    instr: I32  # alloca, or the call of the external allocator; -1
    func: I32  # owner of a stack object, function of the outermost call, the FUNCTION itself; -1
    size: I64  # bytes; -1 unknown
    repeats: (
        U8  # 1: one element stands for all of an array, or one place for memory of unknown type
    )
    tracked: U8  # 0: holds no pointers, is in no set
    type_start: I64  # several types: told by contradicting uses
    type: I32  # C type id, or ~id of an LLVM type
    chain_start: I64
    chain: I32  # call instructions from the external allocator outwards

    def __len__(self) -> int:
        return len(self.kind)


@dataclass(frozen=True)
class PointsTo:
    """The solution. Cells of one object are consecutive and ordered by offset."""

    program: Program
    objects: ObjectColumns
    cell_obj: I32
    cell_offset: I64
    value_set: I32  # set of each value, -1 not tracked
    cell_set: I32  # what each cell holds
    set_start: I64
    set_cell: I32
    tracking: U8  # Tracking per value
    counters: tuple[tuple[str, int], ...] = ()
    cut_short: tuple[tuple[str, int], ...] = ()  # bounds on single pointers that were met

    @property
    def limits_hit(self) -> tuple[tuple[str, int], ...]:
        """Bounds that were met, and how often."""
        mark = " (limit)"
        return tuple(
            (what.removesuffix(mark), count)
            for what, count in self.counters
            if count and what.endswith(mark)
        )

    def targets(self, value: int) -> I32:
        """The cells that a value may point to; empty also for values that are not tracked."""
        return self._set(int(self.value_set[value]))

    def content(self, cell: int) -> I32:
        """The cells that what a cell holds may point to."""
        return self._set(int(self.cell_set[cell]))

    def is_tracked(self, value: int) -> bool:
        return bool(self.tracking[value] == Tracking.TRACKED)

    def chain(self, obj: int) -> list[int]:
        """Call instructions from the external allocator outwards."""
        start = self.objects.chain_start
        found: list[int] = self.objects.chain[start[obj] : start[obj + 1]].tolist()
        return found

    def is_one_place(self, obj: int) -> bool:
        """Whether no places are told apart in an object of unknown type."""
        start = self.objects.type_start
        return bool(self.objects.repeats[obj] and start[obj + 1] - start[obj] != 1)

    def heap_objects_of(self, call: int) -> list[int]:
        """Heap objects whose outermost call is this one: its own blocks."""
        starts = self.objects.chain_start
        last = starts[1:] - 1
        owned = (starts[1:] > starts[:-1]) & (self.objects.kind == ObjectKind.HEAP)
        hits = np.zeros(len(owned), dtype=bool)
        hits[owned] = self.objects.chain[last[owned]] == call
        found: list[int] = np.flatnonzero(hits).tolist()
        return found

    def _set(self, number: int) -> I32:
        if number < 0:
            return self.set_cell[:0]
        return self.set_cell[self.set_start[number] : self.set_start[number + 1]]

    def set_sizes(self) -> I64:
        """Sizes of the sets of all tracked values that point somewhere."""
        sizes = self.set_start[1:] - self.set_start[:-1]
        found: I64 = sizes[self.value_set[self.value_set > 0]]
        return found

    # -- text ---------------------------------------------------------------------------------

    def object_name(self, obj: int) -> str:
        """A name that does not depend on numbering: what it is and where it comes from."""
        program, objects = self.program, self.objects
        kind, value = ObjectKind(objects.kind[obj]), int(objects.value[obj])
        func = program.func_name(int(objects.func[obj])) if objects.func[obj] >= 0 else ""
        match kind:
            case ObjectKind.FUNCTION:
                return f"{func}()"
            case ObjectKind.GLOBAL:
                number = int(program.values.index[value]) if value >= 0 else -1
                return f"@{program.global_name(number)}" if number >= 0 else "@"
            case ObjectKind.STACK:
                return f"{func}.{self.variable_name(value) or 'temporary'}"
            case ObjectKind.VARARGS:
                return f"{func}.(varargs)"
            case ObjectKind.HEAP:
                calls = [self._call_name(call) for call in self.chain(obj)]
                return "heap[" + " < ".join(calls) + "]" if calls else f"heap[{func}]"

    def _call_name(self, call: int) -> str:
        func = int(self.program.blocks.func[self.program.instrs.block[call]])
        _, line, column = self.program.position(call)
        return f"{self.program.func_name(func)}:{line}:{column}"

    def variable_name(self, value: int) -> str:
        return self.program.strings[self.program.values.name[value]] if value >= 0 else ""

    def cell_name(self, cell: int) -> str:
        name, offset = self.object_name(int(self.cell_obj[cell])), int(self.cell_offset[cell])
        return f"{name}+{offset}" if offset else name

    def _named_values(self) -> Iterator[tuple[str, int]]:
        """Values that a source variable holds, by function and name."""
        program = self.program
        b = program.bindings
        seen: set[tuple[str, int]] = set()
        for value, variable, kind in zip(
            b.value.tolist(), b.variable.tolist(), b.kind.tolist(), strict=True
        ):
            if value < 0 or kind != 0:
                continue
            func = int(program.variables.func[variable])
            name = f"{program.func_name(func)}.{program.strings[program.variables.name[variable]]}"
            if (name, value) not in seen:
                seen.add((name, value))
                yield name, value

    def dump(self) -> str:
        """Sets of all variables and cells by name; independent of numbering."""
        merged: dict[str, set[str]] = {}
        for name, value in self._named_values():
            if self.is_tracked(value):
                found = merged.setdefault(name, set())
                found.update(self.cell_name(cell) for cell in self.targets(value).tolist())
        lines = [f"{name} -> {_braces(found)}" for name, found in sorted(merged.items())]
        held: dict[str, set[str]] = {}
        for cell in np.flatnonzero(self.cell_set > 0).tolist():
            found = held.setdefault(self.cell_name(cell), set())
            found.update(self.cell_name(target) for target in self.content(cell).tolist())
        lines += [f"*{name} -> {_braces(found)}" for name, found in sorted(held.items())]
        return "".join(line + "\n" for line in lines)


def _braces(names: set[str]) -> str:
    return "{" + ", ".join(sorted(names)) + "}"


def check_points_to(points_to: PointsTo) -> None:
    """Ids in range, cells ordered, sets ascending and distinct, untracked values without a set."""
    p = points_to
    cells = len(p.cell_obj)

    def require(holds: object, what: str) -> None:
        if not holds:
            raise InternalError(f"points-to: {what}")

    require(len(p.value_set) == len(p.program.values), "one set number per value")
    require(len(p.cell_set) == cells, "one set number per cell")
    require(np.all(p.value_set < len(p.set_start) - 1), "set numbers in range")
    require(np.all((p.set_cell >= 0) & (p.set_cell < cells)), "cells in range")
    require(np.all((p.cell_obj >= 0) & (p.cell_obj < len(p.objects))), "objects in range")
    order = p.cell_obj.astype(np.int64) * (1 << 32) + p.cell_offset
    require(np.all(order[1:] > order[:-1]), "cells ordered by object and offset")
    inner = np.ones(max(len(p.set_cell) - 1, 0), dtype=bool)
    edges = p.set_start[1:-1] - 1
    inner[edges[(edges >= 0) & (edges < len(inner))]] = False
    require(np.all((p.set_cell[1:] > p.set_cell[:-1])[inner]), "sets ascending")
    untracked = p.tracking != Tracking.TRACKED
    require(np.all(p.value_set[untracked] == -1), "values that are not tracked have no set")
    require(np.all(p.value_set[~untracked] >= 0), "tracked values have a set")
    reached = np.unique(p.cell_obj[p.set_cell])
    require(np.all(p.objects.tracked[reached] == 1), "sets hold tracked objects only")
