"""Cells: members of structs and global variables that have one content for the whole program.

In:    the program's types and addresses.     Out: `Cells`: which cell an address is, and its width.
A member is known by the innermost struct that it lies in; all objects of that struct share the cell.
Structs that begin alike (a tag, a header that others repeat) share the cells of what is alike: they
are cast to each other. All elements of an array are one cell.
Not modelled: members of unions have none, nor have structs that lie in one.
"""

from __future__ import annotations

from heapflow.ir.kinds import CTypeKind, Op, TypeKind, ValueKind
from heapflow.ownership.ownership import Field, Layouts
from heapflow.pointsto.facts import Facts

_GLOBAL = int(ValueKind.GLOBAL)
_SCALARS = frozenset((int(TypeKind.INT), int(TypeKind.POINTER)))
_STRUCT, _ARRAY = int(TypeKind.STRUCT), int(TypeKind.ARRAY)
_GEP, _C_ARRAY = int(Op.GEP), int(CTypeKind.ARRAY)


class Cells:
    """Numbers for cells; what is not numbered may hold anything."""

    def __init__(self, facts: Facts, layouts: Layouts) -> None:
        self.facts, self.layouts, self.program = facts, layouts, facts.program
        self.pointer_like: list[bool] = []  # by cell
        self.width: list[int] = []  # bits, by cell
        self.fields: list[tuple[int, int]] = []  # by cell: struct or ~global, offset
        self._ids: dict[tuple[int, int], int] = {}
        self._chains: dict[tuple[object, ...], int] = {}
        self._keys: dict[int, dict[int, int]] = {}  # struct -> offset -> number of its beginning
        self._of_field: dict[Field, int] = {}
        self.overlaid = self._find_overlaid()
        self.of_value: dict[int, int] = {}  # addresses -> cells
        self.member_of: dict[int, tuple[int, int]] = {}  # addresses -> struct, offset in it
        self.struct_at: dict[int, int] = {}  # addresses of members that are structs -> which
        self._find_addresses()

    # Structs -------------------------------------------------------------------------------------

    def struct(self, type_id: int) -> int:
        """One number for all LLVM types of a C struct."""
        ctype = self.layouts.ctype[type_id]
        return self.layouts.struct_of.get(ctype, type_id) if ctype >= 0 else type_id

    def structs_in(self, type_id: int) -> set[int]:
        """A struct with all that lie in it; those of arrays, too."""
        found: set[int] = set()
        stack = [type_id]
        while stack:
            one = stack.pop()
            kind = self.layouts.kind[one]
            if kind == _ARRAY:
                stack.append(self.layouts.elem[one])
            elif kind == _STRUCT and (one := self.struct(one)) not in found:
                found.add(one)
                stack += [member for _, member in self.layouts.members(one)]
        return found

    def fields_in(self, type_id: int, start: int = 0, end: int = 1 << 60) -> list[tuple[int, int]]:
        """Cells of a struct between two offsets, with where they lie; -1: in an array."""
        found: list[tuple[int, int]] = []
        layouts = self.layouts
        pending = self._members_of(type_id, 0, False)
        while pending:  # structs may lie in each other as deep as a program likes
            struct, offset, member, where, many = pending.pop()
            if where >= end or where + max(layouts.size[member], 1) <= start:
                continue
            inner = self._scalar(member)
            if layouts.kind[inner] == _STRUCT:
                pending += self._members_of(member, where, many)
                continue
            cell = self.cell(Field(struct, offset, inner != member))
            if cell >= 0:
                found.append((cell, -1 if many or inner != member else where))
        return found

    def _members_of(
        self, type_id: int, at: int, many: bool
    ) -> list[tuple[int, int, int, int, bool]]:
        """Members of a struct or of an array's elements, the last one first: struct, offset, type,
        where it lies, whether in an array."""
        inner = self._scalar(type_id)
        if self.layouts.kind[inner] != _STRUCT:
            return []
        struct, is_array = self.struct(inner), many or inner != type_id
        members = [
            (struct, offset, member, at + offset, is_array)
            for offset, member in self.layouts.members(struct)
        ]
        return members[::-1]

    def structs_with_cells(self) -> list[int]:
        return sorted(self._keys)

    def has_pointers(self, type_id: int) -> bool:
        """Whether a struct has a pointer in it: nobody reads those from a file."""
        return any(
            self.layouts.kind[self._scalar(member)] == TypeKind.POINTER
            for struct in self.structs_in(type_id)
            for _, member in self.layouts.members(struct)
        )

    def _scalar(self, type_id: int) -> int:
        while self.layouts.kind[type_id] == _ARRAY:
            type_id = self.layouts.elem[type_id]
        return type_id

    def _find_overlaid(self) -> set[int]:
        """Unions, and structs that lie in one."""
        ctypes, layouts = self.program.ctypes, self.layouts
        found: set[int] = set()
        for ctype in range(len(ctypes)):
            if ctypes.kind[ctype] != CTypeKind.UNION:
                continue
            struct = layouts.struct_of.get(ctype, -1)
            if struct >= 0:
                found |= self.structs_in(struct)
            for row in range(int(ctypes.member_start[ctype]), int(ctypes.member_start[ctype + 1])):
                inner = int(ctypes.member_type[row])
                while inner >= 0 and ctypes.kind[inner] == CTypeKind.ARRAY:
                    inner = int(ctypes.elem[inner])
                struct = layouts.struct_of.get(inner, -1)
                if struct >= 0:
                    found |= self.structs_in(struct)
        names = self.program.types.name.tolist()
        for type_id, kind in enumerate(layouts.kind):
            if kind == _STRUCT and self.program.strings[names[type_id]].startswith("union."):
                found |= self.structs_in(type_id)
        return found

    # Cells ---------------------------------------------------------------------------------------

    def cell(self, field: Field) -> int:
        """The number of a member's cell; -1: it has none."""
        found = self._of_field.get(field)
        if found is None:
            found = self._of_field[field] = self._find_cell(field)
        return found

    def _find_cell(self, field: Field) -> int:
        struct = self.struct(field.owner)
        if struct in self.overlaid:
            return -1
        member = next((kind for at, kind in self.layouts.members(struct) if at == field.offset), -1)
        if member < 0:
            return -1
        return self._numbered(self._beginning(struct)[field.offset], struct, field.offset, member)

    def _numbered(self, key: int, owner: int, offset: int, type_id: int) -> int:
        scalar = self._scalar(type_id)
        if self.layouts.kind[scalar] not in _SCALARS:
            return -1
        is_pointer = self.layouts.kind[scalar] == TypeKind.POINTER
        width = 64 if is_pointer else int(self.program.types.bits[scalar])
        if width not in (8, 16, 32, 64):
            return -1
        found = self._ids.get((key, width))
        if found is None:
            found = self._ids[key, width] = len(self.width)
            self.width.append(width)
            self.pointer_like.append(is_pointer)
            self.fields.append((owner, offset))
        return found

    def _beginning(self, struct: int) -> dict[int, int]:
        """For each member the number of all that precedes it, as declared, and itself."""
        found = self._keys.get(struct)
        if found is not None:
            return found
        found = self._keys[struct] = {}
        declared, members = self._declared(struct), self.layouts.members(struct)
        parts = [(at, *declared.get(at, (kind, struct))) for at, kind in members]
        chain = -1
        for number, part in enumerate(parts):
            # One pointer says little: only with what follows are two structs taken to be alike.
            is_weak = number == 0 and self.layouts.kind[members[0][1]] == TypeKind.POINTER
            more = parts[1:2] if is_weak else ()
            key = (chain, part, *more)
            chain = self._chains.setdefault(key, len(self._chains))
            found[part[0]] = chain
        return found

    def _declared(self, struct: int) -> dict[int, tuple[int, int]]:
        """Names and types of members by offset, where debug information has them."""
        ctypes, record = self.program.ctypes, self.layouts.ctype[struct]
        if record < 0:
            return {}
        rows = range(int(ctypes.member_start[record]), int(ctypes.member_start[record + 1]))
        found: dict[int, tuple[int, int]] = {}
        for row in rows:
            at = int(ctypes.member_offset[row])
            found.setdefault(at, (int(ctypes.member_type[row]), ~int(ctypes.member_name[row])))
        return found

    def global_type(self, number: int) -> int:
        """The type of a variable, or of its elements, as it is declared: initialisers have types of
        their own, with padding."""
        ctypes, ctype = self.program.ctypes, int(self.program.globals.ctype[number])
        while ctype >= 0 and ctypes.kind[ctype] == _C_ARRAY:
            ctype = int(ctypes.elem[ctype])
        type_id = int(self.program.globals.type[number])
        return self.layouts.struct_of.get(ctype, type_id) if ctype >= 0 else type_id

    def of_global(self, number: int) -> int:
        """The cell of a global variable that is a number or a pointer; -1: it is neither."""
        type_id = int(self.program.globals.type[number])
        if self.layouts.kind[type_id] not in _SCALARS:
            return -1
        return self._numbered(~number, ~number, 0, type_id)

    # Addresses -----------------------------------------------------------------------------------

    def _find_addresses(self) -> None:
        facts, program = self.facts, self.program
        aliases = program.globals.aliasee.tolist()
        for value, kind in enumerate(facts.value_kind):
            if kind == _GLOBAL:
                number = facts.value_index[value]
                if aliases[number] >= 0:
                    continue
                cell = self.of_global(number)
                if cell >= 0:
                    self.of_value[value] = cell
                else:
                    # The address of a struct is that of its first member: constants say no more.
                    self._place(value, self.global_type(number), 0)
        for row in range(facts.row_count - 1, facts.instr_count - 1, -1):
            self._address(row)
        for row in range(facts.row_count):
            self._address(row)

    def _address(self, row: int) -> None:
        facts = self.facts
        if facts.op[row] != _GEP or facts.result[row] < 0 or facts.result[row] in self.member_of:
            return
        base = facts.operand[facts.start[row]]
        inner = self._struct_there(facts.aux_type[row], facts.aux[row])
        if inner >= 0 and row < facts.instr_count:
            self.struct_at[facts.result[row]] = inner
            return
        if not self._place(facts.result[row], facts.aux_type[row], facts.aux[row]):
            inside = self.member_of.get(base)
            if inside is not None and self._is_array(*inside):
                # An element of a member that is an array.
                self._note(facts.result[row], *inside)

    def _struct_there(self, type_id: int, offset: int) -> int:
        """The struct, or array of them, that begins at an offset of a struct; -1: none does.

        An address in code says which: what lies in it is reached by another step. In constants, the
        address of a struct is also that of its first member.
        """
        if type_id < 0 or self.layouts.kind[type_id] != _STRUCT:
            return -1
        member = next((kind for at, kind in self.layouts.members(type_id) if at == offset), -1)
        inner = self._scalar(member) if member >= 0 else -1
        return self.struct(inner) if inner >= 0 and self.layouts.kind[inner] == _STRUCT else -1

    def _is_array(self, struct: int, offset: int) -> bool:
        member = next((kind for at, kind in self.layouts.members(struct) if at == offset), -1)
        return member >= 0 and self.layouts.kind[member] == _ARRAY

    def _place(self, value: int, type_id: int, offset: int) -> bool:
        if type_id < 0 or self.layouts.kind[type_id] not in (_STRUCT, _ARRAY) or offset < 0:
            return False
        field = self.layouts.field_at(type_id, offset)
        if field is None:
            return False
        self._note(value, self.struct(field.owner), field.offset)
        return True

    def _note(self, value: int, struct: int, offset: int) -> None:
        self.member_of[value] = struct, offset
        cell = self.cell(Field(struct, offset))
        if cell >= 0:
            self.of_value[value] = cell

    def name(self, cell: int) -> str:
        owner, offset = self.fields[cell]
        if owner < 0:
            return self.program.global_name(~owner)
        types = self.program.types
        struct = self.program.strings[int(types.name[owner])] or f"type {owner}"
        return f"{struct}.{self.layouts.name(Field(owner, offset)) or offset}"
