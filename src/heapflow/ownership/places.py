"""Fields as places: which field an address lies in, and what leads there.

In:    the program's types.     Out: `Field`, `Root`, `Origin`, and `Layouts` that finds them.
A field is known by the innermost struct that it is a member of, wherever that struct lies. All
elements of an array are one place; so are those behind a pointer that a field holds.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import NamedTuple

from heapflow.ir.kinds import CTypeKind, TypeKind
from heapflow.ir.program import Program

# Plain integers: numbers of an array are slow to compare with members of an enumeration.
_POINTER, _ARRAY = int(CTypeKind.POINTER), int(CTypeKind.ARRAY)

CELL = -(1 << 40)  # owner of a cell that is no field: what a `char **` leads to
_RECORDS = (CTypeKind.STRUCT, CTypeKind.UNION)


class Field(NamedTuple):
    """A member of a struct (its LLVM type), a global variable (~ its number), or a plain CELL."""

    owner: int
    offset: int
    is_element: bool = False  # of an array that lies there, or that a pointer there leads to


class RootKind(IntEnum):
    """Where the way to a place begins."""

    PARAM = 0
    GLOBAL = 1
    FRESH = 2  # a block that the function has just made
    LOCAL = 3  # a variable in memory
    OTHER = 4


class Root(NamedTuple):
    kind: RootKind
    number: int = -1  # of the parameter, the global, the ALLOCA


class OriginKind(IntEnum):
    """What a pointer is."""

    FRESH = 0  # a new block
    ADDRESS = 1  # of what the root is, or a parameter itself
    LOADED = 2  # what a field holds
    OTHER = 3


class Origin(NamedTuple):
    kind: OriginKind
    root: Root
    field: Field | None = None  # LOADED
    chain: tuple[int, ...] = ()  # FRESH: the allocating call, and the calls that it came through


_NO_FIELD = Field(CELL, -1)


def in_order(origins: Iterable[Origin]) -> list[Origin]:
    """Always the same order."""
    found = list(origins)
    if len(found) > 1:
        found.sort(key=lambda one: (one.kind, one.root, one.field or _NO_FIELD, one.chain))
    return found


FRESH = Root(RootKind.FRESH)
OTHER = Root(RootKind.OTHER)
SOMETHING = Origin(OriginKind.OTHER, OTHER)


class Layouts:
    """Members of structs, by offset."""

    def __init__(self, program: Program) -> None:
        types = program.types
        self.program = program
        self.kind: list[int] = types.kind.tolist()
        self.size: list[int] = types.size.tolist()
        self.elem: list[int] = types.elem.tolist()
        self.ctype: list[int] = types.ctype.tolist()
        self.struct_of: dict[int, int] = {
            ctype: number for number, ctype in reversed(list(enumerate(self.ctype))) if ctype >= 0
        }
        self._chained: dict[int, bool] = {}
        self._members: dict[int, list[tuple[int, int]]] = {}

    def members(self, struct: int) -> list[tuple[int, int]]:
        """Offsets and types, in order."""
        found = self._members.get(struct)
        if found is None:
            types = self.program.types
            rows = slice(int(types.field_start[struct]), int(types.field_start[struct + 1]))
            offsets, kinds = types.field_offset[rows].tolist(), types.field_type[rows].tolist()
            found = self._members[struct] = list(zip(offsets, kinds, strict=True))
        return found

    def member_name(self, struct: int, offset: int) -> str:
        """What the member at an offset is called; "" if it is not known."""
        ctypes, ctype = self.program.ctypes, self.ctype[struct] if struct >= 0 else -1
        if ctype < 0:
            return ""
        for row in range(int(ctypes.member_start[ctype]), int(ctypes.member_start[ctype + 1])):
            if ctypes.member_offset[row] == offset:
                return self.program.strings[int(ctypes.member_name[row])]
        return ""

    def field_at(self, type_id: int, offset: int) -> Field | None:
        """The innermost member that lies at an offset of a struct or an array of structs."""
        found: Field | None = None
        while True:
            kind, size = self.kind[type_id], self.size[type_id]
            if kind == TypeKind.STRUCT and size > 0:
                offset %= size
                inner = [one for one in self.members(type_id) if one[0] <= offset]
                if not inner:
                    return found
                found = Field(type_id, inner[-1][0])
                offset, type_id = offset - inner[-1][0], inner[-1][1]
            elif kind == TypeKind.ARRAY and self.size[self.elem[type_id]] > 0:
                type_id = self.elem[type_id]
                offset %= self.size[type_id]
                if found is not None:
                    found = found._replace(is_element=True)
            else:
                return found

    def member_type(self, struct: int, offset: int) -> int:
        """The C type of the outermost member that begins at an offset; -1: none, or not known."""
        ctypes, record = self.program.ctypes, self.ctype[struct]
        while record >= 0 and ctypes.kind[record] in _RECORDS:
            rows = range(int(ctypes.member_start[record]), int(ctypes.member_start[record + 1]))
            before = [row for row in rows if ctypes.member_offset[row] <= offset]
            if not before:
                return -1
            row = max(before, key=lambda one: (int(ctypes.member_offset[one]), -one))
            inner = int(ctypes.member_type[row])
            offset -= int(ctypes.member_offset[row])
            if not offset:
                return inner
            record = self._stripped(inner)
            offset %= max(int(ctypes.size[record]), 1) if record >= 0 else 1
        return -1

    def pointee(self, ctype: int) -> int:
        """The struct that a C pointer leads to, as an LLVM type; -1: none."""
        ctypes = self.program.ctypes
        if ctype < 0 or ctypes.kind[ctype] != _POINTER:
            return -1
        return self.struct_of.get(int(ctypes.elem[ctype]), -1)

    def held_struct(self, field: Field) -> int:
        """The struct that a field's pointer leads to; -1: none, or not known."""
        if field.owner < 0:
            return self._held_by_global(field)
        member = self._member(field)
        return self.pointee(member) if member >= 0 else -1

    def is_chained(self, struct: int) -> bool:
        """Whether structs of this kind lead to one another: nodes of lists and trees."""
        found = self._chained.get(struct)
        if found is None:
            ctypes, record = self.program.ctypes, self.ctype[struct]
            self._chained[struct] = False
            rows = range(0)
            if record >= 0:
                rows = range(int(ctypes.member_start[record]), int(ctypes.member_start[record + 1]))
            found = any(self._leads_to(int(ctypes.member_type[row]), record) for row in rows)
            self._chained[struct] = found
        return found

    def _leads_to(self, ctype: int, record: int) -> bool:
        """Whether a member, or a member of a member, is a pointer to a record."""
        ctypes = self.program.ctypes
        ctype = self._stripped(ctype)
        if ctype >= 0 and ctypes.kind[ctype] in _RECORDS and ctype != record:
            rows = range(int(ctypes.member_start[ctype]), int(ctypes.member_start[ctype + 1]))
            return any(self._points_to(int(ctypes.member_type[row]), record) for row in rows)
        return self._points_to(ctype, record)

    def _points_to(self, ctype: int, record: int) -> bool:
        ctypes = self.program.ctypes
        while ctype >= 0 and ctypes.kind[ctype] == CTypeKind.POINTER:
            ctype = int(ctypes.elem[ctype])
        return ctype == record

    def points_to_pointer(self, field: Field) -> bool:
        """Whether a member is a pointer to a pointer to a struct, as the tails of lists are."""
        return self.struct_at_end(field) >= 0

    def struct_at_end(self, field: Field) -> int:
        """The struct that a pointer leads to to which a member points; -1: none."""
        member = self._member(field) if field.owner >= 0 else -1
        ctypes = self.program.ctypes
        if member < 0 or ctypes.kind[member] != CTypeKind.POINTER:
            return -1
        return self.pointee(int(ctypes.elem[member]))

    def _held_by_global(self, field: Field) -> int:
        if field.owner == CELL:
            return -1
        return self.pointee(self._stripped(int(self.program.globals.ctype[~field.owner])))

    def _member(self, field: Field) -> int:
        """The C type of a member, arrays looked through."""
        ctypes, record = self.program.ctypes, self.ctype[field.owner]
        if record < 0:
            return -1
        rows = range(int(ctypes.member_start[record]), int(ctypes.member_start[record + 1]))
        for row in rows:
            if ctypes.member_offset[row] == field.offset:
                return self._stripped(int(ctypes.member_type[row]))
        return -1

    def _stripped(self, ctype: int) -> int:
        ctypes = self.program.ctypes
        while ctype >= 0 and ctypes.kind[ctype] == _ARRAY:
            ctype = int(ctypes.elem[ctype])
        return ctype

    def name(self, field: Field) -> str:
        """The member's name; "" if there is none."""
        program = self.program
        if field.owner == CELL:
            return ""
        if field.owner < 0:
            return program.global_name(~field.owner)
        ctypes, record = program.ctypes, self.ctype[field.owner]
        if record < 0:
            return ""
        for row in range(int(ctypes.member_start[record]), int(ctypes.member_start[record + 1])):
            if ctypes.member_offset[row] == field.offset:
                return program.strings[int(ctypes.member_name[row])]
        return ""

    def is_record(self, ctype: int) -> bool:
        return ctype >= 0 and self.program.ctypes.kind[ctype] in _RECORDS
