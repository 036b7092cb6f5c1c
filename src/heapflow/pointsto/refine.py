"""Refine the sets of local pointers: flow-sensitively within each function, with strong updates.

In:    Program, PointsTo, ObjectLayouts.     Out: PointsTo with smaller sets for some values.
Paper: TSE'14 §3 (intraprocedural, sparse, flow-sensitive refinement of local pointers).
Method: reaching definitions of the cells of local variables that live in memory. A store through the
       variable's own address replaces what was there (one concrete target); any other store adds; a
       call replaces everything by what the flow-insensitive result says, if the address escapes. A load
       then holds what the stores that reach it stored. Copies, phis, geps and loads that depend on it
       shrink with it; no set ever grows, so every step keeps the result sound.
Example: `p = &a; use(p); p = &b; use(p);` with `&p` passed around: {a}, then {b}, instead of {a, b}.
Guarantees (`tests/pointsto/test_refine.py`): subsets of the input's sets; observed facts stay.
Not modelled: functions that call setjmp are left as they are.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from heapflow.ir.jumps import returning_twice
from heapflow.pointsto.codes import Op, TypeKind
from heapflow.pointsto.facts import CALLS, COPIES, Facts
from heapflow.pointsto.layouts import ObjectLayouts
from heapflow.pointsto.objects import Objects
from heapflow.pointsto.reaching import Definition, reaching_loads
from heapflow.pointsto.result import PointsTo
from heapflow.pointsto.system import ragged

Cells = frozenset[int]


def refine_locals(
    facts: Facts, points_to: PointsTo, objects: Objects, layouts: ObjectLayouts, most_refined: int
) -> PointsTo:
    """The same result with the sets of local pointers cut down."""
    refiner = _Refiner(facts, points_to, objects, layouts, most_refined)
    by_func: dict[int, list[int]] = {}
    for value, obj in objects.of_alloca.items():
        if objects.table.tracked[obj]:
            by_func.setdefault(facts.func_of_instr[facts.row_of_value[value]], []).append(value)
    for func in sorted(by_func):
        refiner.function(func, by_func[func])
    return refiner.result()


class _Refiner:
    def __init__(
        self,
        facts: Facts,
        points_to: PointsTo,
        objects: Objects,
        layouts: ObjectLayouts,
        most_refined: int,
    ) -> None:
        self.most_refined = most_refined
        self.facts, self.points_to, self.objects, self.layouts = facts, points_to, objects, layouts
        self.returning_twice = returning_twice(facts.program)
        self.refined: dict[int, Cells] = {}  # by value
        pairs = zip(points_to.cell_obj.tolist(), points_to.cell_offset.tolist(), strict=True)
        self.cell_at = {place: cell for cell, place in enumerate(pairs)}
        self._sets: dict[int, Cells] = {}

    # -- sets ---------------------------------------------------------------------------------

    def targets(self, value: int) -> Cells:
        if value in self.refined:
            return self.refined[value]
        return self._numbered(int(self.points_to.value_set[value]))

    def content(self, cell: int) -> Cells:
        return self._numbered(int(self.points_to.cell_set[cell]))

    def _numbered(self, number: int) -> Cells:
        if number not in self._sets:
            start = self.points_to.set_start
            first, last = (start[number], start[number + 1]) if number > 0 else (0, 0)
            self._sets[number] = frozenset(self.points_to.set_cell[first:last].tolist())
        return self._sets[number]

    # -- one function -------------------------------------------------------------------------

    def function(self, func: int, variables: list[int]) -> None:
        rows = self.facts.program.instr_range(func)
        if any(row in rows for row in self.returning_twice):
            return
        places = {
            address: cell for value in variables for address, cell in self._addresses(value).items()
        }
        loads = [row for row in rows if self._loads_pointer(row) and self._address(row) in places]
        if not loads:
            return
        wanted = {places[self._address(row)] for row in loads}
        definitions = self._definitions(rows, places, wanted, self._escaping(variables))
        reached = reaching_loads(
            self.facts.program, func, definitions, [(r, places[self._address(r)]) for r in loads]
        )
        changed: list[int] = []
        for row, found in zip(loads, reached, strict=True):
            value = self.facts.result[row]
            new = self._stored(found) & self.targets(value)
            if new != self.targets(value):
                self.refined[value] = new
                changed.append(value)
        self._spread(func, changed)

    def _address(self, row: int) -> int:
        return self.facts.operand[self.facts.start[row]]

    def _loads_pointer(self, row: int) -> bool:
        return self.facts.op[row] == Op.LOAD and self.facts.is_pointer(self.facts.result[row])

    def _addresses(self, variable: int) -> dict[int, int]:
        """Values that are the address of one cell of a variable, told by their form alone."""
        obj = self.objects.of_alloca[variable]
        shape = self.objects.table.shape[obj]
        if shape.repeats or self.points_to.is_one_place(obj):
            return {}
        found: dict[int, int] = {}
        pending = [(variable, 0)]
        while pending:
            value, offset = pending.pop()
            normal = self.layouts.cell_offset(self.layouts.shape(shape), offset)
            cell = self.cell_at.get((obj, normal), -1)
            if cell >= 0 and normal == offset:
                found[value] = cell
            for row in self.facts.users(value):
                step = self.facts.start[row + 1] - self.facts.start[row] == 1
                if self.facts.op[row] == Op.GEP and step and not self.facts.aux2[row]:
                    pending.append((self.facts.result[row], offset + self.facts.aux[row]))
        return found

    def _escaping(self, variables: list[int]) -> set[int]:
        """Objects whose address is used for more than loads and stores here."""
        found: set[int] = set()
        for variable in variables:
            pending = [variable]
            while pending:
                value = pending.pop()
                for row in self.facts.users(value):
                    op = self.facts.op[row]
                    if op == Op.GEP:
                        pending.append(self.facts.result[row])
                    elif op not in (Op.LOAD, Op.ICMP) and not (
                        op == Op.STORE and self.facts.operands(row)[1] != value
                    ):
                        found.add(self.objects.of_alloca[variable])
        return found

    def _definitions(
        self, rows: range, places: dict[int, int], wanted: set[int], escaping: set[int]
    ) -> list[Definition]:
        facts, obj = self.facts, self.points_to.cell_obj
        exposed = sorted(cell for cell in wanted if int(obj[cell]) in escaping)
        found: list[Definition] = []
        for row in rows:
            op = facts.op[row]
            if op == Op.STORE:
                address, value = facts.operands(row)
                own = places.get(address, -1)
                if own in wanted:
                    found.append(Definition(row, own, value, replaces=True))
                    continue
                others = self.targets(address) & wanted
                found += [Definition(row, c, value, replaces=False) for c in sorted(others)]
            elif op in CALLS or op in (Op.CMPXCHG, Op.ATOMIC_RMW):
                touched = self._touched(row)
                found += [
                    Definition(row, cell, -1, replaces=True)
                    for cell in exposed
                    if touched is None or int(obj[cell]) in touched
                ]
        return found

    def _touched(self, row: int) -> set[int] | None:
        """Objects that a call may write; None: any whose address escaped.

        An external function writes only into what it is given; that it may keep an address and write
        through it during a later call is left out, as everywhere (docs/unsoundness.md#external-code).
        """
        facts = self.facts
        if facts.op[row] not in CALLS:
            return None
        callee = facts.callee(row)
        if callee < 0 or any(facts.has_body(func) for func in facts.definitions(callee)):
            return None
        args = facts.operands(row)[1:]
        given = (cell for arg in args for cell in self.targets(arg))
        return {int(self.points_to.cell_obj[cell]) for cell in given}

    def _stored(self, definitions: list[Definition]) -> Cells:
        found: set[int] = set()
        for definition in definitions:
            if definition.value >= 0 and self._has_set(definition.value):
                found |= self.targets(definition.value)
            else:
                found |= self.content(definition.cell)
        return frozenset(found)

    def _has_set(self, value: int) -> bool:
        """A value with a set, or a null pointer, which points nowhere."""
        kind = self.facts.type_kind[self.facts.value_type[value]]
        tracked = self.points_to.value_set[value] >= 0
        return kind == TypeKind.POINTER and (tracked or self.facts.row_of_value[value] < 0)

    # -- dependents ---------------------------------------------------------------------------

    def _spread(self, func: int, changed: list[int]) -> None:
        pending = list(changed)
        steps = 0
        while pending and steps < self.most_refined:
            steps += 1
            for row in self.facts.users(pending.pop()):
                target = self.facts.result[row]
                if target < 0 or row >= self.facts.instr_count:
                    continue
                old = self.targets(target)
                new = self._transferred(row) if old else None
                if new is not None and not old <= new:
                    self.refined[target] = old & new
                    pending.append(target)
        if pending:
            self.facts.limits_hit["values that are made more exact"] += 1

    def _transferred(self, row: int) -> Cells | None:
        """What an operation yields from its operands' sets; None if that is not ours to say."""
        facts, operands = self.facts, self.facts.operands(row)
        if not facts.is_pointer(facts.result[row]):
            return None
        op = facts.op[row]
        if op == Op.LOAD:
            return frozenset().union(*(self.content(cell) for cell in self.targets(operands[0])))
        if op == Op.GEP and len(operands) == 1:
            return frozenset(
                self._moved(cell, facts.aux[row]) for cell in self.targets(operands[0])
            )
        if op in COPIES:
            sources = operands[1:] if op == Op.SELECT else operands
            if not all(self._has_set(source) for source in sources):
                return None
            return frozenset().union(*(self.targets(source) for source in sources))
        return None

    def _moved(self, cell: int, delta: int) -> int:
        obj = int(self.points_to.cell_obj[cell])
        if self.points_to.is_one_place(obj):
            return cell
        shape = self.layouts.shape(self.objects.table.shape[obj])
        offset = self.layouts.cell_offset(shape, int(self.points_to.cell_offset[cell]) + delta)
        return self.cell_at.get((obj, offset), -1)

    # -- result -------------------------------------------------------------------------------

    def result(self) -> PointsTo:
        if not self.refined:
            return self.points_to
        p = self.points_to
        count = len(p.set_start) - 1
        numbers: dict[Cells, int] = {frozenset(): 0}
        added: list[list[int]] = []
        value_set = p.value_set.copy()
        for value, cells in self.refined.items():
            if cells not in numbers:
                numbers[cells] = count + len(added)
                added.append(sorted(cells))
            value_set[value] = numbers[cells]
        start, cells_added = ragged(added)
        return dataclasses.replace(
            p,
            value_set=value_set,
            set_start=np.concatenate([p.set_start, start[1:] + p.set_start[-1]]),
            set_cell=np.concatenate([p.set_cell, cells_added]),
            counters=(
                *p.counters,
                ("sets cut down by flow-sensitive refinement", len(self.refined)),
            ),
        )
