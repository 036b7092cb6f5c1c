"""Widen what is known of types where the program itself casts.

In:    ValueTypes, ObjectLayouts.     Out: more evidence in ValueTypes, exempted fields in the layouts.
Where a pointer known to be a `T *` is passed, returned or stored as an unrelated `U *` or as `char *`,
the program casts on purpose: the receiver then holds T as well. Without this the type filters would
cut off generic code that predates `void *` (`without_interrupts (f, (char *)arg1, (char *)arg2)`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from heapflow.pointsto.codes import Op, ValueKind
from heapflow.pointsto.facts import COPIES, Facts
from heapflow.pointsto.layouts import ObjectLayouts
from heapflow.pointsto.objects import Objects
from heapflow.pointsto.typeref import Ref, TypeRef
from heapflow.pointsto.valuetypes import ValueTypes

Place = tuple[TypeRef, int, int]  # type, offset, the variable's address if it is a plain variable


def widen_by_casts(
    facts: Facts, types: ValueTypes, layouts: ObjectLayouts, objects: Objects
) -> None:
    """Add to each receiver the types that are cast into it.

    One step only: what a receiver learns is not spread from it. Passing it on through a chain of
    `char *` would let everything into the text that half of the program handles.
    """
    widening = _Widening(facts, types, layouts)
    copies = list(widening.copies())
    sources = {src for src, _ in copies} | widening.stored_at.keys()
    known = {src: found for src in sources if (found := widening.types_of(src))}
    for src, dst in copies:
        if src in known:
            widening.into_value(known[src], dst)
    for src, places in widening.stored_at.items():
        for place in places:
            widening.into_place(known.get(src, set()), place)
    for address, added in widening.into_variable.items():
        for obj in widening.objects_at(address, objects):
            shape = objects.table.shape[obj]
            objects.table.shape[obj] = replace(shape, also=frozenset(added))


class _Widening:
    def __init__(self, facts: Facts, types: ValueTypes, layouts: ObjectLayouts) -> None:
        self.facts, self.types, self.layouts, self.refs = facts, types, layouts, types.refs
        self.stored_at: dict[int, list[Place]] = {}
        self.loaded_from: dict[Place, list[int]] = {}
        self.into_variable: dict[int, set[TypeRef]] = {}
        self._fits: dict[tuple[TypeRef, TypeRef], bool] = {}

    def copies(self) -> Iterator[tuple[int, int]]:
        """Copies between registers: phis, arguments, results; fills the tables of places."""
        facts = self.facts
        returned: dict[int, list[int]] = {}
        calls: list[tuple[int, int]] = []
        for row in range(facts.instr_count):
            op = facts.op[row]
            if op in COPIES:
                for source in facts.operands(row)[1 if op == Op.SELECT else 0 :]:
                    yield source, facts.result[row]
            elif op == Op.RET and facts.operands(row):
                returned.setdefault(facts.func_of_instr[row], []).append(facts.operands(row)[0])
            elif op == Op.STORE and facts.is_pointer(facts.operands(row)[1]):
                address, value = facts.operands(row)
                self.stored_at.setdefault(value, []).extend(self._places(address))
            elif op == Op.LOAD and facts.is_pointer(facts.result[row]):
                for place in self._places(facts.operands(row)[0]):
                    self.loaded_from.setdefault(place, []).append(facts.result[row])
            elif facts.is_call(row) and (func := facts.callee(row)) >= 0:
                calls.append((row, func))
        for row, func in calls:
            for meant in facts.definitions(func):
                if facts.has_body(meant):
                    yield from zip(facts.operands(row)[1:], facts.params(meant), strict=False)
                for value in returned.get(meant, ()):
                    if facts.result[row] >= 0:
                        yield value, facts.result[row]

    def _places(self, address: int) -> list[Place]:
        found = self.types.place_types(address)
        is_alloca = self._is_alloca(address)
        if found and (is_alloca or self.facts.value_kind[address] == ValueKind.GLOBAL):
            owner, offset = found[0]
            if self.refs.kind(owner) == Ref.POINTER:
                return [(owner, offset, address)]  # a variable: only itself is exempted
        return [(self.refs.canonical(owner), offset, -1) for owner, offset in found]

    def _is_alloca(self, address: int) -> bool:
        row = self.facts.row_of_value[address]
        return row >= 0 and self.facts.op[row] == Op.ALLOCA

    def objects_at(self, address: int, objects: Objects) -> list[int]:
        if self.facts.value_kind[address] == ValueKind.GLOBAL:
            return objects.of_global[self.facts.value_index[address]]
        return [objects.of_alloca[address]]

    def into_value(self, known: set[TypeRef], dst: int) -> None:
        declared = self.types.declared.get(dst)
        if declared:
            declared |= self._foreign(known, declared)

    def into_place(self, known: set[TypeRef], place: Place) -> None:
        owner, offset, variable = place
        expected = self.refs.pointees_at(owner, offset)
        if not known or None in expected:
            return
        new = self._foreign(known, {target for target in expected if target is not None})
        if new:
            if variable >= 0:
                self.into_variable.setdefault(variable, set()).update(new)
            else:
                self.layouts.extra_content.setdefault((owner, offset), set()).update(new)
            for result in self.loaded_from.get(place, ()):
                self.types.declared.setdefault(result, set()).update(new)

    def types_of(self, value: int) -> set[TypeRef]:
        if self.facts.func_of_value(value) >= 0:
            functions = self.facts.program.functions
            ctype = int(functions.ctype[self.facts.func_of_value(value)])
            return {ctype} if ctype >= 0 else set()
        if self.facts.value_kind[value] == ValueKind.GLOBAL:
            places = self.types.place_types(value)
            return {owner for owner, _ in places if self.refs.kind(owner) == Ref.STRUCT}
        found = self.types.typed(value)
        return {ref for ref in found if self.refs.kind(ref) != Ref.DATA}

    def _foreign(self, known: set[TypeRef], expected: set[TypeRef]) -> set[TypeRef]:
        """The types that none of the expected ones lets through."""
        if any(self.refs.kind(ref) == Ref.UNKNOWN for ref in expected):
            return set()
        return {ref for ref in known if not any(self._fit(ref, e) for e in expected)}

    def _fit(self, ref: TypeRef, expected: TypeRef) -> bool:
        key = (ref, expected)
        if key not in self._fits:
            self._fits[key] = self.layouts.is_view(ref, expected)
        return self._fits[key]
