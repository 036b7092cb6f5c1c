"""Which structs a pointer leads to, as declarations and uses say.

In:    values.     Out: `Pointees`: structs (as `Cells` numbers them).
"""

from __future__ import annotations

from heapflow.invariants.cells import Cells
from heapflow.invariants.config import InvariantConfig
from heapflow.ir.kinds import BindingKind, CTypeKind, Op, TypeKind, ValueKind
from heapflow.ownership.ownership import Field
from heapflow.pointsto.facts import COPIES

_INSTR, _PARAM, _GLOBAL = int(ValueKind.INSTR), int(ValueKind.PARAM), int(ValueKind.GLOBAL)
_STRUCT = int(TypeKind.STRUCT)


class Pointees:
    """Asked for arguments, copies and new blocks."""

    def __init__(self, cells: Cells, config: InvariantConfig) -> None:
        self.cells, self.facts, self.layouts = cells, cells.facts, cells.layouts
        self.program, self.config = cells.program, config
        self._own: dict[int, int] = {}
        self._bound = self._bindings()
        self._param_ctype: list[int] = self.program.params.ctype.tolist()
        self.accessed: dict[int, set[int]] = {}  # value -> structs whose members are reached by it
        facts = self.facts
        for row in range(facts.instr_count):
            type_id = facts.aux_type[row] if facts.op[row] == Op.GEP else -1
            if type_id >= 0 and self.layouts.kind[type_id] == _STRUCT:
                base = facts.operand[facts.start[row]]
                self.accessed.setdefault(base, set()).add(cells.struct(type_id))

    def _bindings(self) -> dict[int, set[int]]:
        table, variables = self.program.bindings, self.program.variables
        chosen = (table.kind == BindingKind.VALUE) & (table.offset == 0) & (table.value >= 0)
        ctypes = variables.ctype[table.variable[chosen]].tolist()
        found: dict[int, set[int]] = {}
        for value, ctype in zip(table.value[chosen].tolist(), ctypes, strict=True):
            struct = self.of_ctype(ctype)
            if struct >= 0:
                found.setdefault(value, set()).add(struct)
        return found

    def of_ctype(self, ctype: int) -> int:
        """The struct that a C pointer leads to; -1: none."""
        struct = self.layouts.pointee(ctype)
        return self.cells.struct(struct) if struct >= 0 else -1

    def declared(self, value: int) -> int:
        """The struct that a value was declared to lead to where it comes from; -1: none, or unknown."""
        found = self._own.get(value)
        if found is None:
            found = self._own[value] = self._find_declared(value)
        return found

    def _find_declared(self, value: int) -> int:
        facts, cells = self.facts, self.cells
        if value in cells.struct_at:
            return cells.struct_at[value]
        kind, index = facts.value_kind[value], facts.value_index[value]
        if kind == _PARAM:
            return self.of_ctype(self._param_ctype[index])
        if kind == _GLOBAL:
            return self._struct(self.cells.global_type(index))
        if kind != _INSTR:
            return -1
        op = facts.op[index]
        if op == Op.ALLOCA:
            return self._struct(facts.aux_type[index])
        if op == Op.LOAD:
            return self.held(facts.operand[facts.start[index]])
        if op == Op.CALL:
            func = facts.callee(index)
            return self.of_result(func) if func >= 0 else -1
        return -1

    def _struct(self, type_id: int) -> int:
        while type_id >= 0 and self.layouts.kind[type_id] == TypeKind.ARRAY:
            type_id = self.layouts.elem[type_id]
        if type_id < 0 or self.layouts.kind[type_id] != _STRUCT:
            return -1
        return self.cells.struct(type_id)

    def held(self, address: int) -> int:
        """What a pointer that lies somewhere was declared to lead to."""
        place = self.cells.member_of.get(address)
        if place is not None:
            struct = self.layouts.held_struct(Field(*place))
        elif self.facts.value_kind[address] == _GLOBAL:
            struct = self.layouts.held_struct(Field(~self.facts.value_index[address], 0))
        else:
            return -1
        return self.cells.struct(struct) if struct >= 0 else -1

    def of_result(self, func: int) -> int:
        """The struct that a function's result leads to."""
        functions, ctypes = self.program.functions, self.program.ctypes
        ctype = int(functions.ctype[func])
        ctype = ctype if ctype >= 0 else int(functions.prototype[func])
        return self.of_ctype(int(ctypes.elem[ctype])) if ctype >= 0 else -1

    def of_param(self, func: int, position: int) -> int:
        """The struct that a parameter leads to; -1: none."""
        ctype = self.param_ctype(func, position)
        return self.of_ctype(ctype) if ctype >= 0 else -1

    def param_ctype(self, func: int, position: int) -> int:
        functions, ctypes = self.program.functions, self.program.ctypes
        if not self.program.is_declaration(func):
            row = int(functions.param_start[func]) + position
            inside = row < int(functions.param_start[func + 1])
            return self._param_ctype[row] if inside else -1
        prototype, number = int(functions.prototype[func]), self.program.c_parameter(func, position)
        if prototype < 0 or number < 0:
            return -1
        row = int(ctypes.member_start[prototype]) + number
        return int(ctypes.member_type[row]) if row < int(ctypes.member_start[prototype + 1]) else -1

    def structs(self, value: int) -> set[int]:
        """All that a value is said to lead to, where it comes from, as it is named and used."""
        found: set[int] = set()
        seen, stack = {value}, [value]
        while stack and len(seen) <= self.config.most_origins:
            one = stack.pop()
            declared = self.declared(one)
            found |= {declared} if declared >= 0 else set()
            found |= self.accessed.get(one, set()) | self._bound.get(one, set())
            row = self.facts.row_of_value[one]
            if 0 <= row < self.facts.instr_count and self.facts.op[row] in COPIES:
                skip = 1 if self.facts.op[row] == Op.SELECT else 0
                more = [other for other in self.facts.operands(row)[skip:] if other not in seen]
                seen.update(more)
                stack += more
        if stack:
            self.facts.limits_hit["values that say what a pointer leads to"] += 1
        return found

    def structs_of_new(self, value: int) -> set[int]:
        """The same of a new block: also as what it is stored, given, and returned."""
        facts = self.facts
        found: set[int] = set()
        for alias in facts.flows_on(value, self.config.most_origins):
            found |= self.accessed.get(alias, set()) | self._bound.get(alias, set())
            declared = self.declared(alias)
            found |= {declared} if declared >= 0 else set()
            for row in facts.users(alias):
                if row >= facts.instr_count:
                    continue
                used = self._used_as(row, alias)
                found |= {used} if used >= 0 else set()
        return found

    def _used_as(self, row: int, value: int) -> int:
        facts = self.facts
        op = facts.op[row]
        if op == Op.STORE and facts.operands(row)[1] == value:
            return self.held(facts.operands(row)[0])
        if op == Op.RET:
            return self.of_result(facts.func_of_instr[row])
        if op == Op.CALL and facts.callee(row) >= 0:
            arguments = facts.operands(row)[1:]
            if value in arguments:
                return self.of_param(facts.callee(row), arguments.index(value))
        return -1

    def is_pointer(self, ctype: int) -> bool:
        return ctype >= 0 and self.program.ctypes.kind[ctype] == CTypeKind.POINTER
