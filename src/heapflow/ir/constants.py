"""What constants are: numbers, bytes, masks.

In:    Program, a value.     Out: Python numbers and bytes; None where the tables do not say.
Bytes are in the order of a little-endian machine's memory, whatever the target.
"""

from __future__ import annotations

import struct

from heapflow.ir.kinds import Op, TypeKind, ValueKind
from heapflow.ir.program import Program

# Plain numbers: looking up a member of an enumeration costs more than what is done with it.
_INT, _NULL, _CONST_EXPR = int(ValueKind.INT), int(ValueKind.NULL), int(ValueKind.CONST_EXPR)
_KEPT = frozenset(int(kind) for kind in (ValueKind.FLOAT, ValueKind.WIDE_INT, ValueKind.BYTES))
_IEEE = {16: "<e", 32: "<f", 64: "<d"}


def constant_number(program: Program, value: int) -> int | None:
    """An integer constant of any width, as a signed number."""
    match program.values.kind[value]:
        case ValueKind.INT:
            return int(program.values.number[value])
        case ValueKind.WIDE_INT:
            return int.from_bytes(_kept_bytes(program, value), "little", signed=True)
        case _:
            return None


def constant_bytes(program: Program, value: int) -> bytes | None:
    """The memory that a constant fills, `Types.size` bytes of its type, padding as zeros.

    None for addresses, undefined values, vectors of bits, and what contains one of these.
    """
    type_id = int(program.values.type[value])
    size = int(program.types.size[type_id])
    kind = int(program.values.kind[value])
    if kind == _INT:
        number = int(program.values.number[value])
        return (number & ((1 << int(program.types.bits[type_id])) - 1)).to_bytes(size, "little")
    if kind in _KEPT:
        return _kept_bytes(program, value).ljust(size, b"\0")
    if kind == _NULL:
        return bytes(max(size, 0))
    return _aggregate_bytes(program, value, size) if kind == _CONST_EXPR else None


def _aggregate_bytes(program: Program, value: int, size: int) -> bytes | None:
    types, rows, row = program.types, program.const_exprs, int(program.values.index[value])
    type_id = program.values.type[value]
    if rows.op[row] != Op.AGGREGATE:
        return None
    if types.kind[type_id] == TypeKind.VECTOR and types.bits[types.elem[type_id]] % 8:
        return None
    memory = bytearray(size)
    for at in range(int(rows.operand_start[row]), int(rows.operand_start[row + 1])):
        part = constant_bytes(program, int(rows.operand[at]))
        if part is None:
            return None
        offset = int(rows.operand_number[at])
        memory[offset : offset + len(part)] = part
    return bytes(memory)


def constant_elements(program: Program, value: int) -> list[bytes | None] | None:
    """The elements of a constant vector or array, each as `constant_bytes`; None if it is neither."""
    types, type_id = program.types, int(program.values.type[value])
    if types.kind[type_id] not in (TypeKind.VECTOR, TypeKind.ARRAY):
        return None
    count, size = int(types.count[type_id]), int(types.size[types.elem[type_id]])
    kind, row = program.values.kind[value], int(program.values.index[value])
    if kind == ValueKind.UNDEF:
        return [None] * count
    if kind == ValueKind.NULL:
        return [bytes(size)] * count
    if kind == ValueKind.BYTES:
        data = _kept_bytes(program, value).ljust(size * count, b"\0")
        return [data[at * size : (at + 1) * size] for at in range(count)]
    rows = program.const_exprs
    if kind != ValueKind.CONST_EXPR or rows.op[row] != Op.AGGREGATE:
        return None
    elements = rows.operand[rows.operand_start[row] : rows.operand_start[row + 1]].tolist()
    return [constant_bytes(program, element) for element in elements]


def shuffle_mask(program: Program, instr: int) -> list[int]:
    """For each element of a SHUFFLE_VECTOR's result, its number in left ++ right; -1 undefined."""
    elements = constant_elements(program, program.operands(instr)[2])
    if elements is None:
        raise ValueError(f"instruction {instr} has no constant mask")
    return [-1 if element is None else int.from_bytes(element, "little") for element in elements]


def constant_text(program: Program, value: int) -> str:
    """A number for people to read; floats that Python does not have by their bits."""
    number = constant_number(program, value)
    if number is not None:
        return str(number)
    data, type_id = _kept_bytes(program, value), int(program.values.type[value])
    bits = int(program.types.bits[type_id])
    if bits in _IEEE and not program.types.count[type_id]:
        return repr(struct.unpack(_IEEE[bits], data)[0])
    return f"f{bits} 0x{data[::-1].hex()}"


def _kept_bytes(program: Program, value: int) -> bytes:
    return program.strings[int(program.values.index[value])].encode("latin-1")
