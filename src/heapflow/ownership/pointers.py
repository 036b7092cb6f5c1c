"""What the pointers of one function are, and which fields its addresses lie in.

In:    a function's SSA names.     Out: origins of values, places of addresses.
"""

from __future__ import annotations

from collections.abc import Callable

from heapflow.ir.kinds import POINTER_COPIES, Op, TypeKind, ValueKind
from heapflow.ownership.config import OwnershipConfig
from heapflow.ownership.effects import Place
from heapflow.ownership.places import (
    CELL,
    FRESH,
    OTHER,
    SOMETHING,
    Field,
    Origin,
    OriginKind,
    Root,
    RootKind,
    in_order,
)
from heapflow.ownership.tables import Tables

_THROUGH = frozenset(int(op) for op in POINTER_COPIES | {Op.GEP})
_NOTHING = frozenset((int(ValueKind.NULL), int(ValueKind.UNDEF), int(ValueKind.INT)))
_JOINS = frozenset((int(Op.PHI), int(Op.SELECT)))
_CALLS = frozenset((int(Op.CALL), int(Op.INVOKE)))
# Plain numbers: looking up a member of an enumeration costs more than what is done with it.
_ALLOCA = int(Op.ALLOCA)
_GEP = int(Op.GEP)
_LOAD = int(Op.LOAD)
_SELECT = int(Op.SELECT)
_ARRAY = int(TypeKind.ARRAY)
_STRUCT = int(TypeKind.STRUCT)
_CONST_EXPR = int(ValueKind.CONST_EXPR)
_GLOBAL = int(ValueKind.GLOBAL)
_INSTR = int(ValueKind.INSTR)
_PARAM = int(ValueKind.PARAM)
Results = Callable[[int], frozenset[Origin]]


class Pointers:
    """Answers for one function; `results` tells what its calls return."""

    def __init__(
        self, tables: Tables, config: OwnershipConfig, func: int, results: Results
    ) -> None:
        self.tables, self.config, self.func, self.results = tables, config, func, results
        self.cut_off: set[str] = set()  # bounds that were met
        self._origins: dict[int, frozenset[Origin]] = {}
        self._places: dict[int, tuple[Place, ...]] = {}
        self.contents: dict[int, list[int]] = {}  # ALLOCA -> values that are stored there
        self.filled: dict[int, set[Origin]] = {}  # ALLOCA -> what callees put there

    # What a pointer is ---------------------------------------------------------------------------

    def origins(self, value: int) -> frozenset[Origin]:
        found = self._origins.get(value)
        if found is None:
            self._origins[value] = frozenset()  # while it is being asked for: round a loop
            found = self._origins[value] = self._find_origins(value)
        return found

    def _find_origins(self, value: int) -> frozenset[Origin]:
        tables = self.tables
        kind, index = tables.value_kind[value], tables.value_index[value]
        if kind == _PARAM:
            root = Root(RootKind.PARAM, tables.param_position[index])
            return frozenset((Origin(OriginKind.ADDRESS, root),))
        if kind == _GLOBAL:
            return frozenset((Origin(OriginKind.ADDRESS, Root(RootKind.GLOBAL, index)),))
        if kind == _CONST_EXPR:
            operands = tables.const_operands(index)
            return self.origins(operands[0]) if operands else frozenset()
        if kind in _NOTHING:
            return frozenset()
        if kind != _INSTR:
            return frozenset((SOMETHING,))
        return self._of_instr(index)

    def _of_instr(self, row: int) -> frozenset[Origin]:
        tables = self.tables
        op = tables.op[row]
        if op == _ALLOCA:
            return frozenset((Origin(OriginKind.ADDRESS, Root(RootKind.LOCAL, row)),))
        if op in _THROUGH:
            return self.origins(tables.operands(row)[0])
        if op in _JOINS:
            inputs = tables.operands(row)[1 if op == _SELECT else 0 :]
            return self._joined([self.origins(one) for one in inputs])
        if op == _LOAD:
            return self._joined([self._held(one) for one in self.places(tables.operands(row)[0])])
        if op in _CALLS:
            return self.results(row)
        return frozenset((SOMETHING,))

    def _held(self, place: Place) -> frozenset[Origin]:
        """What is loaded from a place."""
        found, root = place
        if found.owner == CELL and root.kind is RootKind.LOCAL:
            stored = [self.origins(one) for one in self.contents.get(root.number, ())]
            return self._joined([*stored, frozenset(self.filled.get(root.number, ()))])
        if root.kind is RootKind.OTHER and found.owner == CELL:
            return frozenset((SOMETHING,))
        return frozenset((Origin(OriginKind.LOADED, root, found),))

    def _joined(self, parts: list[frozenset[Origin]]) -> frozenset[Origin]:
        found: set[Origin] = set().union(*parts)
        if len(found) > self.config.most_origins:
            self.cut_off.add("things that a pointer may be")
            return frozenset(in_order(found)[: self.config.most_origins])
        return frozenset(found)

    # Where an address lies -----------------------------------------------------------------------

    def places(self, value: int) -> tuple[Place, ...]:
        found = self._places.get(value)
        if found is None:
            self._places[value] = ()
            found = self._places[value] = tuple(dict.fromkeys(self._find_places(value)))
        return found

    def _find_places(self, value: int) -> list[Place]:
        tables = self.tables
        kind, index = tables.value_kind[value], tables.value_index[value]
        if kind == _GLOBAL:
            return [self._in_global(index, 0)]
        if kind == _CONST_EXPR:
            base = tables.const_address(index)
            return [] if base is None else [self._in_global(*base)]
        if kind == _INSTR and tables.op[index] == _GEP:
            return self._of_gep(index)
        if kind == _INSTR and tables.op[index] in _JOINS:
            first = 1 if tables.op[index] == _SELECT else 0
            parts = [self.places(one) for one in tables.operands(index)[first:]]
            found = [one for part in parts for one in part]
            if len(found) > self.config.most_origins:
                self.cut_off.add("places that an address may be")
            return found[: self.config.most_origins]
        return self._at_bytes(value, 0) or [_behind(one) for one in in_order(self.origins(value))]

    def _at_bytes(self, value: int, offset: int) -> list[Place]:
        """Members by their offset alone, behind pointers that are declared to lead to a struct."""
        found: list[Place] = []
        for one in in_order(self.origins(value)):
            struct = self._struct_behind(one)
            field = self.tables.layouts.field_at(struct, offset) if struct >= 0 else None
            if field is not None:
                found.append((field, _root_of(one)))
        return found

    def _struct_behind(self, one: Origin) -> int:
        layouts = self.tables.layouts
        if one.kind is OriginKind.LOADED and one.field is not None:
            return layouts.held_struct(one.field) if not one.field.is_element else -1
        if one.kind is OriginKind.ADDRESS and one.root.kind is RootKind.PARAM:
            return layouts.pointee(self.tables.param_ctype(self.func, one.root.number))
        return -1

    def _in_global(self, number: int, offset: int) -> Place:
        root = Root(RootKind.GLOBAL, number)
        found = self.tables.layouts.field_at(self.tables.global_type[number], offset)
        return found or Field(~number, 0), root

    def _of_gep(self, row: int) -> list[Place]:
        tables = self.tables
        base, element = tables.operands(row)[0], tables.aux_type[row]
        kind = tables.layouts.kind[element]
        if kind == _STRUCT:
            found = tables.layouts.field_at(element, tables.aux[row] + tables.aux2[row])
            roots = dict.fromkeys(map(_root_of, in_order(self.origins(base))))
            return [] if found is None else [(found, root) for root in roots]
        if not tables.operands(row)[1:] and tables.layouts.size[element] == 1:
            inner = self._at_bytes(base, tables.aux[row] + tables.aux2[row])
            if inner:
                return inner
        behind = self.places(base)
        if kind == _ARRAY or self._is_address(base):
            return [(one._replace(is_element=one.owner != CELL), root) for one, root in behind]
        return list(behind)

    def base(self, value: int) -> int:
        """The pointer that an address was computed from."""
        tables = self.tables
        for _ in range(self.config.farthest_base):
            row = tables.value_index[value]
            if tables.value_kind[value] != _INSTR or tables.op[row] not in _THROUGH:
                break
            value = tables.operands(row)[0]
        else:
            self.cut_off.add("steps to the base of an address")
        return value

    def has_index(self, value: int) -> bool:
        """Whether the way to an address passes an element of an array at a variable index."""
        tables = self.tables
        for _ in range(self.config.farthest_base):
            row = tables.value_index[value]
            if tables.value_kind[value] != _INSTR:
                return False
            operands = tables.operands(row)
            if tables.op[row] == _GEP and len(operands) > 1:
                return True
            if tables.op[row] not in _THROUGH and tables.op[row] != _LOAD:
                return False
            value = operands[0]
        self.cut_off.add("steps to the base of an address")
        return False

    def _is_address(self, value: int) -> bool:
        """Whether a value was computed as the address of a member."""
        tables = self.tables
        row = tables.value_index[value]
        return tables.value_kind[value] == _INSTR and tables.op[row] == _GEP


def _behind(one: Origin) -> Place:
    """The place that a pointer leads to, if no member is chosen."""
    if one.kind is OriginKind.LOADED and one.field is not None:
        return one.field._replace(is_element=one.field.owner != CELL), one.root
    return Field(CELL, 0), _root_of(one)


def _root_of(one: Origin) -> Root:
    if one.kind is OriginKind.FRESH:
        return FRESH
    return one.root if one.kind is not OriginKind.OTHER else OTHER
