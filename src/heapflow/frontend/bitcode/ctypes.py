"""C types out of debug information: structs with member names, pointers with their targets.

In: `Metadata`, the names of LLVM structs whose layout this unit uses.  Out: rows of `CTypes`.

Members are read only for structs that the unit accesses (LLVM's type table has them, it lists a
struct only where its layout matters): a header may declare hundreds that it merely names.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from heapflow.frontend.bitcode.codes import Md
from heapflow.frontend.bitcode.metadata import Metadata
from heapflow.frontend.bitcode.unit import Unit, offsets_from_counts
from heapflow.ir.kinds import CTypeKind, TypeKind
from heapflow.ir.program import CTypes

_TAG_ARRAY, _TAG_ENUM, _TAG_POINTER, _TAG_STRUCT, _TAG_TYPEDEF, _TAG_UNION = (
    0x01,
    0x04,
    0x0F,
    0x13,
    0x16,
    0x17,
)
_TAG_MEMBER, _TAG_CONST = 0x0D, 0x26
_MOST_CONST = 62  # parameters that `Functions.const_pointees` has bits for
_BASE, _POINTER, _VOID, _FUNC = (
    int(kind) for kind in (CTypeKind.BASE, CTypeKind.POINTER, CTypeKind.VOID, CTypeKind.FUNC)
)
_ARRAY, _ENUM, _STRUCT, _UNION = (
    int(kind) for kind in (CTypeKind.ARRAY, CTypeKind.ENUM, CTypeKind.STRUCT, CTypeKind.UNION)
)
_DERIVED_SIZE_FLAG, _COMPOSITE_SIZE_FLAG = 2, 4
_DEEPEST = 50  # types within types; what a deeper one consists of is read afterwards
Member = tuple[int, int, int]  # name, byte offset, type


class CTypeReader:
    """C types by metadata id, made when first asked for."""

    def __init__(self, unit: Unit, metadata: Metadata) -> None:
        self._unit = unit
        self._metadata = metadata
        self._by_metadata: dict[int, int] = {}
        self._const_pointees: dict[int, int] = {}
        self.kind: list[int] = []
        self.name: list[int] = []
        self.size: list[int] = []
        self.elem: list[int] = []
        self.count: list[int] = []
        self.members: list[list[Member]] = []
        self._accessed = _accessed_struct_names(unit)
        self.by_llvm_name: dict[str, int] = {}
        self._depth = 0
        self._later: list[Callable[[], None]] = []

    def type_of(self, operand: int, typedef: str = "", embedded: bool = False) -> int:
        """The C type that a metadata operand (id + 1) names; -1 for none (void).

        `embedded`: it lies by value in a struct whose members are listed, so its own are too.
        """
        seen = 0
        while True:
            if not operand:
                return -1
            known = self._by_metadata.get(operand)
            if known is not None:
                return known
            code, ops = self._metadata.reference(operand)
            if code != Md.DERIVED_TYPE or ops[1] == _TAG_POINTER or seen > 64:
                break
            # typedef, const, volatile, restrict, atomic: the type behind it
            if ops[1] == _TAG_TYPEDEF:
                typedef = typedef or self._metadata.text(ops[2])
            operand = ops[6]
            seen += 1
        self._depth += 1
        made = self._make(operand, code, ops, typedef, embedded)
        self._depth -= 1
        while self._later and not self._depth:
            self._later.pop()()
        return made

    def _then(self, read: Callable[[], None]) -> None:
        """Read what a type consists of: now, or once the types around it are made."""
        if self._depth < _DEEPEST:
            read()
        else:
            self._later.append(read)

    def const_pointees(self, operand: int) -> int:
        """`Functions.const_pointees` of the function type that a metadata operand names."""
        known = self._const_pointees.get(operand)
        if known is None:
            code, ops = self._metadata.reference(operand)
            parts = self._metadata.reference(ops[2])[1] if code == Md.SUBROUTINE_TYPE else []
            known = 0
            for place, part in enumerate(parts[: _MOST_CONST + 1]):
                known |= self._is_pointer_to_const(part) << place
            self._metadata.remember(self._const_pointees, operand, known)
        return known

    def _is_pointer_to_const(self, operand: int) -> bool:
        pointed_at = False
        for _ in range(64):
            code, ops = self._metadata.reference(operand)
            if code != Md.DERIVED_TYPE or (pointed_at and ops[1] == _TAG_POINTER):
                return False
            if pointed_at and ops[1] == _TAG_CONST:
                return True
            pointed_at |= ops[1] == _TAG_POINTER
            operand = ops[6]
        return False

    def _make(self, operand: int, code: int, ops: list[int], typedef: str, embedded: bool) -> int:
        metadata = self._metadata
        if code == Md.BASIC_TYPE:
            bits = metadata.size_bits(ops, _DERIVED_SIZE_FLAG, 3)
            return self._add(operand, _BASE, metadata.text(ops[2]), bits // 8)
        if code == Md.DERIVED_TYPE:
            bits = metadata.size_bits(ops, _DERIVED_SIZE_FLAG, 7)
            made = self._add(operand, _POINTER, "", bits // 8)
            self._then(lambda: self._read_target(made, ops[6]))
            return made
        if code == Md.SUBROUTINE_TYPE:
            return self._make_function(operand, ops)
        if code == Md.COMPOSITE_TYPE:
            return self._make_composite(operand, ops, typedef, embedded)
        self._unit.unread[f"debug type record {code}"] += 1
        return self._add(operand, _VOID, "", -1)

    def _make_function(self, operand: int, ops: list[int]) -> int:
        made = self._add(operand, _FUNC, "", -1)
        self._then(lambda: self._read_prototype(made, ops[2]))
        return made

    def _read_target(self, made: int, target: int) -> None:
        self.elem[made] = self.type_of(target)

    def _read_prototype(self, made: int, types: int) -> None:
        _, parts = self._metadata.reference(types)
        if parts:
            self.elem[made] = self.type_of(parts[0])
            self.members[made] = [(0, 0, self.type_of(part)) for part in parts[1:]]

    def _make_composite(self, operand: int, ops: list[int], typedef: str, embedded: bool) -> int:
        metadata = self._metadata
        tag = ops[1]
        name = metadata.text(ops[2]) or typedef
        size = metadata.size_bits(ops, _COMPOSITE_SIZE_FLAG, 7) // 8
        if tag == _TAG_ARRAY:
            made = self._add(operand, _ARRAY, "", size)
            elem = self.elem[made] = self.type_of(ops[6], embedded=embedded)
            elem_size = self.size[elem] if elem >= 0 else 0
            self.count[made] = size // elem_size if elem_size > 0 else -1
            return made
        if tag == _TAG_ENUM:
            return self._add(operand, _ENUM, name, size)
        if tag not in (_TAG_STRUCT, _TAG_UNION):
            self._unit.unread[f"debug type tag {tag:#x}"] += 1
            return self._add(operand, _VOID, name, size)
        kind = _STRUCT if tag == _TAG_STRUCT else _UNION
        llvm_name = f"{'struct' if tag == _TAG_STRUCT else 'union'}.{name}"
        made = self._add(operand, kind, name, size if ops[11] else -1)
        if name and self.size[self.by_llvm_name.setdefault(llvm_name, made)] < 0:
            self.by_llvm_name[llvm_name] = made  # what was there is only a declaration
        if ops[11] and (embedded or llvm_name in self._accessed):
            self._then(lambda: self._read_members(made, ops[11]))
        return made

    def _read_members(self, made: int, elements: int) -> None:
        metadata, members, known = self._metadata, self.members[made], self._by_metadata
        _, parts = metadata.reference(elements)
        for part in parts:
            code, ops = metadata.reference(part)
            if code != Md.DERIVED_TYPE or ops[1] != _TAG_MEMBER:
                continue
            offset = metadata.size_bits(ops, _DERIVED_SIZE_FLAG, 9) // 8
            name = self._unit.string(metadata.text(ops[2]))
            member = known.get(ops[6])
            if member is None:
                member = self.type_of(ops[6], embedded=True)
            members.append((name, offset, member))

    def _add(self, operand: int, kind: int, name: str, size: int) -> int:
        made = len(self.kind)
        self._metadata.remember(self._by_metadata, operand, made)
        self.kind.append(kind)
        self.name.append(self._unit.string(name))
        self.size.append(size)
        self.elem.append(-1)
        self.count.append(-1)
        self.members.append([])
        return made

    def of_llvm_types(self) -> list[int]:
        """For each LLVM type, the C type it was made from, or -1.

        Named structs match by name; unnamed ones by their place in a matched struct.
        """
        self._read_retained()
        types = self._unit.types
        found = [-1] * len(types.kind)
        work: list[tuple[int, int]] = []
        for type_id, name in enumerate(types.name):
            made = self.by_llvm_name.get(_plain_name(name), -1) if name else -1
            if made >= 0 and self.size[made] == types.size[type_id]:
                found[type_id] = made
                work.append((type_id, made))
        while work:
            type_id, made = work.pop()
            by_offset = {offset: member for _, offset, member in reversed(self.members[made])}
            for field_type, offset in zip(
                types.fields[type_id], types.offsets[type_id], strict=True
            ):
                member = by_offset.get(offset, -1)
                while types.kind[field_type] == TypeKind.ARRAY:
                    field_type = types.elem[field_type]
                while member >= 0 and self.kind[member] == _ARRAY:
                    member = self.elem[member]
                if (
                    member >= 0
                    and found[field_type] < 0
                    and types.kind[field_type] == TypeKind.STRUCT
                    and self.kind[member] in (_STRUCT, _UNION)
                    and self.size[member] == types.size[field_type]
                ):
                    found[field_type] = member
                    work.append((field_type, member))
        return found

    def _read_retained(self) -> None:
        """Structs that are accessed, though no variable of this unit has their type: that of a global
        variable which another file defines."""
        known = self.by_llvm_name
        wanted = {one for one in self._accessed if one not in known or self.size[known[one]] < 0}
        for operand in self._metadata.retained_types() if wanted else ():
            if self._llvm_name(operand) in wanted:
                self.type_of(operand)

    def _llvm_name(self, operand: int) -> str:
        """What LLVM calls a struct or union, or one without a name, after its typedef."""
        code, ops = self._metadata.reference(operand)
        name = ""
        if code == Md.DERIVED_TYPE and ops[1] == _TAG_TYPEDEF:
            name = self._metadata.text(ops[2])
            code, ops = self._metadata.reference(ops[6])
        if code != Md.COMPOSITE_TYPE or ops[1] not in (_TAG_STRUCT, _TAG_UNION):
            return ""
        kind = "struct" if ops[1] == _TAG_STRUCT else "union"
        return f"{kind}.{self._metadata.text(ops[2]) or name}"

    def freeze(self) -> CTypes:
        flat = [member for members in self.members for member in members]
        table: Any = np.array(flat, dtype=np.int64).reshape(len(flat), 3)
        return CTypes(
            kind=np.array(self.kind, dtype=np.uint8),
            name=np.array(self.name, dtype=np.int32),
            size=np.array(self.size, dtype=np.int64),
            elem=np.array(self.elem, dtype=np.int32),
            count=np.array(self.count, dtype=np.int64),
            member_start=offsets_from_counts([len(m) for m in self.members]),
            member_name=table[:, 0].astype(np.int32),
            member_offset=table[:, 1].copy(),
            member_type=table[:, 2].astype(np.int32),
        )


def _accessed_struct_names(unit: Unit) -> set[str]:
    return {_plain_name(name) for name in unit.types.name if name}


def _plain_name(name: str) -> str:
    """ "struct.node.12" -> "struct.node": LLVM numbers homonyms."""
    head, _, tail = name.rpartition(".")
    return head if tail.isdigit() and "." in head else name
