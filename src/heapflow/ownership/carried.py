"""Pointers beyond the names that they have in one function: variables, fields, functions that hand on.

In:    Facts, Walk.     Out: `Carried`: where results go, where what is read comes from.
Example: `x->name = get_name();` here, `free(x->name);` there: what `get_name` returns ends in `free`.
A field is one place in all structs of its kind. Fields that lead to structs of their own kind are left
out: who walks a list reads them, and owns nothing.
Not modelled: elements of arrays, what is copied with its struct.
"""

from __future__ import annotations

from collections.abc import Collection

from heapflow.ir.kinds import TypeKind, ValueKind
from heapflow.ownership.places import Field, Layouts
from heapflow.ownership.walk import Walk
from heapflow.pointsto.codes import Op

_NOTHING = (ValueKind.NULL, ValueKind.UNDEF, ValueKind.INT)


class Carried:
    """Lists over the whole program, made once."""

    def __init__(self, walk: Walk) -> None:
        self.walk, self.facts = walk, walk.facts
        self.layouts = Layouts(walk.facts.program)
        self.loads: dict[Field, list[int]] = {}  # values that are read from a field
        self.stores: dict[Field, list[int]] = {}  # values other than NULL that are put there
        self.given: dict[Field, list[int]] = {}  # addresses of it
        self.calls: dict[int, list[int]] = {}  # function with a body -> calls that name it
        for row in range(self.facts.instr_count):
            self._look_at(row)

    def _look_at(self, row: int) -> None:
        facts = self.facts
        op = facts.op[row]
        if op == Op.LOAD and facts.is_pointer(facts.result[row]):
            field = self.field(facts.operands(row)[0])
            if field is not None:
                self.loads.setdefault(field, []).append(facts.result[row])
        elif op == Op.STORE:
            address, value = facts.operands(row)
            field = self.field(address) if facts.is_pointer(value) else None
            if field is not None and facts.value_kind[value] not in _NOTHING:
                self.stores.setdefault(field, []).append(value)
        elif facts.is_call(row):
            for func in facts.definitions(facts.callee(row)) if facts.callee(row) >= 0 else ():
                if facts.has_body(func):
                    self.calls.setdefault(func, []).append(row)
            for value in facts.operands(row)[1:]:
                field = self.field(value)
                if field is not None:
                    self.given.setdefault(field, []).append(value)

    def field(self, address: int) -> Field | None:
        """The member that an address is that of, if it holds a pointer."""
        facts = self.facts
        row = facts.row_of_value[address]
        if not 0 <= row < facts.instr_count or facts.op[row] != Op.GEP:
            return None
        struct = facts.aux_type[row]
        if self.layouts.kind[struct] != TypeKind.STRUCT:
            return None
        found = self.layouts.field_at(struct, facts.aux[row] + facts.aux2[row])
        if found is None or found.is_element or not self._holds_pointer(found):
            return None
        return None if self.layouts.held_struct(found) == found.owner else found

    def _holds_pointer(self, field: Field) -> bool:
        kinds = dict(self.layouts.members(field.owner))
        return self.layouts.kind[kinds[field.offset]] == TypeKind.POINTER

    def is_made(self, field: Field) -> bool:
        """Whether what a field holds comes from calls, mostly."""
        facts = self.facts
        made = 0
        stored = self.stores.get(field, [])
        for value in stored:
            rows = [facts.row_of_value[origin] for origin, _ in facts.origins(value)]
            made += any(0 <= row < facts.instr_count and facts.is_call(row) for row in rows)
        return 2 * made >= len(stored) > 0

    def kept_in(self, names: Collection[int]) -> list[Field]:
        """Fields that a pointer with these names is put into."""
        facts, found = self.facts, []
        for name in names:
            for row in facts.users(name):
                if row < facts.instr_count and facts.op[row] == Op.STORE:
                    address, value = facts.operands(row)
                    field = self.field(address) if value == name else None
                    if field is not None:
                        found.append(field)
        return list(dict.fromkeys(found))

    def handed_on(self, names: Collection[int]) -> list[int]:
        """Calls whose result is a pointer with these names: those of functions that return it."""
        facts, found = self.facts, []
        seen: set[int] = set()
        pending = list(names)
        for _ in range(self.walk.config.deepest_handing):
            rows = [row for name in pending for row in facts.users(name)]
            funcs = {
                facts.func_of_instr[row]
                for row in rows
                if row < facts.instr_count and facts.op[row] == Op.RET
            }
            fresh = [row for func in sorted(funcs - seen) for row in self.calls.get(func, ())]
            seen |= funcs
            found += fresh
            results = [facts.result[row] for row in fresh if facts.result[row] >= 0]
            pending = [name for result in results for name in facts.flows_on(result)]
        if pending:
            self.walk.limits_hit["functions that hand on a result"] += 1
        return found

    # Variables whose address is taken -------------------------------------------------------------

    def through_variables(self, names: list[int], call: int) -> tuple[list[int], list[int]]:
        """The names with those that are read from local variables that hold the pointer, and these."""
        facts = self.facts
        found, variables = list(names), []
        for name in names:
            for row in facts.users(name):
                if row >= facts.instr_count or facts.op[row] != Op.STORE:
                    continue
                address, value = facts.operands(row)
                if value == name and self.is_variable(address) and address not in variables:
                    variables.append(address)
                    found += self._read_after(address, row)
        return list(dict.fromkeys(found)), variables

    def is_variable(self, address: int) -> bool:
        """Whether an address is that of a local pointer variable."""
        facts = self.facts
        row = facts.row_of_value[address]
        is_local = 0 <= row < facts.instr_count and facts.op[row] == Op.ALLOCA
        return is_local and facts.type_kind[facts.aux_type[row]] == TypeKind.POINTER

    def _read_after(self, variable: int, store: int) -> list[int]:
        """What is read from a variable before another pointer is put there."""
        loads = [row for row in self.users_of(variable) if self.facts.op[row] == Op.LOAD]
        return [
            name
            for row in self.reached(store, loads, self.stored(variable))
            for name in self.facts.flows_on(self.facts.result[row])
        ]

    def users_of(self, variable: int) -> list[int]:
        return [row for row in self.facts.users(variable) if row < self.facts.instr_count]

    def reached(self, start: int, rows: list[int], stores: list[int]) -> list[int]:
        """Those of some instructions that come after another one, with no store in between."""
        walk = self.walk
        stores = [row for row in stores if row != start]
        begin = walk.block(start)
        here = min((r for r in stores if walk.block(r) == begin and r > start), default=None)
        after = set() if here is not None else self._open(start, stores)
        found = []
        for row in rows:
            block = walk.block(row)
            before = [r for r in stores if walk.block(r) == block and r < row]
            if block == begin and row > start:
                if here is None or row < here:
                    found.append(row)
            elif block in after and not before:
                found.append(row)
        return found

    def _open(self, start: int, stores: list[int]) -> set[int]:
        """Blocks that control comes to the beginning of, without a store on the way."""
        walk = self.walk
        closed = {walk.block(row) for row in stores}
        seen: set[int] = set()
        pending = [walk.block(start)]
        while pending:
            block = pending.pop()
            if block in closed and block in seen:
                continue
            for edge in walk.edges(block):
                if edge.target not in seen:
                    seen.add(edge.target)
                    pending.append(edge.target)
        return seen

    def stored(self, variable: int) -> list[int]:
        """Stores to a variable."""
        facts = self.facts
        return [
            row
            for row in self.users_of(variable)
            if facts.op[row] == Op.STORE and facts.operands(row)[0] == variable
        ]

    def is_filled(self, variable: int) -> bool:
        """Whether somebody puts a pointer other than NULL into a variable."""
        facts = self.facts
        rows = self.stored(variable)
        return any(facts.value_kind[facts.operands(row)[1]] not in _NOTHING for row in rows)
