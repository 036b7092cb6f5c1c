"""Instructions: one record of a function body to one row.

In:    the operands of a record.     Out: rows in `Bodies`.

What runs once per instruction is written for speed: members of enumerations are integers of the module.
"""

from __future__ import annotations

from collections.abc import Callable

from heapflow.frontend.bitcode.attributes import AttributeReader
from heapflow.frontend.bitcode.bitstream import BitstreamError
from heapflow.frontend.bitcode.codes import (
    ARITH_FLAGS,
    CAST_OPS,
    FLOAT_BINARY_OPS,
    INT_BINARY_OPS,
    Fun,
)
from heapflow.frontend.bitcode.gep import split_gep
from heapflow.frontend.bitcode.rows import RowWriter
from heapflow.frontend.bitcode.unit import Unit, signed
from heapflow.ir.kinds import AccessFlag, CallFlag, EdgeKind, GepFlag, Op, TypeKind

_VECTOR, _STRUCT, _FLOAT = int(TypeKind.VECTOR), int(TypeKind.STRUCT), int(TypeKind.FLOAT)
_VOID, _OTHER = int(TypeKind.VOID), int(TypeKind.OTHER)
_GEP, _LOAD, _STORE, _BR, _CALL, _PHI = (
    int(op) for op in (Op.GEP, Op.LOAD, Op.STORE, Op.BR, Op.CALL, Op.PHI)
)
_ICMP, _FCMP = int(Op.ICMP), int(Op.FCMP)
_ALWAYS, _IF_TRUE, _IF_FALSE = (
    int(kind) for kind in (EdgeKind.ALWAYS, EdgeKind.IF_TRUE, EdgeKind.IF_FALSE)
)
_VOLATILE, _ATOMIC = int(AccessFlag.VOLATILE), int(AccessFlag.ATOMIC)
_MUST_TAIL, _MAY_LEAVE = int(CallFlag.MUST_TAIL), int(GepFlag.MAY_LEAVE)
_CALL_EXPLICIT_TYPE, _CALL_FMF, _CALL_MUST_TAIL = 1 << 15, 1 << 17, 1 << 14
_INVOKE_EXPLICIT_TYPE = 1 << 13


class InstructionReader(RowWriter):
    """The records of function bodies, by code in `handlers`."""

    def __init__(self, unit: Unit, attributes: AttributeReader) -> None:
        super().__init__(unit)
        self._unit = unit
        self._types = unit.types
        self._attributes = attributes
        self._copying = unit.copying
        self.metadata_placeholder = -1  # stands for metadata operands, which LLVM does not number
        self._struct_of_fields: dict[tuple[int, ...], int] = {}
        self._call_shapes: dict[int, tuple[int, list[int]]] = {}
        self.handlers: dict[int, Callable[[list[int]], None]] = self._all_handlers()

    def _all_handlers(self) -> dict[int, Callable[[list[int]], None]]:
        return {
            Fun.BINOP: self._binop,
            Fun.UNOP: self._unop,
            Fun.CAST: self._cast,
            Fun.EXTRACTELT: self._extract_element,
            Fun.INSERTELT: self._insert_element,
            Fun.SHUFFLEVEC: self._shuffle,
            Fun.CMP: self._cmp,
            Fun.CMP2: self._cmp,
            Fun.RET: self._ret,
            Fun.BR: self._br,
            Fun.SWITCH: self._switch,
            Fun.INVOKE: self._invoke,
            Fun.CALLBR: self._callbr,
            Fun.RESUME: self._resume,
            Fun.UNREACHABLE: self._unreachable,
            Fun.INDIRECTBR: self._indirect_br,
            Fun.PHI: self._phi,
            Fun.ALLOCA: self._alloca,
            Fun.LOAD: self._load,
            Fun.LOADATOMIC: self._load,
            Fun.STORE: self._store,
            Fun.STOREATOMIC: self._store,
            Fun.CMPXCHG: self._cmpxchg,
            Fun.ATOMICRMW: self._atomic_rmw,
            Fun.FENCE: self._fence,
            Fun.VAARG: self._va_arg,
            Fun.EXTRACTVAL: self._extract_value,
            Fun.INSERTVAL: self._insert_value,
            Fun.VSELECT: self._select,
            Fun.GEP: self._gep,
            Fun.CALL: self._call,
            Fun.LANDINGPAD: self._landing_pad,
            Fun.FREEZE: self._freeze,
        }

    # Arithmetic, casts, comparisons --------------------------------------------------------------

    def _binop(self, ops: list[int]) -> None:
        left, type_id, at = self._typed(ops, 0)
        right = self._relative(ops[at])
        code = ops[at + 1]
        is_float = self._types.kind[self._scalar(type_id)] == _FLOAT
        op = FLOAT_BINARY_OPS[code] if is_float else INT_BINARY_OPS[code]
        flags = ARITH_FLAGS.get((op, ops[at + 2]), 0) if len(ops) > at + 2 else 0
        self._emit(op, type_id, [left, right], 0, flags)

    def _scalar(self, type_id: int) -> int:
        is_vector = self._types.kind[type_id] == _VECTOR
        return self._types.elem[type_id] if is_vector else type_id

    def _unop(self, ops: list[int]) -> None:
        value, type_id, _ = self._typed(ops, 0)
        self._emit(Op.FNEG, type_id, [value])

    def _cast(self, ops: list[int]) -> None:
        value, _, at = self._typed(ops, 0)
        op = CAST_OPS[ops[at + 1]]
        flags = ARITH_FLAGS.get((op, ops[at + 2]), 0) if len(ops) > at + 2 else 0
        self._emit(op, ops[at], [value], 0, flags)

    def _cmp(self, ops: list[int]) -> None:
        left, type_id, at = self._typed(ops, 0)
        predicate = ops[at + 1]
        result = self._types.int1
        if self._types.kind[type_id] == _VECTOR:
            result = self._vector_type(self._types.count[type_id], self._types.int1)
        op = _ICMP if predicate >= 32 else _FCMP
        flags = ARITH_FLAGS.get((op, ops[at + 2]), 0) if len(ops) > at + 2 else 0
        self._emit(op, result, [left, self._relative(ops[at])], predicate, flags)

    def _vector_type(self, count: int, elem: int) -> int:
        types = self._types
        for type_id, kind in enumerate(types.kind):
            if kind != _VECTOR or types.count[type_id] != count:
                continue
            if types.elem[type_id] == elem:
                return type_id
        raise BitstreamError("a vector type is missing from the type table")

    def _select(self, ops: list[int]) -> None:
        if_true, type_id, at = self._typed(ops, 0)
        if_false = self._relative(ops[at])
        condition, _, _ = self._typed(ops, at + 1)
        self._emit(Op.SELECT, type_id, [condition, if_true, if_false])

    def _freeze(self, ops: list[int]) -> None:
        value, type_id, _ = self._typed(ops, 0)
        self._emit(Op.FREEZE, type_id, [value])

    def _extract_element(self, ops: list[int]) -> None:
        vector, type_id, at = self._typed(ops, 0)
        index, _, _ = self._typed(ops, at)
        self._emit(Op.EXTRACT_ELEMENT, self._types.elem[type_id], [vector, index])

    def _insert_element(self, ops: list[int]) -> None:
        vector, type_id, at = self._typed(ops, 0)
        value = self._relative(ops[at])
        index, _, _ = self._typed(ops, at + 1)
        self._emit(Op.INSERT_ELEMENT, type_id, [vector, value, index])

    def _shuffle(self, ops: list[int]) -> None:
        left, type_id, at = self._typed(ops, 0)
        right = self._relative(ops[at])
        mask, mask_type, _ = self._typed(ops, at + 1)
        result = self._vector_type(self._types.count[mask_type], self._types.elem[type_id])
        self._emit(Op.SHUFFLE_VECTOR, result, [left, right, mask])

    def _extract_value(self, ops: list[int]) -> None:
        value, type_id, at = self._typed(ops, 0)
        offset, result = self._types.path_offset(type_id, ops[at:])
        self._emit(Op.EXTRACT_VALUE, result, [value], aux=offset)

    def _insert_value(self, ops: list[int]) -> None:
        aggregate, type_id, at = self._typed(ops, 0)
        value, _, at = self._typed(ops, at)
        offset, _ = self._types.path_offset(type_id, ops[at:])
        self._emit(Op.INSERT_VALUE, type_id, [aggregate, value], aux=offset)

    # Memory --------------------------------------------------------------------------------------

    def _alloca(self, ops: list[int]) -> None:
        allocated, count = ops[0], self._absolute(ops[2])
        space = ops[4] if len(ops) > 4 else 0
        size = self._types.size[allocated]
        number = self._unit.value_number.get(count)
        total = -1 if number is None or size < 0 else size * number
        pointer = self._types.pointer_of_space[space]
        # The alignment's logarithm plus one, in two parts.
        align = (1 << (ops[3] & 31 | (ops[3] >> 8 & 7) << 5)) >> 1
        self._emit(Op.ALLOCA, pointer, [count], aux=total, aux2=align, aux_type=allocated)

    def _load(self, ops: list[int]) -> None:
        pointer, _, at = self._typed(ops, 0)
        flags = _VOLATILE if ops[at + 2] else 0
        if len(ops) > at + 3:
            flags |= _ATOMIC
        self._emit(_LOAD, ops[at], [pointer], flags, 0, ops[at])

    def _store(self, ops: list[int]) -> None:
        pointer, _, at = self._typed(ops, 0)
        value, type_id, at = self._typed(ops, at)
        flags = _VOLATILE if ops[at + 1] else 0
        if len(ops) > at + 2:
            flags |= _ATOMIC
        self._emit(_STORE, -1, [pointer, value], flags, 0, type_id)

    def _gep(self, ops: list[int]) -> None:
        source_type = ops[1]
        base, base_type, at = self._typed(ops, 2)
        result = base_type
        shared, shift, following = self._shared, self._shift, self._next
        kinds, types = self._types.kind, self._value_type
        indices: list[int] = []
        end = len(ops)
        while at < end:
            number = (following - ops[at]) & 0xFFFF_FFFF
            index = number if number < shared else number + shift
            if number < following:
                index_type = types[index]
                at += 1
            else:
                index_type = ops[at + 1]
                at += 2
            indices.append(index)
            if kinds[index_type] == _VECTOR:
                result = self._vector_type(self._types.count[index_type], base_type)
        member_bytes, array_bytes, variables, strides = split_gep(self._unit, source_type, indices)
        first = len(self._operands)
        if not ops[0] & 1:
            self._rows.operand_number[first] = _MAY_LEAVE
        if variables:
            for position, stride in enumerate(strides, 1):
                self._rows.operand_number[first + position] = stride
        self._emit(_GEP, result, [base, *variables], member_bytes, array_bytes, source_type)

    def _cmpxchg(self, ops: list[int]) -> None:
        pointer, _, at = self._typed(ops, 0)
        expected, type_id, at = self._typed(ops, at)
        new = self._relative(ops[at])
        result = self._struct_type((type_id, self._types.int1))
        self._emit(Op.CMPXCHG, result, [pointer, expected, new], aux_type=type_id)

    def _struct_type(self, fields: tuple[int, ...]) -> int:
        known = self._struct_of_fields.get(fields)
        if known is None:
            types = self._types
            for type_id, kind in enumerate(types.kind):
                if kind == _STRUCT and tuple(types.fields[type_id]) == fields:
                    known = type_id
                    break
            if known is None:
                raise BitstreamError("a struct type is missing from the type table")
            self._struct_of_fields[fields] = known
        return known

    def _atomic_rmw(self, ops: list[int]) -> None:
        pointer, _, at = self._typed(ops, 0)
        value, type_id, at = self._typed(ops, at)
        self._emit(Op.ATOMIC_RMW, type_id, [pointer, value], aux=ops[at], aux_type=type_id)

    def _fence(self, ops: list[int]) -> None:
        self._emit(Op.FENCE, -1, [])

    def _va_arg(self, ops: list[int]) -> None:
        self._emit(Op.VA_ARG, ops[2], [self._relative(ops[1])])

    # Control -------------------------------------------------------------------------------------

    def _edge(self, block: int, kind: int, condition: int = -1, number: int = 0) -> None:
        self._add_edge((self._first_block + block, int(kind), condition, number))

    def _ret(self, ops: list[int]) -> None:
        self._emit(Op.RET, -1, [self._typed(ops, 0)[0]] if ops else [])

    def _br(self, ops: list[int]) -> None:
        if len(ops) == 1:
            self._add_edge((self._first_block + ops[0], _ALWAYS, -1, 0))
            self._add_row((_BR, -1, -1, 0, 0, -1, 0))
            return
        condition = self._relative(ops[2])
        self._edge(ops[0], _IF_TRUE, condition)
        self._edge(ops[1], _IF_FALSE, condition)
        self._emit(_BR, -1, [condition])

    def _switch(self, ops: list[int]) -> None:
        condition = self._relative(ops[1])
        wide: list[int] = []
        self._edge(ops[2], EdgeKind.DEFAULT, condition)
        for at in range(3, len(ops) - 1, 2):
            case = self._absolute(ops[at])
            number = self._unit.value_number.get(case)
            if number is None:  # a case of more than 64 bits
                wide.append(case)
                self._edge(ops[at + 1], EdgeKind.INDIRECT, condition)
            else:
                self._edge(ops[at + 1], EdgeKind.CASE, condition, number)
        self._emit(Op.SWITCH, -1, [condition, *wide])

    def _indirect_br(self, ops: list[int]) -> None:
        address = self._relative(ops[1])
        for block in ops[2:]:
            self._edge(block, EdgeKind.INDIRECT, address)
        self._emit(Op.INDIRECT_BR, -1, [address])

    def _unreachable(self, ops: list[int]) -> None:
        self._emit(Op.UNREACHABLE, -1, [])

    def _resume(self, ops: list[int]) -> None:
        self._emit(Op.RESUME, -1, [self._typed(ops, 0)[0]])

    def _phi(self, ops: list[int]) -> None:
        operands: list[int] = []
        blocks = self._rows.operand_block
        first = len(self._operands)
        for at in range(1, len(ops) - 1, 2):  # an odd last entry holds fast-math flags
            number = self._next - signed(ops[at])
            blocks[first + len(operands)] = self._first_block + ops[at + 1]
            operands.append(self._absolute(number))
        self._emit(_PHI, ops[0], operands)

    # Calls ---------------------------------------------------------------------------------------

    def _call(self, ops: list[int]) -> None:
        flags = ops[1]
        at = 3 if flags & _CALL_FMF else 2
        if not flags & _CALL_EXPLICIT_TYPE:
            raise BitstreamError("a call without a function type")
        kept = _MUST_TAIL if flags & _CALL_MUST_TAIL else 0
        self._call_with(_CALL, ops, at, ops[0], kept)

    def _invoke(self, ops: list[int]) -> None:
        if not ops[1] & _INVOKE_EXPLICIT_TYPE:
            raise BitstreamError("a call without a function type")
        self._edge(ops[2], EdgeKind.ALWAYS)
        self._edge(ops[3], EdgeKind.UNWIND)
        self._call_with(Op.INVOKE, ops, 4, ops[0], 0)

    def _callbr(self, ops: list[int]) -> None:
        count = ops[3]
        self._edge(ops[2], EdgeKind.INDIRECT)
        for block in ops[4 : 4 + count]:
            self._edge(block, EdgeKind.INDIRECT)
        self._call_with(Op.CALL_BR, ops, 4 + count, ops[0], 0)

    def _call_with(self, op: int, ops: list[int], at: int, attributes: int, flags: int) -> None:
        """The common tail of calls: function type, callee, arguments."""
        func_type = ops[at]
        callee, _, at = self._typed(ops, at + 1)
        if callee in self._copying:
            value = self._relative(ops[at])
            self._emit(Op.FREEZE, self._types.elem[func_type], [value])
            return
        operands = [callee]
        fixed = at + len(self._types.fields[func_type])
        for relative in ops[at:fixed]:
            operands.append(self._relative(relative))
        at, end = fixed, len(ops)
        while at < end:  # variadic arguments come with their types where undefined yet
            value, _, at = self._typed(ops, at)
            operands.append(value)
        result, metadata_params = self._call_shape(func_type)
        for index in metadata_params:
            operands[index + 1] = self.metadata_placeholder
        flags |= self._attributes.call_flags(attributes)
        passing = self._attributes.passing(attributes, self._types.size)
        first = len(self._operands) + 1
        for index, number in passing.items():
            self._rows.operand_number[first + index] = number
        self._emit(op, result, operands, flags, 0, func_type)

    def _call_shape(self, func_type: int) -> tuple[int, list[int]]:
        """The result type of a function type (-1: none), and which parameters are metadata."""
        known = self._call_shapes.get(func_type)
        if known is None:
            types = self._types
            fields = types.fields[func_type]
            others = [index for index, field in enumerate(fields) if types.kind[field] == _OTHER]
            result = types.elem[func_type]
            known = (-1 if types.kind[result] == _VOID else result), others
            self._call_shapes[func_type] = known
        return known

    def _landing_pad(self, ops: list[int]) -> None:
        operands: list[int] = []
        at = 3
        for _ in range(ops[2]):
            value, _, at = self._typed(ops, at + 1)
            operands.append(value)
        self._emit(Op.LANDING_PAD, ops[0], operands)
