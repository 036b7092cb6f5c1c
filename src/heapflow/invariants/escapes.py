"""Cells that others may write: their address is given away, or their struct is not the program's own.

In:    Cells, Pointees, CallGraph, models.     Out: `Escapes.dead`: cells that may hold anything.
A cell is given up if its address is used for more than plain reads and writes of its width, unless who
gets it only reads. A struct is given up if a function that is not known is declared with it, if nobody
makes one here, or if bytes may be written over it; what is reached by two structs is given up for
both, where they differ. Code that is not known does not write bytes over a struct with pointers.
Not modelled: addresses that are computed from offsets in tables, as long as a struct's pointer went
through memory on the way there.
"""

from __future__ import annotations

from collections.abc import Iterable

from heapflow.invariants.calls import Calls
from heapflow.invariants.cells import Cells
from heapflow.invariants.config import InvariantConfig
from heapflow.invariants.pointees import Pointees
from heapflow.ir.kinds import CTypeKind, FuncFlag, GlobalFlag, Op, TypeKind, ValueKind
from heapflow.ownership.ownership import Field
from heapflow.pointsto.facts import CALLS, COPIES

_INTRINSIC, _DECLARATION = int(FuncFlag.INTRINSIC), int(FuncFlag.DECLARATION)
_INSTR, _PARAM = int(ValueKind.INSTR), int(ValueKind.PARAM)
_LOAD, _STORE, _GEP, _ICMP = int(Op.LOAD), int(Op.STORE), int(Op.GEP), int(Op.ICMP)
_STRUCT = int(TypeKind.STRUCT)
_RECORDS = (CTypeKind.STRUCT, CTypeKind.UNION)


class Escapes:
    """Found once, for all cells."""

    def __init__(
        self, cells: Cells, pointees: Pointees, calls: Calls, config: InvariantConfig
    ) -> None:
        self.cells, self.pointees, self.calls, self.config = cells, pointees, calls, config
        self.facts, self.program = cells.facts, cells.program
        self.dead: set[int] = set()
        self._dead_structs: set[int] = set()
        self._aliased: set[tuple[int, int]] = set()
        self.templates: set[tuple[int, int]] = set()  # structs, and constants that are copied there
        self._raw: dict[tuple[int, int], bool] = {}
        self._give_up_foreign()
        self._scan()
        self._give_up_unmade()

    # Giving up -----------------------------------------------------------------------------------

    def give_up(self, structs: Iterable[int], start: int = 0, end: int = 1 << 60) -> None:
        for struct in structs:
            if struct in self._dead_structs:
                continue
            if start == 0 and end == 1 << 60:
                self._dead_structs.add(struct)
            self.dead.update(cell for cell, _ in self.cells.fields_in(struct, start, end))

    def _give_up_cell(self, value: int) -> None:
        cell = self.cells.of_value.get(value)
        if cell is not None:
            self.dead.add(cell)

    def _alias(self, one: int, other: int) -> None:
        """One object is seen as two structs: where these differ, nothing is known of either."""
        if one == other or one < 0 or other < 0 or (one, other) in self._aliased:
            return
        self._aliased.add((one, other))
        mine = {at: cell for cell, at in self.cells.fields_in(one)}
        theirs = {at: cell for cell, at in self.cells.fields_in(other)}
        if one in self._first_of(other) or other in self._first_of(one):
            return
        size = min(self.cells.layouts.size[one], self.cells.layouts.size[other])
        for at in {*mine, *theirs}:
            if at < size and mine.get(at) != theirs.get(at):
                self.dead.update(d[at] for d in (mine, theirs) if at in d)

    def _first_of(self, struct: int) -> set[int]:
        """Structs that begin where a struct does."""
        found: set[int] = set()
        layouts = self.cells.layouts
        while struct not in found:
            found.add(struct)
            members = layouts.members(struct)
            if not members:
                break
            inner = members[0][1]
            while layouts.kind[inner] == TypeKind.ARRAY:
                inner = layouts.elem[inner]
            if layouts.kind[inner] != _STRUCT:
                break
            struct = self.cells.struct(inner)
        return found

    # Structs of others ---------------------------------------------------------------------------

    def _give_up_foreign(self) -> None:
        program, functions = self.program, self.program.functions
        records: set[int] = set()
        for func in range(len(functions)):
            if self._is_outside(func):
                records |= self._records_of(int(functions.prototype[func]))
        table = program.globals
        for number in range(len(table)):
            is_alone = table.alternative_start[number] == table.alternative_start[number + 1]
            if is_alone and int(table.flags[number]) & GlobalFlag.DECLARATION:
                records |= self._records_of(int(table.ctype[number]))
        layouts = self.cells.layouts
        for record in sorted(records):
            struct = layouts.struct_of.get(record, -1)
            if struct >= 0:
                self.give_up([self.cells.struct(struct)])

    def _give_up_unmade(self) -> None:
        """Structs of which no object is made here: who makes them may set them."""
        facts, cells, made = self.facts, self.cells, set[int]()
        for row in range(facts.instr_count):
            op, result = facts.op[row], facts.result[row]
            if op == Op.ALLOCA:
                made |= cells.structs_in(facts.aux_type[row])
            elif op in CALLS and result >= 0 and self._may_be_new(row):
                for struct in self.pointees.structs_of_new(result):
                    made |= cells.structs_in(struct)
        for number in range(len(self.program.globals)):
            made |= cells.structs_in(cells.global_type(number))
        self.give_up(struct for struct in cells.structs_with_cells() if struct not in made)

    def _may_be_new(self, row: int) -> bool:
        """Whether a call gives a pointer that is not declared as one to a struct: as allocators do."""
        facts = self.facts
        is_pointer = facts.type_kind[facts.type[row]] == TypeKind.POINTER
        return is_pointer and self.pointees.declared(facts.result[row]) < 0

    def _is_outside(self, func: int) -> bool:
        flags = self.facts.func_flags[func]
        if not flags & _DECLARATION or flags & _INTRINSIC:
            return False
        return self.facts.definitions(func) == [func] and not self.calls.is_given(func)

    def _records_of(self, ctype: int) -> set[int]:
        """All structs that a type is made of, or leads to."""
        ctypes = self.program.ctypes
        found: set[int] = set()
        seen, stack = {-1}, [ctype]
        while stack:
            one = stack.pop()
            if one in seen:
                continue
            seen.add(one)
            kind = ctypes.kind[one]
            if kind in (CTypeKind.POINTER, CTypeKind.ARRAY, CTypeKind.FUNC):
                stack.append(int(ctypes.elem[one]))
            if kind in _RECORDS:
                found.add(one)
            if kind in _RECORDS or kind == CTypeKind.FUNC:
                rows = slice(int(ctypes.member_start[one]), int(ctypes.member_start[one + 1]))
                stack += ctypes.member_type[rows].tolist()
        return found

    # Uses of addresses ---------------------------------------------------------------------------

    def _scan(self) -> None:
        facts = self.facts
        for row in range(facts.row_count):
            op = facts.op[row]
            if op == _STORE:
                self._store(row)
            elif op == _GEP:
                self._step(row)
            elif op in CALLS and row < facts.instr_count:
                self._call(row)
            elif op not in (_LOAD, _ICMP):
                for value in facts.operands(row):
                    if self._is_scalar_address(value):
                        self._give_up_cell(value)
        self._scan_initialisers()
        for row in range(facts.instr_count):
            if facts.op[row] == Op.RET:
                for value in facts.operands(row):
                    self._alias(
                        self.pointees.declared(value),
                        self.pointees.of_result(facts.func_of_instr[row]),
                    )

    def _scan_initialisers(self) -> None:
        """Addresses in initialisers: where a pointer to a struct is declared, that of a struct."""
        cells, table = self.cells, self.program.globals
        offsets, values = table.init_offset.tolist(), table.init_value.tolist()
        starts = table.init_start.tolist()
        for number in range(len(table)):
            for leaf in range(starts[number], starts[number + 1]):
                if values[leaf] not in cells.of_value:
                    continue
                field = cells.layouts.field_at(cells.global_type(number), offsets[leaf])
                place = field._replace(is_element=False) if field is not None else None
                held = cells.layouts.held_struct(place or Field(~number, 0))
                if held < 0 or self._is_scalar_address(values[leaf]):
                    self._give_up_cell(values[leaf])

    def _is_scalar_address(self, value: int) -> bool:
        """Whether a value is the address of a cell and cannot be that of a struct around it."""
        if value not in self.cells.of_value:
            return False
        kind = self.facts.value_kind[value]
        if kind == _INSTR:
            return True
        place = self.cells.member_of.get(value)
        return place is None or place[1] > 0

    def _store(self, row: int) -> None:
        facts, cells = self.facts, self.cells
        address, value = facts.operands(row)[:2]
        held = self.pointees.held(address)
        if held < 0 or self._is_scalar_address(value):
            self._give_up_cell(value)
        size = max(cells.layouts.size[facts.value_type[value]], 1)
        cell = cells.of_value.get(address)
        place = cells.member_of.get(address)
        if cell is not None and cells.width[cell] != self._width(value):
            self.dead.add(cell)
            if place is not None:
                self.give_up([place[0]], place[1], place[1] + size)
        elif cell is None:
            struct = self.pointees.declared(address)
            if struct >= 0:
                self.give_up([struct], 0, size)
        self._alias(held, self.pointees.declared(value))

    def _width(self, value: int) -> int:
        type_id = self.facts.value_type[value]
        kind = self.cells.layouts.kind[type_id]
        return 64 if kind == TypeKind.POINTER else int(self.program.types.bits[type_id])

    def _step(self, row: int) -> None:
        """The members of one struct are reached by a pointer that was declared for another."""
        facts = self.facts
        base, type_id = facts.operand[facts.start[row]], facts.aux_type[row]
        if type_id < 0:
            return
        if self.cells.layouts.kind[type_id] == _STRUCT:
            struct = self.cells.struct(type_id)
            self._alias(struct, self.pointees.declared(base))
            is_plain = row < facts.instr_count and not self.cells.has_pointers(struct)
            if is_plain and not self._is_declared(base):
                self.give_up([struct])
        for value in facts.operands(row)[1:]:
            if self._is_scalar_address(value):
                self._give_up_cell(value)

    def _is_declared(self, base: int) -> bool:
        """Whether a pointer is known to lead to a struct by more than a cast: bytes from a file may
        be taken for a struct without pointers."""
        facts = self.facts
        row = facts.row_of_value[base]
        if facts.value_kind[base] != _INSTR:
            return self.pointees.declared(base) >= 0 or facts.value_kind[base] != _PARAM
        op = facts.op[row]
        if op in COPIES:
            return True  # its operands are looked at where they are used
        if op == _GEP:
            inner = facts.aux_type[row]
            while self.cells.layouts.kind[inner] == TypeKind.ARRAY:
                inner = self.cells.layouts.elem[inner]
            return base in self.cells.struct_at or self.cells.layouts.kind[inner] == _STRUCT
        if op in CALLS:
            targets = self.calls.targets(row)
            known = [one for one in targets if self.facts.has_body(one) or self.calls.makes(one)]
            return bool(targets) and len(known) == len(targets)
        return self.pointees.declared(base) >= 0

    # Calls ---------------------------------------------------------------------------------------

    def _call(self, row: int) -> None:
        facts, calls = self.facts, self.calls
        targets = calls.targets(row)
        arguments = facts.operands(row)[1:]
        copied = next((calls.copied(one) for one in targets if calls.copied(one)), None)
        filled = next((calls.filled(row, one) for one in targets if calls.filled(row, one)), None)
        for position, value in enumerate(arguments):
            if facts.type_kind[facts.value_type[value]] != TypeKind.POINTER:
                continue
            is_cell = self._is_scalar_address(value)
            if copied is not None and position in copied:
                self._copy(arguments, copied, position)
            elif filled is not None and position == filled[0]:
                if filled[1] != 0:
                    self.give_up(self.pointees.structs(value))
                    self._give_up_cell(value)
            elif not targets:
                self._give_away(value, is_cell)
            for func in targets:
                if copied is None and filled is None and not calls.is_intrinsic(func):
                    self._give(func, position, value, is_cell)

    def _copy(self, arguments: list[int], copied: tuple[int, int], position: int) -> None:
        """Structs are copied to their like; others, and what is not declared, may be bytes."""
        if position != copied[0]:
            return
        pointees = self.pointees
        target, source = (arguments[at] for at in copied)
        if self._is_scalar_address(target):
            self._give_up_cell(target)
            return
        mine, theirs = pointees.structs(target), pointees.structs(source)
        if self.facts.value_kind[source] == ValueKind.GLOBAL and self._is_template(source):
            number = self.facts.value_index[source]
            self.templates.update((struct, number) for struct in mine)
        elif mine and theirs and mine.isdisjoint(theirs):
            self.give_up(mine)
        elif not theirs:
            self.give_up(one for one in mine if not self.cells.has_pointers(one))

    def _is_template(self, source: int) -> bool:
        """Whether a constant without a declaration is copied: the initialiser of a local variable."""
        table, number = self.program.globals, self.facts.value_index[source]
        return bool(int(table.flags[number]) & GlobalFlag.CONSTANT) and int(table.ctype[number]) < 0

    def _give(self, func: int, position: int, value: int, is_cell: bool) -> None:
        facts, calls, pointees = self.facts, self.calls, self.pointees
        if not facts.has_body(func):
            if calls.only_reads(func, position):
                return
            self._give_away(value, is_cell)
            return
        declared = pointees.of_param(func, position)
        if declared >= 0:
            self._alias(declared, pointees.declared(value))
            return
        self._give_up_cell(value)
        if not is_cell and self.is_raw(func, position):
            self.give_up(pointees.structs(value))

    def _give_away(self, value: int, is_cell: bool) -> None:
        self._give_up_cell(value)
        if is_cell:
            return
        structs = self.pointees.structs(value)
        self.give_up(one for one in structs if not self.cells.has_pointers(one))

    def is_raw(self, func: int, position: int) -> bool:
        """Whether a function writes behind a parameter without saying to which member, or one does to
        which it hands the parameter on."""
        first = (func, position)
        before: dict[tuple[int, int], tuple[int, int] | None] = {first: None}
        stack = [] if first in self._raw else [first]
        while stack:
            one = stack.pop()
            further: list[tuple[int, int]] = []
            params = self.facts.params(one[0])
            raw = self._raw.get(one)
            if raw is None:
                raw = one[1] < len(params) and self._is_written_raw(params[one[1]], further)
            if raw:
                at: tuple[int, int] | None = one
                while at is not None:
                    self._raw[at] = True
                    at = before[at]
                return True
            for other in further:
                if other not in before:
                    before[other] = one
                    stack.append(other)
        if first not in self._raw:
            self._raw.update(dict.fromkeys(before, False))
        return self._raw[first]

    def _is_written_raw(self, value: int, further: list[tuple[int, int]]) -> bool:
        """Whether a function does so itself; `further` gets what it hands the pointer to."""
        facts = self.facts
        seen, stack = {value}, [value]
        while stack and len(seen) <= self.config.most_origins:
            one = stack.pop()
            for row in facts.users(one):
                if row >= facts.instr_count:
                    continue
                op, operands = facts.op[row], facts.operands(row)
                if op == _STORE and operands[0] == one:
                    return True
                is_step = op == _GEP and operands[0] == one
                if is_step and self.cells.layouts.kind[facts.aux_type[row]] == _STRUCT:
                    continue
                if (is_step or op in COPIES) and facts.result[row] not in seen:
                    seen.add(facts.result[row])
                    stack.append(facts.result[row])
                elif op in CALLS and self._hands_on_raw(row, one, further):
                    return True
        if stack:  # who knows what happens to the others
            facts.limits_hit["copies of a pointer that may be written through"] += 1
        return bool(stack)

    def _hands_on_raw(self, row: int, value: int, further: list[tuple[int, int]]) -> bool:
        calls, arguments = self.calls, self.facts.operands(row)[1:]
        for position, argument in enumerate(arguments):
            if argument != value:
                continue
            for func in calls.targets(row) if self.facts.callee(row) >= 0 else ():
                if self.facts.has_body(func):
                    if self.pointees.of_param(func, position) < 0:
                        further.append((func, position))
                elif calls.is_intrinsic(func):
                    is_copy = calls.copied(func) or calls.filled(row, func)
                    if is_copy is not None and position == 0:
                        return True
                elif calls.model(func) is not None and not calls.only_reads(func, position):
                    return True
        return False
