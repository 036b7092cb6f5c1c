"""Constants: numbers, strings, aggregates and constant expressions.

In:    a CONSTANTS block (module level or of one function).     Out: rows in `Unit`.
Guarantees: one value per constant, in LLVM's order. Constant expressions become rows of
`const_exprs` with the same columns as instructions. A constant may refer to a later one, so
expressions are made after the whole block was read.
Not modelled: constant expressions on vectors (`unread` counts them).
"""

from __future__ import annotations

from collections.abc import Callable

from heapflow.frontend.bitcode.bitstream import Bitstream, BlockRef
from heapflow.frontend.bitcode.codes import CAST_OPS, FLOAT_BINARY_OPS, INT_BINARY_OPS, Cst
from heapflow.frontend.bitcode.gep import split_gep
from heapflow.frontend.bitcode.numerals import data_bytes, float_bytes, wide_bytes
from heapflow.frontend.bitcode.unit import Unit, signed
from heapflow.ir.kinds import Op, TypeKind, ValueKind

_DEFERRED = frozenset(
    {
        Cst.AGGREGATE,
        Cst.CE_BINOP,
        Cst.CE_CAST,
        Cst.CE_SELECT,
        Cst.CE_CMP,
        Cst.CE_GEP,
        Cst.CE_GEP_INRANGE,
        Cst.CE_GEP_OLD,
        Cst.CE_UNOP,
        Cst.DSO_LOCAL_EQUIVALENT,
        Cst.NO_CFI,
        Cst.BLOCKADDRESS,
    }
)
_INT = int(ValueKind.INT)
Pending = tuple[int, int, int, list[int]]  # value, code, type, operands
# A block address: (value, LLVM value number of the function, block number in it).
BlockAddress = tuple[int, int, int]


class ConstantReader:
    """Reads constants blocks into a Unit."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self.block_addresses: list[BlockAddress] = []

    def read(self, stream: Bitstream, block: BlockRef, to_value: Callable[[int], int]) -> None:
        """Append the constants; `to_value` maps LLVM's value numbers to ours."""
        unit = self._unit
        type_id = 0
        pending: list[Pending] = []
        for code, ops, _, inner in stream.entries(block):
            if inner is not None:
                continue
            if code == Cst.SETTYPE:
                type_id = ops[0]
            elif code in _DEFERRED:
                value = unit.add_value(ValueKind.CONST_EXPR, type_id, -1)
                pending.append((value, code, type_id, ops))
            else:
                self._add_plain(code, type_id, ops)
        for value, code, value_type, ops in pending:
            self._add_expression(value, code, value_type, ops, to_value)

    def _add_plain(self, code: int, type_id: int, ops: list[int]) -> None:
        unit = self._unit
        type_kind = unit.types.kind[type_id]
        if code == Cst.NULL:
            if type_kind == TypeKind.INT:
                unit.value_number[unit.add_value(ValueKind.INT, type_id, -1)] = 0
            elif type_kind == TypeKind.FLOAT:
                self._add_bytes(
                    ValueKind.FLOAT, type_id, float_bytes(unit.types.bits[type_id], [0, 0])
                )
            else:
                unit.add_value(ValueKind.NULL, type_id, -1)
        elif code == Cst.INTEGER:
            unit.value_number[unit.add_value(_INT, type_id, -1)] = signed(ops[0])
        elif code in (Cst.UNDEF, Cst.POISON):
            unit.add_value(ValueKind.UNDEF, type_id, -1)
        elif code in (Cst.STRING, Cst.CSTRING):
            self._add_bytes(ValueKind.BYTES, type_id, bytes(op & 255 for op in ops))
        elif code == Cst.DATA:
            width = unit.types.bits[unit.types.elem[type_id]]
            self._add_bytes(ValueKind.BYTES, type_id, data_bytes(width, ops))
        elif code == Cst.FLOAT:
            self._add_bytes(ValueKind.FLOAT, type_id, float_bytes(unit.types.bits[type_id], ops))
        elif code == Cst.WIDE_INTEGER:
            self._add_bytes(ValueKind.WIDE_INT, type_id, wide_bytes(unit.types.bits[type_id], ops))
        elif code == Cst.INLINEASM:
            size = ops[2]
            text = bytes(op & 255 for op in ops[3 : 3 + size]).decode("latin-1")
            unit.add_value(ValueKind.INLINE_ASM, type_id, unit.string(text))
        else:
            unit.add_value(ValueKind.OTHER, type_id, -1)
            unit.unread[f"constant record {code}"] += 1

    def _add_bytes(self, kind: ValueKind, type_id: int, data: bytes) -> None:
        self._unit.add_value(kind, type_id, self._unit.string(data.decode("latin-1")))

    def _add_expression(
        self, value: int, code: int, type_id: int, ops: list[int], to_value: Callable[[int], int]
    ) -> None:
        unit = self._unit
        if code == Cst.BLOCKADDRESS:
            unit.value_kind[value] = int(ValueKind.BLOCK_ADDRESS)
            self.block_addresses.append((value, ops[1], ops[2]))
            return
        if code == Cst.AGGREGATE:
            self._add_aggregate(value, type_id, [to_value(op) for op in ops])
        elif code == Cst.CE_CAST:
            op = CAST_OPS[ops[0]] if ops[0] < len(CAST_OPS) else Op.BIT_CAST
            self._row(value, op, type_id, [to_value(ops[2])])
        elif code == Cst.CE_BINOP:
            is_float = unit.types.kind[type_id] == TypeKind.FLOAT
            op = FLOAT_BINARY_OPS[ops[0]] if is_float else INT_BINARY_OPS[ops[0]]
            self._row(value, op, type_id, [to_value(ops[1]), to_value(ops[2])])
        elif code == Cst.CE_UNOP:
            self._row(value, Op.FNEG, type_id, [to_value(ops[1])])
        elif code == Cst.CE_SELECT:
            self._row(value, Op.SELECT, type_id, [to_value(op) for op in ops[:3]])
        elif code == Cst.CE_CMP:
            op = Op.FCMP if ops[3] < 32 else Op.ICMP
            self._row(value, op, type_id, [to_value(ops[1]), to_value(ops[2])], aux=ops[3])
        elif code in (Cst.DSO_LOCAL_EQUIVALENT, Cst.NO_CFI):
            self._row(value, Op.BIT_CAST, type_id, [to_value(ops[1])])
        else:
            self._add_gep(value, code, type_id, ops, to_value)

    def _add_aggregate(self, value: int, type_id: int, elements: list[int]) -> None:
        types = self._unit.types
        if types.kind[type_id] == TypeKind.STRUCT:
            offsets = types.offsets[type_id]
        else:
            step = types.size[types.elem[type_id]]
            offsets = [step * index for index in range(len(elements))]
        self._unit.elements[value] = elements
        rows = self._unit.const_exprs
        first = len(rows.operands)
        self._row(value, Op.AGGREGATE, type_id, elements)
        rows.operand_number.update(
            {first + i: offset for i, offset in enumerate(offsets[: len(elements)]) if offset}
        )

    def _add_gep(
        self, value: int, code: int, type_id: int, ops: list[int], to_value: Callable[[int], int]
    ) -> None:
        unit = self._unit
        source_type = ops[0]
        rest = ops[2:] if code != Cst.CE_GEP_OLD else ops[1:]
        if code == Cst.CE_GEP_INRANGE:  # width, then both ends of the range
            if rest[0] > 64:
                unit.unread["constant record with a wide range"] += 1
                unit.value_kind[value] = int(ValueKind.OTHER)
                return
            rest = rest[3:]
        operands = [to_value(op) for op in rest[1::2]]
        member_bytes, array_bytes, variables, strides = split_gep(unit, source_type, operands[1:])
        rows = unit.const_exprs
        first = len(rows.operands)
        self._row(
            value,
            Op.GEP,
            type_id,
            [operands[0], *variables],
            aux=member_bytes,
            aux2=array_bytes,
            aux_type=source_type,
        )
        for index, stride in enumerate(strides, 1):
            rows.operand_number[first + index] = stride

    def _row(
        self,
        value: int,
        op: int,
        type_id: int,
        operands: list[int],
        *,
        aux: int = 0,
        aux2: int = 0,
        aux_type: int = -1,
    ) -> None:
        rows = self._unit.const_exprs
        self._unit.value_index[value] = len(rows)
        rows.rows.extend((int(op), type_id, value, aux, aux2, aux_type, len(operands)))
        rows.operands.extend(operands)
