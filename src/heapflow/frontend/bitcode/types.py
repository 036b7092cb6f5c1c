"""The type table: kinds, sizes, struct member offsets.

In: the TYPE block and the data layout.  Out: `TypeReader`, whose lists become `ir.program.Types`.
Type ids are LLVM's own. Sizes are what an array element of the type takes (with tail padding).
"""

from __future__ import annotations

from heapflow.frontend.bitcode.bitstream import Bitstream, BlockRef
from heapflow.frontend.bitcode.codes import FLOAT_BITS, UNUSUAL_FLOATS, Typ
from heapflow.frontend.bitcode.layout import DataLayout, round_up
from heapflow.ir.kinds import TypeKind

_OTHER = frozenset({Typ.LABEL, Typ.METADATA, Typ.TOKEN, Typ.X86_AMX, Typ.TARGET_TYPE})


class TypeReader:
    """Types by id, as parallel lists."""

    def __init__(self) -> None:
        self.kind: list[int] = []
        self.bits: list[int] = []
        self.elem: list[int] = []
        self.count: list[int] = []
        self.name: list[str] = []
        self.fields: list[list[int]] = []
        self.packed: list[bool] = []
        self.size: list[int] = []
        self.align: list[int] = []
        self.offsets: list[list[int]] = []
        self.unread: dict[str, int] = {}
        self.int1 = -1
        self.pointer_of_space: dict[int, int] = {}

    def read(self, stream: Bitstream, block: BlockRef) -> None:
        struct_name = ""
        for code, ops, _, inner in stream.entries(block):
            if inner is not None or code == Typ.NUMENTRY:
                continue
            if code == Typ.STRUCT_NAME:
                struct_name = bytes(ops).decode("utf-8", "replace")
                continue
            self._add_record(code, ops, struct_name)
            if code in (Typ.STRUCT_NAMED, Typ.OPAQUE):
                struct_name = ""

    def _add_record(self, code: int, ops: list[int], struct_name: str) -> None:
        if code == Typ.VOID:
            self._add(TypeKind.VOID)
        elif code == Typ.INTEGER:
            if ops[0] == 1:
                self.int1 = len(self.kind)
            self._add(TypeKind.INT, bits=ops[0])
        elif code == Typ.OPAQUE_POINTER:
            self.pointer_of_space[ops[0]] = len(self.kind)
            self._add(TypeKind.POINTER, bits=ops[0])
        elif code in FLOAT_BITS:
            self._add(TypeKind.FLOAT, bits=FLOAT_BITS[code], count=int(code in UNUSUAL_FLOATS))
        elif code == Typ.ARRAY:
            self._add(TypeKind.ARRAY, count=ops[0], elem=ops[1])
        elif code == Typ.VECTOR:
            self._add(TypeKind.VECTOR, count=ops[0], elem=ops[1])
        elif code == Typ.STRUCT_ANON:
            self._add(TypeKind.STRUCT, fields=ops[1:], packed=bool(ops[0]))
        elif code == Typ.STRUCT_NAMED:
            self._add(TypeKind.STRUCT, fields=ops[1:], packed=bool(ops[0]), name=struct_name)
        elif code == Typ.OPAQUE:
            self._add(TypeKind.OPAQUE, name=struct_name)
        elif code == Typ.FUNCTION:
            self._add(TypeKind.FUNC, count=ops[0], elem=ops[1], fields=ops[2:])
        else:
            self._add(TypeKind.OTHER)
            if code not in _OTHER:
                key = f"type record {code}"
                self.unread[key] = self.unread.get(key, 0) + 1

    def _add(
        self,
        kind: TypeKind,
        *,
        bits: int = 0,
        elem: int = -1,
        count: int = 0,
        name: str = "",
        fields: list[int] | None = None,
        packed: bool = False,
    ) -> None:
        self.kind.append(int(kind))
        self.bits.append(bits)
        self.elem.append(elem)
        self.count.append(count)
        self.name.append(name)
        self.fields.append(fields or [])
        self.packed.append(packed)

    def lay_out(self, layout: DataLayout) -> None:
        """Compute sizes and offsets; types may refer forward, so on demand with a memo."""
        count = len(self.kind)
        self.size = [-2] * count
        self.align = [1] * count
        self.offsets = [[] for _ in range(count)]
        for type_id in range(count):
            self._lay_out_one(type_id, layout)
        if self.int1 < 0:
            self.int1 = self._append_type(TypeKind.INT, 1, 1)
        if 0 not in self.pointer_of_space:
            size = layout.pointer(0)[0]
            self.pointer_of_space[0] = self._append_type(TypeKind.POINTER, 0, size)

    def _append_type(self, kind: TypeKind, bits: int, size: int) -> int:
        self._add(kind, bits=bits)
        self.size.append(size)
        self.align.append(size)
        self.offsets.append([])
        return len(self.kind) - 1

    def _lay_out_one(self, type_id: int, layout: DataLayout) -> int:
        if self.size[type_id] != -2:
            return self.size[type_id]
        self.size[type_id] = -1  # a type that contains itself is damaged input: unsized
        kind, bits = self.kind[type_id], self.bits[type_id]
        size, align = -1, 1
        if kind == TypeKind.INT:
            align = layout.int_align(bits)
            size = round_up((bits + 7) // 8, align)
        elif kind == TypeKind.FLOAT:
            align = layout.float_align(bits)
            size = round_up((bits + 7) // 8, align)
        elif kind == TypeKind.POINTER:
            size, align = layout.pointer(bits)
        elif kind == TypeKind.ARRAY:
            size = self._lay_out_one(self.elem[type_id], layout) * self.count[type_id]
            align = self.align[self.elem[type_id]]
        elif kind == TypeKind.VECTOR:
            elem_bits = self.bits[self.elem[type_id]]
            if self.kind[self.elem[type_id]] == TypeKind.POINTER:
                elem_bits = layout.pointer(0)[0] * 8
            total = elem_bits * self.count[type_id]
            align = layout.vector_align(total)
            size = round_up((total + 7) // 8, align)
        elif kind == TypeKind.STRUCT:
            size, align = self._lay_out_struct(type_id, layout)
        self.size[type_id], self.align[type_id] = size, align
        return size

    def _lay_out_struct(self, type_id: int, layout: DataLayout) -> tuple[int, int]:
        offset, struct_align = 0, 1
        for field_type in self.fields[type_id]:
            size = max(0, self._lay_out_one(field_type, layout))
            align = 1 if self.packed[type_id] else self.align[field_type]
            struct_align = max(struct_align, align)
            offset = round_up(offset, align)
            self.offsets[type_id].append(offset)
            offset += size
        return round_up(offset, struct_align), struct_align

    def path_offset(self, type_id: int, indices: list[int]) -> tuple[int, int]:
        """Byte offset and type of the element that constant indices lead to."""
        offset = 0
        for index in indices:
            if self.kind[type_id] == TypeKind.STRUCT:
                offset += self.offsets[type_id][index]
                type_id = self.fields[type_id][index]
            else:
                type_id = self.elem[type_id]
                offset += index * self.size[type_id]
        return offset, type_id
