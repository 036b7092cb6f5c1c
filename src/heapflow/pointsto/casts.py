"""Widen what is known of types where the program itself casts.

In:    ValueTypes, ObjectLayouts.     Out: more evidence in ValueTypes, exempted fields in the layouts;
       pairs of types that are cast to each other, for families.py.
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


class Casts:
    """Copies of pointers in the program, looked at for the types on both sides."""

    def __init__(self, facts: Facts, types: ValueTypes) -> None:
        self.facts, self.types, self.refs = facts, types, types.refs
        self.stored_at: dict[int, list[Place]] = {}
        self.loaded_from: dict[Place, list[int]] = {}
        self._undefined: dict[TypeRef, bool] = {}
        self.copies = list(self._copies())

    def type_pairs(self) -> Iterator[tuple[set[TypeRef], set[TypeRef]]]:
        """Types declared for the same register and its copies, where nobody defines one of them."""
        # A constant (NULL above all) is in variables of all types.
        kinds = self.facts.value_kind
        registers = (ValueKind.INSTR, ValueKind.PARAM)
        declared = {v: t for v, t in self.types.declared.items() if kinds[v] in registers}
        special = {value for value, found in declared.items() if self._names_undefined(found)}
        for value in sorted(special):
            if not self._from_union(value):
                yield declared[value], declared[value]
        for src, dst in self.copies:
            if (src in special or dst in special) and src in declared and dst in declared:
                yield declared[src], declared[dst]
        for src, places in self.stored_at.items():
            for owner, offset, _ in places if src in declared else ():
                targets = self.refs.pointees_at(owner, offset)
                expected = {target for target in targets if target is not None}
                if src in special or self._names_undefined(expected):
                    yield declared[src], expected

    def _from_union(self, value: int) -> bool:
        """Loaded from a place with several members: these are not cast to each other."""
        row = self.facts.row_of_value[value]
        if row < 0 or self.facts.op[row] != Op.LOAD:
            return False
        places = self.types.place_types(self.facts.operands(row)[0])
        return any(len(self.refs.pointees_at(owner, offset)) > 1 for owner, offset in places)

    def _names_undefined(self, found: set[TypeRef]) -> bool:
        return any(self._is_undefined(ref) for ref in found)

    def _is_undefined(self, ref: TypeRef) -> bool:
        known = self._undefined.get(ref)
        if known is None:
            target = ref
            while self.refs.kind(target) == Ref.POINTER:
                target = self.refs.elem(target)
            known = self._undefined[ref] = self.refs.is_undefined(target)
        return known

    def _copies(self) -> Iterator[tuple[int, int]]:
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


def widen_by_casts(casts: Casts, layouts: ObjectLayouts, objects: Objects) -> None:
    """Add to each receiver the types that are cast into it.

    One step only: what a receiver learns is not spread from it. Passing it on through a chain of
    `char *` would let everything into the text that half of the program handles.
    """
    widening = _Widening(casts, layouts)
    sources = {src for src, _ in casts.copies} | casts.stored_at.keys()
    known = {src: found for src in sources if (found := widening.types_of(src))}
    for src, dst in casts.copies:
        if src in known:
            widening.into_value(known[src], dst)
    for src, places in casts.stored_at.items():
        for place in places:
            widening.into_place(known.get(src, set()), place)
    for address, added in widening.into_variable.items():
        for obj in widening.objects_at(address, objects):
            shape = objects.table.shape[obj]
            objects.table.shape[obj] = replace(shape, also=frozenset(added))


class _Widening:
    def __init__(self, casts: Casts, layouts: ObjectLayouts) -> None:
        self.facts, self.types, self.refs = casts.facts, casts.types, casts.refs
        self.loaded_from, self.layouts = casts.loaded_from, layouts
        self.into_variable: dict[int, set[TypeRef]] = {}
        self._fits: dict[tuple[TypeRef, TypeRef], bool] = {}

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
