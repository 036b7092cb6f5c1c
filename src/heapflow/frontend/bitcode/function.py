"""Function bodies: records to instructions, blocks and CFG edges.

In:    a FUNCTION block.     Out: rows in `Bodies`.
Value numbers in records are relative to the current instruction; a number that is not yet defined
(a forward reference) is followed by its type. Ours are LLVM's numbers shifted by a constant per
function, so a forward reference needs no patching.
Guarantees: one row per LLVM instruction, in order; a record that is not understood is counted by
kind in `Unit.unread` and, if it ends a block or defines a value, raises `BitcodeError`, because
every later number would be wrong.
"""

from __future__ import annotations

from collections.abc import Callable

from heapflow.frontend.bitcode.attributes import AttributeReader
from heapflow.frontend.bitcode.bitstream import SUBBLOCK, Bitstream, BitstreamError, BlockRef
from heapflow.frontend.bitcode.codes import (
    CAST_OPS,
    FLOAT_BINARY_OPS,
    IGNORED_BLOCKS,
    INT_BINARY_OPS,
    Attr,
    Block,
    Fun,
)
from heapflow.frontend.bitcode.constants import ConstantReader
from heapflow.frontend.bitcode.debug import DebugReader
from heapflow.frontend.bitcode.gep import split_gep
from heapflow.frontend.bitcode.unit import OperationRows, Unit, signed
from heapflow.ir.kinds import AccessFlag, CallFlag, EdgeKind, Op, TypeKind, ValueKind

_TERMINATORS = frozenset(
    {
        Fun.RET,
        Fun.BR,
        Fun.SWITCH,
        Fun.INDIRECTBR,
        Fun.INVOKE,
        Fun.UNREACHABLE,
        Fun.RESUME,
        Fun.CALLBR,
    }
)
_CALL_EXPLICIT_TYPE, _CALL_FMF, _CALL_MUST_TAIL = 1 << 15, 1 << 17, 1 << 14
_INVOKE_EXPLICIT_TYPE, _CALLBR_EXPLICIT_TYPE = 1 << 13, 1 << 1
Edge = tuple[int, int, int, int]  # target block, EdgeKind, condition value, case number


class Bodies:
    """Blocks, edges and instructions of all functions of a unit."""

    def __init__(self) -> None:
        self.instrs = OperationRows()
        self.block_func: list[int] = []
        self.block_instr_end: list[int] = []
        self.block_edges: list[list[Edge]] = []


class FunctionReader:
    """Reads one body after the other into `Bodies`."""

    def __init__(
        self,
        unit: Unit,
        stream: Bitstream,
        attributes: AttributeReader,
        constants: ConstantReader,
        debug: DebugReader,
    ) -> None:
        self._unit = unit
        self._types = unit.types
        self._stream = stream
        self._attributes = attributes
        self._constants = constants
        self._debug = debug
        self.bodies = Bodies()
        self._value_type = unit.value_type
        self._rows = self.bodies.instrs
        self._operands = self._rows.operands
        self._shift = 0  # our value id = LLVM's number + shift, for function-local values
        self._next = 0  # LLVM's number of the next value
        self._first_block = 0
        self._edges: list[Edge] = []
        self._struct_of_fields: dict[tuple[int, ...], int] = {}
        self._handlers: dict[int, Callable[[list[int]], None]] = {
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

    def read(self, block: BlockRef, func: int, params: list[int]) -> None:
        """Read the body of function `func`; its parameters are values already."""
        unit, debug = self._unit, self._debug
        shared = unit.module_values
        first_local = len(unit.value_kind) - len(params)
        self._shift = first_local - shared
        self._next = shared + len(params)
        self._first_block = len(self.bodies.block_func)
        debug.enter_function(func, shared, self._shift)
        block_count = 0
        loc = self._rows.loc
        handlers = self._handlers
        flat = self._stream.records(block)
        following, count = 0, len(flat)
        while following < count:
            at = following
            code, following = flat[at], flat[at + 1]
            ops = flat[at + 2 : following]
            if code == SUBBLOCK:
                self._inner_block(BlockRef(*ops))
                continue
            if code == Fun.DEBUG_LOC:
                loc[-1] = debug.location(ops)
            elif code == Fun.DEBUG_LOC_AGAIN:
                loc[-1] = debug.last_location
            elif code in handlers:
                handlers[code](ops)
                loc.append(-1)
                if code in _TERMINATORS:
                    self._end_block(func)
            elif code == Fun.DECLAREBLOCKS:
                block_count = ops[0]
            elif Fun.DEBUG_RECORD_VALUE <= code <= Fun.DEBUG_RECORD_DECLARE_VALUE:
                debug.variable_record(code, ops, len(self._rows.rows) - 1, self._next)
            elif code not in (Fun.OPERAND_BUNDLE, Fun.BLOCKADDR_USERS):
                raise BitstreamError(f"function record {code} is not understood")
        debug.leave_function()
        if len(self.bodies.block_func) - self._first_block != block_count:
            raise BitstreamError("a function has another number of blocks than it declares")

    def _inner_block(self, inner: BlockRef) -> None:
        if inner.block_id == Block.CONSTANTS:
            before = len(self._unit.value_kind)
            self._constants.read(self._stream, inner, self._absolute)
            self._next += len(self._unit.value_kind) - before
        elif inner.block_id == Block.METADATA:
            self._debug.metadata.read_function_block(inner)
        elif inner.block_id == Block.METADATA_ATTACHMENT:
            self._debug.read_attachments(inner)
        elif inner.block_id not in IGNORED_BLOCKS:
            self._unit.unread[f"function sub-block {inner.block_id}"] += 1

    def _end_block(self, func: int) -> None:
        self.bodies.block_func.append(func)
        self.bodies.block_instr_end.append(len(self._rows.rows))
        self.bodies.block_edges.append(self._edges)
        self._edges = []

    # Values ------------------------------------------------------------------------------------

    def _absolute(self, number: int) -> int:
        return number if number < self._unit.module_values else number + self._shift

    def _relative(self, relative: int) -> int:
        """Our id of a relative value number."""
        number = (self._next - relative) & 0xFFFF_FFFF
        return number if number < self._unit.module_values else number + self._shift

    def _typed(self, ops: list[int], at: int) -> tuple[int, int, int]:
        """(value, its type, position after it) of a relative number with optional type."""
        number = (self._next - ops[at]) & 0xFFFF_FFFF
        value = number if number < self._unit.module_values else number + self._shift
        if number < self._next:
            return value, self._value_type[value], at + 1
        return value, ops[at + 1], at + 2

    def _emit(
        self,
        op: int,
        type_id: int,
        operands: list[int],
        aux: int = 0,
        aux2: int = 0,
        aux_type: int = -1,
    ) -> None:
        """Append an instruction; `type_id` -1 means that it has no result."""
        rows = self._rows.rows
        result = -1
        if type_id >= 0:
            unit = self._unit
            result = len(unit.value_kind)
            unit.value_kind.append(0)  # ValueKind.INSTR
            self._value_type.append(type_id)
            unit.value_index.append(len(rows))
            self._next += 1
        rows.append((op, type_id, result, aux, aux2, aux_type, len(operands)))
        self._operands.extend(operands)

    # Arithmetic, casts, comparisons --------------------------------------------------------------

    def _binop(self, ops: list[int]) -> None:
        left, type_id, at = self._typed(ops, 0)
        right = self._relative(ops[at])
        code = ops[at + 1]
        scalar = self._scalar(type_id)
        if self._types.kind[scalar] == TypeKind.FLOAT:
            op = FLOAT_BINARY_OPS[code]
        else:
            op = INT_BINARY_OPS[code]
        self._emit(op, type_id, [left, right])

    def _scalar(self, type_id: int) -> int:
        is_vector = self._types.kind[type_id] == TypeKind.VECTOR
        return self._types.elem[type_id] if is_vector else type_id

    def _unop(self, ops: list[int]) -> None:
        value, type_id, _ = self._typed(ops, 0)
        self._emit(Op.FNEG, type_id, [value])

    def _cast(self, ops: list[int]) -> None:
        value, _, at = self._typed(ops, 0)
        self._emit(CAST_OPS[ops[at + 1]], ops[at], [value])

    def _cmp(self, ops: list[int]) -> None:
        left, type_id, at = self._typed(ops, 0)
        predicate = ops[at + 1]
        result = self._types.int1
        if self._types.kind[type_id] == TypeKind.VECTOR:
            result = self._vector_type(self._types.count[type_id], self._types.int1)
        op = Op.ICMP if predicate >= 32 else Op.FCMP
        self._emit(op, result, [left, self._relative(ops[at])], aux=predicate)

    def _vector_type(self, count: int, elem: int) -> int:
        types = self._types
        for type_id, kind in enumerate(types.kind):
            if kind != TypeKind.VECTOR or types.count[type_id] != count:
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
        self._emit(Op.ALLOCA, pointer, [count], aux=total, aux_type=allocated)

    def _load(self, ops: list[int]) -> None:
        pointer, _, at = self._typed(ops, 0)
        flags = AccessFlag.VOLATILE if ops[at + 2] else 0
        if len(ops) > at + 3:
            flags |= AccessFlag.ATOMIC
        self._emit(Op.LOAD, ops[at], [pointer], aux=int(flags), aux_type=ops[at])

    def _store(self, ops: list[int]) -> None:
        pointer, _, at = self._typed(ops, 0)
        value, type_id, at = self._typed(ops, at)
        flags = AccessFlag.VOLATILE if ops[at + 1] else 0
        if len(ops) > at + 2:
            flags |= AccessFlag.ATOMIC
        self._emit(Op.STORE, -1, [pointer, value], aux=int(flags), aux_type=type_id)

    def _gep(self, ops: list[int]) -> None:
        source_type = ops[1]
        base, base_type, at = self._typed(ops, 2)
        indices: list[int] = []
        result, end = base_type, len(ops)
        while at < end:
            index, index_type, at = self._typed(ops, at)
            indices.append(index)
            if self._types.kind[index_type] == TypeKind.VECTOR:
                result = self._vector_type(self._types.count[index_type], base_type)
        parts = split_gep(self._unit, source_type, indices)
        first = len(self._operands)
        self._emit(
            Op.GEP,
            result,
            [base, *parts.variables],
            parts.member_bytes,
            parts.array_bytes,
            source_type,
        )
        for position, stride in enumerate(parts.strides, 1):
            self._rows.operand_number[first + position] = stride

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
                if kind == TypeKind.STRUCT and tuple(types.fields[type_id]) == fields:
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

    def _edge(self, block: int, kind: EdgeKind, condition: int = -1, number: int = 0) -> None:
        self._edges.append((self._first_block + block, int(kind), condition, number))

    def _ret(self, ops: list[int]) -> None:
        self._emit(Op.RET, -1, [self._typed(ops, 0)[0]] if ops else [])

    def _br(self, ops: list[int]) -> None:
        if len(ops) == 1:
            self._edge(ops[0], EdgeKind.ALWAYS)
            self._emit(Op.BR, -1, [])
            return
        condition = self._relative(ops[2])
        self._edge(ops[0], EdgeKind.IF_TRUE, condition)
        self._edge(ops[1], EdgeKind.IF_FALSE, condition)
        self._emit(Op.BR, -1, [condition])

    def _switch(self, ops: list[int]) -> None:
        condition = self._relative(ops[1])
        self._edge(ops[2], EdgeKind.DEFAULT, condition)
        for at in range(3, len(ops) - 1, 2):
            number = self._unit.value_number.get(self._absolute(ops[at]))
            if number is None:  # a case of more than 64 bits
                self._unit.unread["switch case of more than 64 bits"] += 1
                self._edge(ops[at + 1], EdgeKind.INDIRECT, condition)
            else:
                self._edge(ops[at + 1], EdgeKind.CASE, condition, number)
        self._emit(Op.SWITCH, -1, [condition])

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
        self._emit(Op.PHI, ops[0], operands)

    # Calls ---------------------------------------------------------------------------------------

    def _call(self, ops: list[int]) -> None:
        flags = ops[1]
        at = 3 if flags & _CALL_FMF else 2
        if not flags & _CALL_EXPLICIT_TYPE:
            raise BitstreamError("a call without a function type")
        kept = CallFlag.MUST_TAIL if flags & _CALL_MUST_TAIL else 0
        self._call_with(Op.CALL, ops, at, ops[0], int(kept))

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

    def _call_with(self, op: Op, ops: list[int], at: int, attributes: int, flags: int) -> None:
        """The common tail of calls: function type, callee, arguments."""
        types = self._types
        func_type = ops[at]
        callee, _, at = self._typed(ops, at + 1)
        operands = [callee]
        fixed = types.fields[func_type]
        for relative in ops[at : at + len(fixed)]:
            operands.append(self._relative(relative))
        at += len(fixed)
        end = len(ops)
        while at < end:  # variadic arguments come with their types where undefined yet
            value, _, at = self._typed(ops, at)
            operands.append(value)
        attribute_list = self._attributes.numbered(attributes)
        if attribute_list.function(Attr.NO_RETURN):
            flags |= CallFlag.NO_RETURN
        if attribute_list.function(Attr.RETURNS_TWICE):
            flags |= CallFlag.RETURNS_TWICE
        for index, field_type in enumerate(fixed):
            if types.kind[field_type] == TypeKind.OTHER:  # metadata passed as a value
                operands[index + 1] = self._metadata_value(field_type)
        result = types.elem[func_type]
        if types.kind[result] == TypeKind.VOID:
            result = -1
        self._emit(op, result, operands, aux=int(flags), aux_type=func_type)

    def _metadata_value(self, type_id: int) -> int:
        """A placeholder for a metadata operand; it is not numbered among LLVM's values."""
        return self._debug.metadata_placeholder

    def _landing_pad(self, ops: list[int]) -> None:
        operands: list[int] = []
        at = 3
        for _ in range(ops[2]):
            value, _, at = self._typed(ops, at + 1)
            operands.append(value)
        self._emit(Op.LANDING_PAD, ops[0], operands)


__all__ = ["Bodies", "FunctionReader", "ValueKind"]
