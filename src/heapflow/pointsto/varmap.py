"""Solver variables for program values: one per pointer, several for an aggregate in a register.

Constants (globals, functions, constant expressions) get their variable with its constraints when they
are first asked for; what filter (a) leaves out has no variable (-1).
"""

from __future__ import annotations

from heapflow.ir.table import U8
from heapflow.pointsto.codes import Op, TypeKind, ValueKind
from heapflow.pointsto.facts import Facts
from heapflow.pointsto.layouts import ObjectLayouts
from heapflow.pointsto.objects import Objects
from heapflow.pointsto.system import ANYWHERE, NO_FILTER, SystemBuilder
from heapflow.pointsto.tracking import Track
from heapflow.pointsto.valuetypes import ValueTypes


class VarMap:
    """Values to variables."""

    def __init__(
        self,
        facts: Facts,
        types: ValueTypes,
        layouts: ObjectLayouts,
        objects: Objects,
        tracking: U8,
        system: SystemBuilder,
    ) -> None:
        self.facts, self.types, self.layouts = facts, types, layouts
        self.objects, self.system = objects, system
        self.tracking: list[int] = tracking.tolist()
        self.of_value = [-1] * len(self.tracking)
        self.part_of: dict[tuple[int, int], int] = {}
        self._parts: dict[int, tuple[int, ...]] = {}
        self._struct_filter: dict[int, int] = {}

    def var(self, value: int) -> int:
        """The variable of a value that is one pointer; -1 if it has no set."""
        if value < 0 or self.tracking[value] != Track.TRACKED:
            return -1
        known = self.of_value[value]
        if known >= 0:
            return known
        if self.facts.value_kind[value] in (ValueKind.INSTR, ValueKind.PARAM):
            new = self.system.add_var(self.filter_of(value))
        else:
            new = self.system.add_var()
        self.of_value[value] = new
        self._define_constant(value, new)
        return new

    def filter_of(self, value: int) -> int:
        return self.layouts.pointer_filter(self.types.filter_types(value))

    def part(self, value: int, offset: int) -> int:
        """The variable of the pointer at an offset of a value (0 of a plain pointer)."""
        if value < 0 or self.tracking[value] != Track.TRACKED:
            return -1
        kind = self.facts.type_kind[self.facts.value_type[value]]
        if kind not in (TypeKind.STRUCT, TypeKind.ARRAY):
            return self.var(value)
        key = (value, offset)
        if key not in self.part_of:
            self.part_of[key] = self.system.add_var()
        return self.part_of[key]

    def parts(self, type_id: int) -> tuple[int, ...]:
        """Offsets of the pointers in a value of this type."""
        kind = self.facts.type_kind[type_id]
        if kind not in (TypeKind.STRUCT, TypeKind.ARRAY):
            return (0,)
        if type_id not in self._parts:
            leaves = self.layouts.refs.leaves(~type_id)
            self._parts[type_id] = tuple(off for off, token in leaves if isinstance(token, tuple))
        return self._parts[type_id]

    def fresh(self, type_filter: int = NO_FILTER) -> int:
        """A variable of no value."""
        return self.system.add_var(type_filter)

    def address_of(self, obj: int, offset: int = 0) -> int:
        """A variable that holds the address of an object."""
        var = self.system.add_var()
        self.add_address(var, obj, offset)
        return var

    def add_address(self, var: int, obj: int, offset: int = 0) -> None:
        """[TSE'14 Table 1, Address] p = &a."""
        if var >= 0 and self.objects.table.tracked[obj]:
            self.system.address(var, obj, offset)

    # -- constants ----------------------------------------------------------------------------

    def _define_constant(self, value: int, var: int) -> None:
        facts = self.facts
        index = facts.value_index[value]
        match facts.value_kind[value]:
            case ValueKind.FUNCTION:
                for func in facts.definitions(facts.func_of_value(value)):
                    self.add_address(var, self.objects.of_func[func])
            case ValueKind.GLOBAL:
                for obj in self.objects.of_global[index]:
                    self.add_address(var, obj)
            case ValueKind.CONST_EXPR:
                self.define_copy(facts.row_of_value[value], var)
            case _:
                pass

    def define_copy(self, row: int, var: int) -> None:
        """[TSE'14 Table 1, Copy and Phi] an operation that moves or offsets a pointer into `var`."""
        facts, system = self.facts, self.system
        op, operands = facts.op[row], facts.operands(row)
        match op:
            case Op.GEP:
                self._define_gep(row, var)
            case Op.ADD | Op.SUB:
                self._define_sum(op, operands, var)
            case Op.SELECT:
                for source in operands[1:]:
                    system.copy(var, self.var(source))
            case Op.AGGREGATE:
                pass
            case _:
                for source in operands:
                    system.copy(var, self.var(source))

    def _define_gep(self, row: int, var: int) -> None:
        """[TSE'14 Table 1, Field] p = &q->f."""
        facts = self.facts
        first, last = facts.start[row], facts.start[row + 1]
        base = self.var(facts.operand[first])
        if base < 0:
            return
        source_type = facts.aux_type[row]
        delta = facts.aux[row]
        if last - first > 1 and 1 in facts.stride[first + 1 : last]:
            delta = ANYWHERE  # a byte offset that is computed (offset tables, va_arg)
        self.system.gep(var, base, delta, self.struct_filter(source_type))

    def struct_filter(self, type_id: int) -> int:
        """The filter of an access through a struct type; none for other types."""
        if type_id not in self._struct_filter:
            found = NO_FILTER
            if type_id >= 0 and self.facts.type_kind[type_id] == TypeKind.STRUCT:
                ref = self.layouts.refs.of_type(type_id)
                found = self.layouts.pointer_filter(frozenset({ref}))
            self._struct_filter[type_id] = found
        return self._struct_filter[type_id]

    def _define_sum(self, op: int, operands: list[int], var: int) -> None:
        """Pointer arithmetic on integers: a constant moves, anything else counts as zero."""
        facts = self.facts
        for position, (source, other) in enumerate(zip(operands, reversed(operands), strict=True)):
            if op == Op.SUB and position == 1:
                break  # the subtracted value is a distance
            if facts.value_kind[other] == ValueKind.INT:
                number = int(facts.program.values.number[other])
                self.system.gep(var, self.var(source), -number if op == Op.SUB else number)
            else:
                self.system.copy(var, self.var(source))
