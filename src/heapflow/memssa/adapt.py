"""From the points-to phase's results to MemoryFacts: the only place that knows both.

In:    PointsTo, CallGraph, Facts.     Out: MemoryFacts.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from heapflow.ir.kinds import ParamFlag, TypeKind, ValueKind
from heapflow.memssa.borrowed import find_borrowed
from heapflow.memssa.config import MemorySsaConfig
from heapflow.memssa.facts import LocationKind, MemoryFacts
from heapflow.pointsto.callgraph import CallGraph
from heapflow.pointsto.facts import Facts
from heapflow.pointsto.layouts import POINTER_SIZE
from heapflow.pointsto.objects import ObjectKind
from heapflow.pointsto.result import PointsTo
from heapflow.pointsto.tracking import Tracking
from heapflow.pointsto.typeref import RefKind, TypeRef, TypeRefs
from heapflow.support.bitset import from_members

_KINDS = {
    ObjectKind.FUNCTION: LocationKind.FUNCTION,
    ObjectKind.GLOBAL: LocationKind.GLOBAL,
    ObjectKind.STACK: LocationKind.STACK,
    ObjectKind.VARARGS: LocationKind.VARARGS,
    ObjectKind.HEAP: LocationKind.HEAP,
}
_OWNED = frozenset(
    {LocationKind.STACK, LocationKind.COPY, LocationKind.VARARGS, LocationKind.FUNCTION}
)


def memory_facts(
    points_to: PointsTo, calls: CallGraph, facts: Facts, config: MemorySsaConfig
) -> MemoryFacts:
    """Sets as bitsets over cells, the call graph as a mapping."""
    objects = points_to.objects
    cell_obj: list[int] = points_to.cell_obj.tolist()
    cell_offset: list[int] = points_to.cell_offset.tolist()
    callees = _callees(calls, facts)
    limits_hit = facts.limits_hit  # counted together
    borrowed = _borrowed_objects(points_to, facts, callees, config, limits_hit)
    kind_of_object = _object_kinds(points_to)
    func: list[int] = objects.func.tolist()
    for obj, owner in borrowed.items():
        kind_of_object[obj], func[obj] = LocationKind.STACK, owner
    kind = [kind_of_object[obj] for obj in cell_obj]
    start, cell = points_to.set_start, points_to.set_cell
    sets = [
        from_members(cell[start[number] : start[number + 1]].tolist())
        for number in range(len(start) - 1)
    ]
    sets.append(0)  # -1: no set
    shapes = _Shapes(points_to)
    number = {place: i for i, place in enumerate(zip(cell_obj, cell_offset, strict=True))}

    def place(obj: int, offset: int) -> int:
        return number.get((obj, shapes.wrapped(obj, offset)), -1)

    return MemoryFacts(
        kind=kind,
        obj=cell_obj,
        offset=cell_offset,
        owner=[func[obj] if kind[i] in _OWNED else -1 for i, obj in enumerate(cell_obj)],
        single=[shapes.is_single(o, at) for o, at in zip(cell_obj, cell_offset, strict=True)],
        value_set=[sets[number] for number in points_to.value_set.tolist()],
        content=[sets[number] for number in points_to.cell_set.tolist()],
        may_carry=_may_carry(points_to, facts),
        callees=callees,
        heap_objects=_heap_objects(points_to),
        place=place,
        name=points_to.cell_name,
        borrowed=borrowed,
        limits_hit=limits_hit,
        one_place=from_members(
            cell for cell, obj in enumerate(cell_obj) if points_to.is_one_place(obj)
        ),
    )


def _borrowed_objects(
    points_to: PointsTo,
    facts: Facts,
    callees: dict[int, tuple[int, ...]],
    config: MemorySsaConfig,
    limits_hit: Counter[str],
) -> dict[int, int]:
    """Objects of the global variables that serve as somebody's local, with their owners."""
    defined = {
        call: inside
        for call, funcs in callees.items()
        if (inside := tuple(func for func in funcs if facts.has_body(func)))
    }
    owners = find_borrowed(facts, defined, config, limits_hit)
    objects = points_to.objects
    found: dict[int, int] = {}
    for obj in np.flatnonzero(objects.kind == ObjectKind.GLOBAL).tolist() if owners else ():
        value = int(objects.value[obj])
        if value >= 0 and facts.value_index[value] in owners:
            found[obj] = owners[facts.value_index[value]]
    return found


def _object_kinds(points_to: PointsTo) -> list[int]:
    kinds = [int(_KINDS[ObjectKind(kind)]) for kind in points_to.objects.kind.tolist()]
    params = points_to.program.params
    by_value = set(params.value[(params.flags & ParamFlag.BY_VALUE) != 0].tolist())
    for obj, value in enumerate(points_to.objects.value.tolist()):
        if value in by_value and kinds[obj] == LocationKind.STACK:
            kinds[obj] = LocationKind.COPY
    return kinds


class _Shapes:
    """What the objects' types say about single cells."""

    def __init__(self, points_to: PointsTo) -> None:
        self.objects = points_to.objects
        self.refs = TypeRefs(points_to.program)
        self.repeats: list[int] = self.objects.repeats.tolist()
        self.size: list[int] = self.objects.size.tolist()

    def types(self, obj: int) -> list[TypeRef]:
        start = self.objects.type_start
        found: list[int] = self.objects.type[start[obj] : start[obj + 1]].tolist()
        return found

    def wrapped(self, obj: int, offset: int) -> int:
        """An offset in an array object, as an offset in its one element."""
        if not self.repeats[obj]:
            return offset
        types = self.types(obj)
        if len(types) != 1:
            return 0  # one place
        each = self.refs.size(types[0])
        return offset % each if each > 0 else offset

    def is_single(self, obj: int, offset: int) -> bool:
        """Whether a cell is one place: neither an element nor inside an array member."""
        if self.repeats[obj]:
            return False
        types = self.types(obj)
        if not types:
            return 0 <= self.size[obj] <= POINTER_SIZE
        return not any(self._in_array(ref, offset) for ref in types)

    def _in_array(self, ref: TypeRef, offset: int) -> bool:
        match self.refs.kind(ref):
            case RefKind.ARRAY | RefKind.UNKNOWN:
                return True
            case RefKind.STRUCT | RefKind.UNION:
                members = self.refs.members_over(ref, offset)
                return any(self._in_array(member, offset - start) for start, member in members)
            case _:
                return False


def _may_carry(points_to: PointsTo, facts: Facts) -> list[bool]:
    """Instructions and parameters that are pointers, or integers and aggregates that hold some."""
    values = points_to.program.values
    typed = values.type >= 0
    pointer = np.zeros(len(values), dtype=bool)
    pointer[typed] = points_to.program.types.kind[values.type[typed]] == TypeKind.POINTER
    variable = np.isin(values.kind, (ValueKind.INSTR, ValueKind.PARAM))
    found: list[bool] = (variable & (pointer | (points_to.tracking == Tracking.TRACKED))).tolist()
    return found


def _callees(calls: CallGraph, facts: Facts) -> dict[int, tuple[int, ...]]:
    """The call graph, and intrinsics as calls of their own names."""
    start, callee = calls.callee_start.tolist(), calls.callee.tolist()
    found = {
        call: tuple(callee[start[row] : start[row + 1]])
        for row, call in enumerate(calls.call.tolist())
    }
    for row in range(facts.instr_count):
        if facts.is_call(row) and row not in found and (func := facts.callee(row)) >= 0:
            found[row] = (func,)
    return found


def _heap_objects(points_to: PointsTo) -> dict[int, tuple[int, ...]]:
    """Heap objects by the call of the external allocator that makes them."""
    objects = points_to.objects
    found: dict[int, list[int]] = {}
    for obj in np.flatnonzero(objects.kind == ObjectKind.HEAP).tolist():
        if objects.instr[obj] >= 0:
            found.setdefault(int(objects.instr[obj]), []).append(obj)
    return {call: tuple(objs) for call, objs in found.items()}
