"""Freeze the lists of the readers into the tables of a `Program`."""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heapflow.frontend.bitcode.bitstream import BitstreamError
from heapflow.frontend.bitcode.constants import BlockAddress
from heapflow.frontend.bitcode.debug import DebugReader
from heapflow.frontend.bitcode.rows import Bodies
from heapflow.frontend.bitcode.symbols import Symbol, Symbols
from heapflow.frontend.bitcode.unit import ROW_WIDTH, Unit, integers, offsets_from_counts
from heapflow.ir.kinds import CALLS, FuncFlag, GlobalFlag, TypeKind, ValueKind
from heapflow.ir.program import (
    Bindings,
    Blocks,
    Functions,
    Globals,
    Locs,
    Modules,
    Operations,
    Params,
    Program,
    Types,
    Values,
    Variables,
)

_MOST_INIT_LEAVES = 2_000_000  # of one unit: a larger table is data, not pointers
Place = tuple[int, int, int]  # file, line, C type
_NOWHERE: Place = (0, 0, -1)
_ALIAS_FLAGS = int(FuncFlag.ALIAS | FuncFlag.DECLARATION)
_ADDRESS_TAKEN, _DECLARATION = int(FuncFlag.ADDRESS_TAKEN), int(FuncFlag.DECLARATION)
_GLOBAL_ALIAS, _INCOMPLETE = int(GlobalFlag.ALIAS), int(GlobalFlag.INCOMPLETE)
_IS_CALL = np.zeros(256, dtype=bool)
_IS_CALL[[int(op) for op in CALLS]] = True
_NULL, _UNDEF, _INT = int(ValueKind.NULL), int(ValueKind.UNDEF), int(ValueKind.INT)


def finish_program(
    unit: Unit,
    symbols: Symbols,
    bodies: Bodies,
    block_addresses: list[BlockAddress],
    debug: DebugReader,
    source: str,
) -> Program:
    """All tables of the unit."""
    order, targets = _order_symbols(unit, symbols)
    _resolve_block_addresses(unit, symbols, bodies, block_addresses)
    places = debug.global_places()
    globals_table = _globals(unit, symbols, targets, places)
    instr_start = np.array([0, *bodies.block_instr_end], dtype=np.int64)
    per_block = np.diff(instr_start)
    instrs = bodies.instrs.freeze(np.repeat(np.arange(len(per_block)), per_block))
    const_exprs = unit.const_exprs.freeze(np.full(len(unit.const_exprs), -1))
    taken = _address_taken(unit, instrs, const_exprs, globals_table)
    functions = _functions(unit, symbols, order, targets, bodies, debug, taken)
    params = _params(symbols, debug, functions)
    types = _types(unit, debug.ctypes.of_llvm_types())
    source_id = unit.string(source)
    # Everything that interns strings is done by now.
    return Program(
        strings=tuple(unit.strings),
        modules=Modules(
            np.array([source_id], dtype=np.int32),
            np.zeros(1, dtype=np.uint8),
            np.zeros(2, dtype=np.int64),
            np.zeros(0, dtype=np.int32),
        ),
        types=types,
        ctypes=debug.ctypes.freeze(),
        values=_values(unit),
        functions=functions,
        params=params,
        globals=globals_table,
        blocks=_blocks(bodies, instr_start),
        instrs=instrs,
        const_exprs=const_exprs,
        locs=Locs(*_columns(debug.locs, ("i4", "i4", "i4", "i4"))),
        variables=Variables(*_columns([*chain.from_iterable(debug.variables)], ("i4",) * 5)),
        bindings=Bindings(*_columns(debug.bindings, ("i4", "i4", "i4", "u1", "i8"))),
        unread=tuple(sorted(unit.unread.items())),
    )


def _columns(flat: list[int], dtypes: tuple[str, ...]) -> list[NDArray[Any]]:
    """Columns of a table whose rows lie one after the other in a list."""
    width = len(dtypes)
    table = integers(flat, np.int64).reshape(len(flat) // width, width)
    return [table[:, at].astype(dtype) for at, dtype in enumerate(dtypes)]


def _order_symbols(unit: Unit, symbols: Symbols) -> tuple[list[Symbol], dict[int, int]]:
    """Function rows (bodies, declarations, aliases) and, per alias value, the function or global.

    Values of functions, globals and aliases get their final kind and index here.
    """
    declared = [s for s in symbols.functions if s.flags & _DECLARATION]
    order = [*symbols.defined, *declared]
    for index, symbol in enumerate(order):
        unit.value_index[symbol.number] = index
    for index, symbol in enumerate(symbols.globals):
        unit.value_index[symbol.number] = index
    targets: dict[int, int] = {}
    for alias in symbols.aliases:
        value = _alias_target(unit, alias.target)
        targets[alias.number] = value
        unit.value_kind[alias.number] = unit.value_kind[value]
        unit.value_index[alias.number] = unit.value_index[value]
        if unit.value_kind[value] == ValueKind.FUNCTION:
            order.append(alias)
    return order, targets


def _alias_target(unit: Unit, value: int) -> int:
    """Look through casts and address arithmetic to the function or global that is meant."""
    for _ in range(64):
        if unit.value_kind[value] != ValueKind.CONST_EXPR:
            return value
        rows = unit.const_exprs
        row = unit.value_index[value]
        first = sum(rows.rows[ROW_WIDTH - 1 : row * ROW_WIDTH : ROW_WIDTH])  # aliases are few
        value = rows.operands[first]
    raise BitstreamError("an alias refers to itself")


def _resolve_block_addresses(
    unit: Unit, symbols: Symbols, bodies: Bodies, block_addresses: list[BlockAddress]
) -> None:
    first_block: dict[int, int] = {}
    for block, func in enumerate(bodies.block_func):
        first_block.setdefault(func, block)
    for value, func_number, block in block_addresses:
        func = unit.value_index[func_number]
        unit.value_index[value] = first_block.get(func, -1 - block) + block


def _globals(
    unit: Unit, symbols: Symbols, targets: dict[int, int], places: dict[int, Place]
) -> Globals:
    rows = list(symbols.globals)
    alias_rows = [
        alias
        for alias in symbols.aliases
        if unit.value_kind[targets[alias.number]] == ValueKind.GLOBAL
    ]
    leaves: list[int] = []
    counts: list[int] = []
    for symbol in rows:
        before = len(leaves)
        if symbol.init >= 0 and not _flatten(unit, symbol.init, leaves):
            symbol.flags |= _INCOMPLETE
        counts.append((len(leaves) - before) // 2)
    counts += [0] * len(alias_rows)
    rows += alias_rows
    place = [places.get(symbol.number, _NOWHERE) for symbol in rows]
    aliasees = [
        unit.value_index[targets[symbol.number]] if symbol.target >= 0 else -1 for symbol in rows
    ]
    flags = [symbol.flags | (_GLOBAL_ALIAS if symbol.target >= 0 else 0) for symbol in rows]
    offsets, values = _columns(leaves, ("i8", "i4"))
    return Globals(
        name=_i32(unit.string(symbol.name) for symbol in rows),
        module=np.zeros(len(rows), dtype=np.int32),
        type=_i32(symbol.type for symbol in rows),
        ctype=_i32(p[2] for p in place),
        linkage=np.array([symbol.linkage for symbol in rows], dtype=np.uint8),
        flags=np.array(flags, dtype=np.uint8),
        align=_i32(symbol.align for symbol in rows),
        aliasee=_i32(aliasees),
        file=_i32(p[0] for p in place),
        line=_i32(p[1] for p in place),
        init_start=offsets_from_counts(counts),
        init_offset=offsets,
        init_value=values,
        alternative_start=np.zeros(len(rows) + 1, dtype=np.int64),
        alternative=np.zeros(0, dtype=np.int32),
    )


def _i32(values: Any) -> NDArray[np.int32]:
    return np.array(list(values), dtype=np.int32)


def _flatten(unit: Unit, root: int, leaves: list[int]) -> bool:
    """Append (offset, value) of the non-zero scalars and strings of an initialiser, in order.

    False if some are left out, because there are too many.
    """
    stack = [(root, 0)]
    is_complete = True
    while stack:
        value, offset = stack.pop()
        kind = unit.value_kind[value]
        elements = unit.elements.get(value)
        if elements is not None:
            if len(leaves) // 2 + len(elements) > _MOST_INIT_LEAVES:
                unit.unread["initialiser larger than the limit"] += 1
                is_complete = False
                continue
            stack.extend(reversed(_element_offsets(unit, value, elements, offset)))
        elif kind in (_NULL, _UNDEF) or (kind == _INT and not unit.value_number[value]):
            continue
        else:
            leaves += (offset, value)
    return is_complete


def _element_offsets(
    unit: Unit, value: int, elements: list[int], base: int
) -> list[tuple[int, int]]:
    types = unit.types
    type_id = unit.value_type[value]
    if types.kind[type_id] == TypeKind.STRUCT:
        offsets = types.offsets[type_id]
        return [(e, base + o) for e, o in zip(elements, offsets, strict=True)]
    step = types.size[types.elem[type_id]]
    return [(element, base + index * step) for index, element in enumerate(elements)]


def _address_taken(
    unit: Unit, instrs: Operations, const_exprs: Operations, globals_table: Globals
) -> set[int]:
    """Functions used as a value, not only called."""
    kinds = integers(unit.value_kind, np.uint8)
    is_use = np.ones(len(instrs.operand), dtype=bool)
    is_call = _IS_CALL[instrs.op]
    is_use[instrs.operand_start[:-1][is_call]] = False  # the callee
    uses = np.concatenate([instrs.operand[is_use], const_exprs.operand, globals_table.init_value])
    found = set(uses[kinds[uses] == ValueKind.FUNCTION].tolist())
    return {unit.value_index[value] for value in found}


def _functions(
    unit: Unit,
    symbols: Symbols,
    order: list[Symbol],
    targets: dict[int, int],
    bodies: Bodies,
    debug: DebugReader,
    taken: set[int],
) -> Functions:
    count = len(order)
    place = [debug.func_place.get(index, _NOWHERE) for index in range(count)]
    declared = debug.declarations()
    prototype = [
        declared.get(symbol.number, (place[index][2], debug.func_const.get(index, 0)))
        for index, symbol in enumerate(order)
    ]
    block_counts = np.bincount(np.array(bodies.block_func, dtype=np.int64), minlength=count)
    param_counts = symbols.param_counts + [0] * (count - len(symbols.param_counts))
    flags = []
    for index, symbol in enumerate(order):
        alias = _ALIAS_FLAGS if symbol.target >= 0 else 0
        used = _ADDRESS_TAKEN if index in taken else 0
        flags.append(symbol.flags | alias | used)
    aliasees = [
        unit.value_index[targets[symbol.number]] if symbol.target >= 0 else -1 for symbol in order
    ]
    return Functions(
        name=_i32(unit.string(symbol.name) for symbol in order),
        module=np.zeros(count, dtype=np.int32),
        type=_i32(symbol.type for symbol in order),
        ctype=_i32(p[2] for p in place),
        prototype=_i32(ctype for ctype, _ in prototype),
        const_pointees=np.array([const for _, const in prototype], dtype=np.int64),
        linkage=np.array([symbol.linkage for symbol in order], dtype=np.uint8),
        flags=np.array(flags, dtype=np.uint16),
        aliasee=_i32(aliasees),
        file=_i32(p[0] for p in place),
        line=_i32(p[1] for p in place),
        block_start=offsets_from_counts(block_counts),
        param_start=offsets_from_counts(param_counts),
        alternative_start=np.zeros(count + 1, dtype=np.int64),
        alternative=np.zeros(0, dtype=np.int32),
    )


def _params(symbols: Symbols, debug: DebugReader, functions: Functions) -> Params:
    """Parameters with the C types of the variables that the source declares for them."""
    ctype_of: dict[tuple[int, int], int] = {}
    for _, func, ctype, _, arg in debug.variables:
        if arg:
            ctype_of[func, arg] = ctype
    value_arg: dict[int, int] = {}
    rows = iter(debug.bindings)
    for value, variable, _, kind, offset in zip(*[rows] * 5, strict=True):
        arg = debug.variables[variable][4]
        if arg and not kind and not offset:
            value_arg.setdefault(value, arg)
    ctypes = [ctype_of.get((p.func, value_arg.get(p.value, 0)), -1) for p in symbols.params]
    return Params(
        func=_i32(p.func for p in symbols.params),
        value=_i32(p.value for p in symbols.params),
        flags=np.array([p.flags for p in symbols.params], dtype=np.uint8),
        pointee=_i32(p.pointee for p in symbols.params),
        ctype=_i32(ctypes),
    )


def _types(unit: Unit, ctype_of_type: list[int]) -> Types:
    types = unit.types
    flat = [f for fields in types.fields for f in fields]
    offsets = [
        offset
        for fields, known in zip(types.fields, types.offsets, strict=True)
        for offset in (known or [0] * len(fields))
    ]
    return Types(
        kind=np.array(types.kind, dtype=np.uint8),
        bits=_i32(types.bits),
        size=np.array(types.size, dtype=np.int64),
        elem=_i32(types.elem),
        count=np.array([min(c, (1 << 63) - 1) for c in types.count], dtype=np.int64),
        name=_i32(unit.string(name) for name in types.name),
        ctype=_i32(ctype_of_type),
        field_start=offsets_from_counts([len(fields) for fields in types.fields]),
        field_type=_i32(flat),
        field_offset=np.array(offsets, dtype=np.int64),
    )


def _values(unit: Unit) -> Values:
    count = len(unit.value_kind)
    number = np.zeros(count, dtype=np.int64)
    name = np.zeros(count, dtype=np.int32)
    for array, entries in ((number, unit.value_number), (name, unit.value_name)):
        if entries:
            where = np.fromiter(entries.keys(), dtype=np.int64, count=len(entries))
            array[where] = np.array(list(entries.values()), dtype=np.int64)
    return Values(
        kind=integers(unit.value_kind, np.uint8),
        type=integers(unit.value_type, np.int32),
        index=integers(unit.value_index, np.int32),
        number=number,
        name=name,
    )


def _blocks(bodies: Bodies, instr_start: NDArray[np.int64]) -> Blocks:
    target, kind, condition, number = _columns(bodies.edges, ("i4", "u1", "i4", "i8"))
    return Blocks(
        func=integers(bodies.block_func, np.int32),
        instr_start=instr_start,
        edge_start=np.array([0, *bodies.block_edge_end], dtype=np.int64) // 4,
        edge_target=target,
        edge_kind=kind,
        edge_condition=condition,
        edge_number=number,
    )
