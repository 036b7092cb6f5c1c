"""Types as the points-to phase sees them: C types where debug information has them, else LLVM's.

A `TypeRef` is an integer: a C type id, or `~id` of an LLVM type. C types tell unions and the pointee
of each pointer, which LLVM's types do not; LLVM's tell the layout where no debug information does.
"""

from __future__ import annotations

from enum import IntEnum
from functools import cache

from heapflow.ir.kinds import CTypeKind, TypeKind
from heapflow.ir.program import Program
from heapflow.pointsto.codes import plain
from heapflow.pointsto.config import WalkLimits

TypeRef = int
VOID: TypeRef = -(1 << 30)  # target of `void *`: nothing known


class RefKind(IntEnum):
    """What matters of a type here."""

    DATA = 0  # integers, floats, enums
    POINTER = 1
    STRUCT = 2
    UNION = 3
    ARRAY = 4
    FUNC = 5
    UNKNOWN = 6  # void, or a struct without a body


Ref = plain(RefKind)  # for comparisons
_FROM_C = {
    CTypeKind.VOID: RefKind.UNKNOWN,
    CTypeKind.BASE: RefKind.DATA,
    CTypeKind.ENUM: RefKind.DATA,
    CTypeKind.POINTER: RefKind.POINTER,
    CTypeKind.STRUCT: RefKind.STRUCT,
    CTypeKind.UNION: RefKind.UNION,
    CTypeKind.ARRAY: RefKind.ARRAY,
    CTypeKind.FUNC: RefKind.FUNC,
}
_FROM_LLVM = {
    TypeKind.INT: RefKind.DATA,
    TypeKind.FLOAT: RefKind.DATA,
    TypeKind.POINTER: RefKind.POINTER,
    TypeKind.STRUCT: RefKind.STRUCT,
    TypeKind.ARRAY: RefKind.ARRAY,
    TypeKind.VECTOR: RefKind.ARRAY,
    TypeKind.FUNC: RefKind.FUNC,
}


class TypeRefs:
    """Queries on types; every answer is memoised, there are few types and many questions."""

    def __init__(self, program: Program, limits: WalkLimits | None = None) -> None:
        self.program = program
        self.most_leaves = (limits or WalkLimits()).most_leaves
        self._types, self._ctypes = program.types, program.ctypes
        self._canonical: dict[object, TypeRef] = {}
        self.families: dict[TypeRef, frozenset[TypeRef]] = {}  # see families.py
        for name in ("of_type", "kind", "size", "members", "normalise", "canonical", "leaves"):
            setattr(self, name, cache(getattr(self, name)))
        for name in ("structs_at", "pointees_at", "has_pointer", "params"):
            setattr(self, name, cache(getattr(self, name)))

    def of_type(self, type_id: int) -> TypeRef:
        """The reference for an LLVM type: its C type if that has a body."""
        if type_id < 0:
            return VOID
        ctype = int(self._types.ctype[type_id])
        if self._types.kind[type_id] != TypeKind.STRUCT or ctype < 0 or self._is_unnamed(type_id):
            return ~type_id
        return ctype if self.members(ctype) else ~type_id

    def _is_unnamed(self, type_id: int) -> bool:
        """Unnamed structs of equal layout are one LLVM type whatever their C types are."""
        name = self.program.strings[self._types.name[type_id]]
        return not name or name.removeprefix("struct.").removeprefix("union.").startswith("anon")

    def of_ctype(self, ctype: int) -> TypeRef:
        return ctype if ctype >= 0 else VOID

    def kind(self, ref: TypeRef) -> RefKind:
        if ref == VOID:
            return RefKind.UNKNOWN
        if ref < 0:
            return _FROM_LLVM.get(TypeKind(self._types.kind[~ref]), RefKind.UNKNOWN)
        found = _FROM_C[CTypeKind(self._ctypes.kind[ref])]
        if found in (Ref.STRUCT, Ref.UNION) and not self.members(ref):
            return RefKind.UNKNOWN
        return found

    def size(self, ref: TypeRef) -> int:
        """Bytes; -1 unknown."""
        if ref == VOID:
            return -1
        if ref < 0:
            return int(self._types.size[~ref])
        size = int(self._ctypes.size[ref])
        if size < 0 and self._ctypes.kind[ref] == CTypeKind.ARRAY:
            count, each = int(self._ctypes.count[ref]), self.size(int(self._ctypes.elem[ref]))
            return count * each if count >= 0 and each >= 0 else -1
        if self._ctypes.kind[ref] == CTypeKind.POINTER:
            return 8
        return size

    def elem(self, ref: TypeRef) -> TypeRef:
        """Element of an array, target of a pointer."""
        if ref < 0:
            if self.kind(ref) == Ref.POINTER or ref == VOID:
                return VOID
            return self.of_type(int(self._types.elem[~ref]))
        return self.of_ctype(int(self._ctypes.elem[ref]))

    def members(self, ref: TypeRef) -> tuple[tuple[int, TypeRef], ...]:
        """Offset and type of each member of a struct or union."""
        if ref < 0:
            if self._types.kind[~ref] != TypeKind.STRUCT:
                return ()
            start = self._types.field_start
            span = slice(int(start[~ref]), int(start[~ref + 1]))
            found = [self.of_type(t) for t in self._types.field_type[span].tolist()]
            offsets = self._types.field_offset[span].tolist()
        else:
            if self._ctypes.kind[ref] not in (CTypeKind.STRUCT, CTypeKind.UNION):
                return ()
            start = self._ctypes.member_start
            span = slice(int(start[ref]), int(start[ref + 1]))
            found = [self.of_ctype(t) for t in self._ctypes.member_type[span].tolist()]
            offsets = self._ctypes.member_offset[span].tolist()
        return tuple(zip(offsets, found, strict=True))

    def params(self, ref: TypeRef) -> tuple[TypeRef, ...]:
        """Parameters of a C function type; VOID last if more may follow. None known: ()."""
        if ref < 0 or self._ctypes.kind[ref] != CTypeKind.FUNC:
            return ()
        start = self._ctypes.member_start
        listed = self._ctypes.member_type[int(start[ref]) : int(start[ref + 1])].tolist()
        return tuple(VOID if t < 0 or self._ctypes.kind[t] == CTypeKind.VOID else t for t in listed)

    def members_over(self, ref: TypeRef, offset: int) -> list[tuple[int, TypeRef]]:
        """The members that cover a byte; the last one also covers what follows (flexible arrays)."""
        members = self.members(ref)
        found = [
            (start, member)
            for start, member in members
            if start <= offset < start + max(self.size(member), 1)
        ]
        if not found and members and offset >= members[-1][0]:
            start, member = members[-1]
            if self.kind(member) == Ref.ARRAY and self.size(member) <= 0:
                return [(start, member)]
        return found

    def normalise(self, ref: TypeRef, offset: int) -> int:
        """The offset with array indices dropped and scalars entered at their start."""
        match self.kind(ref):
            case Ref.ARRAY:
                each = self.size(self.elem(ref))
                return self.normalise(self.elem(ref), offset % each) if each > 0 else 0
            case Ref.STRUCT | Ref.UNION:
                covering = self.members_over(ref, offset)
                inner = {s + self.normalise(m, offset - s) for s, m in covering}
                # Views of a union: one that sees an array of pointers decides for all, since an
                # index is dropped before the offset is known; arrays of plain data do not matter.
                arrays = {
                    s + self.normalise(m, offset - s) for s, m in covering if self._collapses(m)
                }
                found = min(arrays) if arrays else max(inner, default=offset)
                return found if found == offset else self.normalise(ref, found)
            case _:
                return 0

    def _collapses(self, ref: TypeRef) -> bool:
        return self.kind(ref) == Ref.ARRAY and self.has_pointer(ref)

    def structs_at(self, ref: TypeRef, offset: int) -> frozenset[TypeRef]:
        """Canonical structs and unions that start at an offset; VOID for one without a body."""
        match self.kind(ref):
            case Ref.ARRAY:
                each = self.size(self.elem(ref))
                return self.structs_at(self.elem(ref), offset % each) if each > 0 else frozenset()
            case Ref.STRUCT | Ref.UNION:
                own = {self.canonical(ref)} if offset == 0 else set()
                for start, member in self.members_over(ref, offset):
                    own |= self.structs_at(member, offset - start)
                return frozenset(own)
            case Ref.UNKNOWN:
                return frozenset({VOID})
            case _:
                return frozenset()

    def pointees_at(self, ref: TypeRef, offset: int) -> frozenset[TypeRef | None]:
        """Targets of the pointers that start at an offset; None stands for other data there."""
        match self.kind(ref):
            case Ref.ARRAY:
                each = self.size(self.elem(ref))
                if each <= 0:
                    return frozenset({VOID})
                return self.pointees_at(self.elem(ref), offset % each)
            case Ref.STRUCT | Ref.UNION:
                found: set[TypeRef | None] = set()
                for start, member in self.members_over(ref, offset):
                    found |= self.pointees_at(member, offset - start)
                return frozenset(found or {None})
            case Ref.POINTER:
                return frozenset({self.elem(ref) if offset == 0 else None})
            case Ref.UNKNOWN:
                return frozenset({VOID})
            case _:
                return frozenset({None})

    def places_around(self, ref: TypeRef, offset: int) -> list[tuple[TypeRef, int]]:
        """A place named from every struct that it lies in: (canonical struct, offset in it)."""
        match self.kind(ref):
            case Ref.ARRAY:
                each = self.size(self.elem(ref))
                return self.places_around(self.elem(ref), offset % each) if each > 0 else []
            case Ref.STRUCT | Ref.UNION:
                found = [(self.canonical(ref), offset)]
                for start, member in self.members_over(ref, offset):
                    found += self.places_around(member, offset - start)
                return found
            case _:
                return [(ref, offset)]

    def is_undefined(self, ref: TypeRef) -> bool:
        """A struct or union that is declared, by name, and defined nowhere."""
        return (
            ref >= 0
            and self._ctypes.kind[ref] in (CTypeKind.STRUCT, CTypeKind.UNION)
            and self._ctypes.size[ref] < 0
        )

    def is_bare(self, ref: TypeRef) -> bool:
        """A struct or union whose members are not listed: it may be anything inside."""
        return ref >= 0 and self.kind(ref) == Ref.UNKNOWN and self.size(ref) > 0

    def has_pointer(self, ref: TypeRef) -> bool:
        """Can an object of this type hold a pointer?"""
        match self.kind(ref):
            case Ref.ARRAY:
                return self.has_pointer(self.elem(ref))
            case Ref.STRUCT | Ref.UNION:
                return any(self.has_pointer(member) for _, member in self.members(ref))
            case kind:
                return kind in (Ref.POINTER, Ref.UNKNOWN)

    def canonical(self, ref: TypeRef) -> TypeRef:
        """One reference for all copies of a struct (several units, LLVM and C)."""
        if self.kind(ref) not in (Ref.STRUCT, Ref.UNION):
            return ref
        table = self._ctypes if ref >= 0 else self._types
        name = self.program.strings[table.name[ref if ref >= 0 else ~ref]]
        if ref < 0:
            name = name.removeprefix("struct.").removeprefix("union.").split(".")[0]
        if name.startswith("anon"):
            name = ""
        offsets = tuple(start for start, _ in self.members(ref))
        tokens = () if name else tuple(kind for _, kind in self.leaves(ref))
        return self._canonical.setdefault((name, self.size(ref), offsets, tokens), ref)

    def leaves(self, ref: TypeRef) -> tuple[tuple[int, object], ...]:
        """The scalars of a type in order: offset, and size or pointer target of each."""
        match self.kind(ref):
            case Ref.ARRAY:
                return self.leaves(self.elem(ref))
            case Ref.STRUCT | Ref.UNION:
                found: list[tuple[int, object]] = []
                for start, member in self.members(ref):
                    found += [(start + off, token) for off, token in self.leaves(member)]
                    if len(found) >= self.most_leaves:
                        break
                return tuple(found[: self.most_leaves])
            case Ref.POINTER:
                return ((0, ("ptr", self.elem(ref))),)
            case _:
                return ((0, self.size(ref)),)
