"""From the points-to phase's result to MemoryFacts: the only place that knows both.

In:    Generated, Solution.     Out: MemoryFacts.
"""

from __future__ import annotations

from heapflow.ir.kinds import TypeKind, ValueKind
from heapflow.memssa.facts import LocationKind, MemoryFacts
from heapflow.pointsto.constraints import Generated
from heapflow.pointsto.objects import ObjectKind
from heapflow.pointsto.solve import Solution
from heapflow.pointsto.tracking import Tracking


def memory_facts(generated: Generated, solution: Solution, var_map: list[int]) -> MemoryFacts:
    table, cells = generated.objects.table, solution.cells
    copies = set(generated.objects.of_param.values())
    kinds = {
        ObjectKind.FUNCTION: LocationKind.FUNCTION,
        ObjectKind.GLOBAL: LocationKind.GLOBAL,
        ObjectKind.STACK: LocationKind.STACK,
        ObjectKind.VARARGS: LocationKind.VARARGS,
        ObjectKind.HEAP: LocationKind.HEAP,
    }
    kind_of_object = [int(kinds[ObjectKind(kind)]) for kind in table.kind]
    for obj in copies:
        kind_of_object[obj] = LocationKind.COPY
    kind = [kind_of_object[obj] for obj in cells.obj]
    owned = {LocationKind.STACK, LocationKind.COPY, LocationKind.VARARGS, LocationKind.FUNCTION}
    number = {place: i for i, place in enumerate(zip(cells.obj, cells.offset, strict=True))}
    shapes = generated.system.obj_shape.tolist()
    layouts = generated.layouts

    def place(obj: int, offset: int) -> int:
        return number.get((obj, layouts.cell_offset(shapes[obj], offset)), -1)

    def value_set(value: int) -> int:
        var = generated.var_of_value[value]
        var = var_map[var] if var >= 0 else -1
        return solution.var_set[var] if var >= 0 else 0

    objects = generated.objects
    heap: dict[int, list[int]] = {}
    for obj in range(objects.first_heap, len(table)):
        if table.instr[obj] >= 0:
            heap.setdefault(table.instr[obj], []).append(obj)
    return MemoryFacts(
        kind=kind,
        obj=cells.obj,
        offset=cells.offset,
        owner=[table.func[obj] if kind[i] in owned else -1 for i, obj in enumerate(cells.obj)],
        single=[not table.shape[obj].repeats for obj in cells.obj],
        value_set=[value_set(value) for value in range(len(generated.var_of_value))],
        content=solution.cell_set,
        may_carry=_may_carry(generated),
        callees=_callees(generated, solution),
        callbacks={},
        heap_objects={call: tuple(found) for call, found in heap.items()},
        place=place,
    )


def _may_carry(generated: Generated) -> list[bool]:
    facts = generated.facts
    tracking = generated.tracking.tolist()
    variable = (ValueKind.INSTR, ValueKind.PARAM)
    found = []
    for value, kind in enumerate(facts.value_kind):
        type_kind = facts.type_kind[facts.value_type[value]] if facts.value_type[value] >= 0 else 0
        found.append(
            kind in variable
            and (type_kind == TypeKind.POINTER or tracking[value] == Tracking.TRACKED)
        )
    return found


def _callees(generated: Generated, solution: Solution) -> dict[int, tuple[int, ...]]:
    facts = generated.facts
    found: dict[int, tuple[int, ...]] = {
        call: tuple(targets) for call, targets in generated.direct_targets.items()
    }
    for call, targets in zip(generated.call_rows, solution.targets, strict=False):
        if call >= 0:
            found[call] = tuple(targets)
    for row in range(facts.instr_count):
        if facts.is_call(row) and row not in found and (func := facts.callee(row)) >= 0:
            found[row] = (func,)
    return found
