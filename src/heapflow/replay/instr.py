"""Instructions as objects, with the widths of what they compute.

In:    Program.     Out: `TypeFacts`; `Instr` per row of the tables.
"""

from __future__ import annotations

from typing import Any

from heapflow.ir.kinds import Op, TypeKind
from heapflow.ir.program import Program

_PHI, _POINTER = int(Op.PHI), int(TypeKind.POINTER)
_NUMBERED = frozenset(map(int, (Op.GEP, Op.AGGREGATE, Op.CALL, Op.INVOKE, Op.CALL_BR)))


class Instr:
    """One instruction."""

    __slots__ = (
        "aux",
        "aux2",
        "aux_type",
        "bindings",
        "block",
        "blocks",
        "id",
        "numbers",
        "op",
        "operands",
        "result",
        "run",
        "type",
        "width",
    )

    def __init__(self, ident: int, op: int, result: int, operands: list[int]) -> None:
        self.id, self.op, self.result, self.operands = ident, op, result, operands
        self.block = -1
        self.aux = self.aux2 = 0
        self.aux_type = self.type = -1
        self.width = 0  # of the result, or of what is stored or compared
        self.blocks: list[int] = []  # of a φ: where its operands come from
        self.numbers: list[int] = []  # of a GEP: strides; of an aggregate: offsets
        self.run: Any = None  # the function that executes it, once it was executed
        # Variables, and bytes into them, that have a new value from here on.
        self.bindings: list[tuple[tuple[int, int], int]] = []


class TypeFacts:
    """Widths and sizes of LLVM types as plain lists."""

    def __init__(self, program: Program) -> None:
        types = program.types
        self.kind: list[int] = types.kind.tolist()
        self.bits: list[int] = types.bits.tolist()
        self.size: list[int] = types.size.tolist()
        self.elem: list[int] = types.elem.tolist()
        self.count: list[int] = types.count.tolist()
        scalars = {int(TypeKind.INT), int(TypeKind.FLOAT)}
        self._widths = [
            64 if kind == _POINTER else bits if kind in scalars else 0
            for kind, bits in zip(self.kind, self.bits, strict=True)
        ]
        self._parts: dict[int, list[tuple[int, int]]] = {}
        self._fields = types.field_start.tolist()
        self._field_type: list[int] = types.field_type.tolist()
        self._field_offset: list[int] = types.field_offset.tolist()

    def width(self, type_id: int) -> int:
        """Bits of a scalar; 0 of anything else."""
        if type_id < 0:
            return 0
        return self._widths[type_id]

    def is_pointer(self, type_id: int) -> bool:
        return type_id >= 0 and self.kind[type_id] == _POINTER

    def is_bits(self, type_id: int) -> bool:
        """Whether it is a vector of elements that are not whole bytes."""
        return self.kind[type_id] == TypeKind.VECTOR and self.width(self.elem[type_id]) % 8 != 0

    def fields(self, struct: int) -> list[tuple[int, int]]:
        """Members: byte offset and type."""
        rows = range(self._fields[struct], self._fields[struct + 1])
        return [(self._field_offset[row], self._field_type[row]) for row in rows]

    def parts(self, type_id: int) -> list[tuple[int, int]]:
        """Scalars of an aggregate or vector: byte offset and type, nested ones flattened."""
        found = self._parts.get(type_id)
        if found is None:
            found = self._parts[type_id] = self._flattened(type_id)
        return found

    def _flattened(self, type_id: int) -> list[tuple[int, int]]:
        kind = self.kind[type_id]
        if kind == TypeKind.STRUCT:
            inner = self.fields(type_id)
        elif kind in (TypeKind.ARRAY, TypeKind.VECTOR):
            elem = self.elem[type_id]
            step = self.size[elem] if kind == TypeKind.ARRAY else max(self.width(elem) // 8, 1)
            inner = [(index * step, elem) for index in range(self.count[type_id])]
        else:
            return [(0, type_id)]
        return [(base + at, part) for base, one in inner for at, part in self.parts(one)]


def make_instr(table: Any, types: TypeFacts, row: int) -> Instr:
    """A row of the tables of instructions or constant expressions as an object."""
    return make_instrs(table, types, row, row + 1)[0]


def make_instrs(table: Any, types: TypeFacts, begin: int, end: int) -> list[Instr]:
    """Rows of these tables as objects: columns are read at once, one number costs as much."""
    starts: list[int] = table.operand_start[begin : end + 1].tolist()
    base, last = starts[0], starts[-1]
    operand: list[int] = table.operand[base:last].tolist()
    number: list[int] = table.operand_number[base:last].tolist()
    columns = (table.op, table.result, table.aux, table.aux2, table.aux_type, table.type)
    rows = zip(*(column[begin:end].tolist() for column in columns), strict=True)
    made: list[Instr] = []
    for row, (op, result, aux, aux2, aux_type, type_id) in enumerate(rows, begin):
        first, after = starts[row - begin] - base, starts[row - begin + 1] - base
        instr = Instr(row, op, result, operand[first:after])
        instr.aux, instr.aux2, instr.aux_type, instr.type = aux, aux2, aux_type, type_id
        instr.width = types.width(type_id)
        if op == _PHI:
            instr.blocks = table.operand_block[base + first : base + after].tolist()
        elif op in _NUMBERED:
            instr.numbers = number[first:after]
        made.append(instr)
    return made
