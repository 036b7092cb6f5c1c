"""Calls through variables of files that are not given are calls of functions that are not known.

In:    the linked `Program`.     Out: it, with a declaration for what such a variable holds.
Example: `extern void *(*lib_malloc)(size_t); p = lib_malloc(n);` calls a function `lib_malloc`, as if
it were declared as one: models know it by that name, callers show what it does with what it is given.
The same for a member of a variable (`extern struct hooks hooks; hooks.release(p);` calls
`hooks.release`), where its name is known, and for a member of a struct that no file at hand defines a
variable of, nor stores into that member: `sys->alloc(sys, n)` calls `system.alloc`, unless the address
of a function of that type that is at hand is used somewhere. Only variables that no file at hand
defines or writes to.
Not modelled: that a variable may hold one function at one time and another later.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from heapflow.ir.kinds import CTypeKind, FuncFlag, GlobalFlag, Linkage, Op, TypeKind, ValueKind
from heapflow.ir.program import Functions, Program, Values
from heapflow.ir.table import I32, I64

_CALLS = (Op.CALL, Op.INVOKE, Op.CALL_BR)
_WRITES = (Op.STORE, Op.CMPXCHG, Op.ATOMIC_RMW)


@dataclass(frozen=True, slots=True)
class _Held:
    """What lies at an offset of a variable, or of all structs of a kind, called with one type."""

    variable: int  # its number; of structs ~ the number of their LLVM type
    offset: int
    type: int  # the call's FUNC type


def with_hooks(program: Program) -> Program:
    """The program with such calls naming a function."""
    variables = _elsewhere(program)
    places = _places(program, variables)
    held = _calls(program, places)
    if not held:
        return program
    numbers = {one: number for number, one in enumerate(dict.fromkeys(held.values()))}
    names = dict(zip(program.strings, range(len(program.strings)), strict=True))
    functions = _with_functions(program, list(numbers), names)
    values = _with_values(program, len(numbers), held, numbers)
    operand = program.instrs.operand.copy()
    first = len(program.values)
    for row, one in held.items():
        operand[program.instrs.operand_start[row]] = first + numbers[one]
    instrs = replace(program.instrs, operand=operand)
    return replace(program, strings=tuple(names), functions=functions, values=values, instrs=instrs)


def _elsewhere(program: Program) -> set[int]:
    """Variables that no file at hand defines."""
    table = program.globals
    known = table.alternative_start[1:] > table.alternative_start[:-1]
    declared = (table.flags & int(GlobalFlag.DECLARATION)) != 0
    return set(np.flatnonzero(declared & ~known & (table.aliasee < 0)).tolist())


def _places(program: Program, variables: set[int]) -> dict[int, tuple[int, int]]:
    """Values that are the address of such a variable or of a member of it: variable, offset."""
    values, rows = program.values, program.const_exprs
    found: dict[int, tuple[int, int]] = {}
    for value in np.flatnonzero(values.kind == ValueKind.GLOBAL).tolist():
        if int(values.index[value]) in variables:
            found[value] = int(values.index[value]), 0
    for value in np.flatnonzero(values.kind == ValueKind.CONST_EXPR).tolist():
        row = int(values.index[value])
        first, last = int(rows.operand_start[row]), int(rows.operand_start[row + 1])
        base = int(rows.operand[first]) if last > first else -1
        if rows.op[row] == Op.GEP and last == first + 1 and base in found:
            variable, offset = found[base]
            found[value] = variable, offset + int(rows.aux[row]) + int(rows.aux2[row])
    starts = program.instrs.operand_start
    for row in np.flatnonzero(program.instrs.op == Op.GEP).tolist():
        base = int(program.instrs.operand[starts[row]])
        if base in found and starts[row + 1] == starts[row] + 1:
            variable, offset = found[base]
            steps = int(program.instrs.aux[row]) + int(program.instrs.aux2[row])
            found[int(program.instrs.result[row])] = variable, offset + steps
    return _members_of_structs(program) | found


def _members_of_structs(program: Program) -> dict[int, tuple[int, int]]:
    """Values that are the address of a member: ~ the struct, offset. Not of structs of which a file
    at hand defines a variable: its initialiser may fill the member."""
    instrs, types = program.instrs, program.types
    starts, filled = instrs.operand_start, _kinds_of_variables(program)
    found: dict[int, tuple[int, int]] = {}
    for row in np.flatnonzero(instrs.op == Op.GEP).tolist():
        struct = int(instrs.aux_type[row])
        is_member = struct >= 0 and types.kind[struct] == TypeKind.STRUCT
        if is_member and struct not in filled and starts[row + 1] == starts[row] + 1:
            found[int(instrs.result[row])] = ~struct, int(instrs.aux[row])
    return found


def _kinds_of_variables(program: Program) -> set[int]:
    """Structs that variables which are defined here consist of."""
    types, table = program.types, program.globals
    declared = (table.flags & int(GlobalFlag.DECLARATION)) != 0
    work = list({int(one) for one in table.type[~declared]})
    found = set(work)
    while work:
        one = work.pop()
        inner = types.field_type[types.field_start[one] : types.field_start[one + 1]].tolist()
        inner += [int(types.elem[one])] if types.kind[one] == TypeKind.ARRAY else []
        new = [part for part in inner if part >= 0 and part not in found]
        found.update(new)
        work += new
    return found


def _calls(program: Program, places: dict[int, tuple[int, int]]) -> dict[int, _Held]:
    """Calls of what was loaded from such a place, where nobody at hand writes to the variable."""
    instrs, values = program.instrs, program.values
    starts = instrs.operand_start
    written = {
        places[pointer] if places[pointer][0] < 0 else places[pointer][0]
        for row in np.flatnonzero(np.isin(instrs.op, _WRITES)).tolist()
        if (pointer := int(instrs.operand[starts[row]])) in places
    }
    own = _types_of_own(program, places)
    found: dict[int, _Held] = {}
    types: dict[tuple[int, int], int] = {}
    for row in np.flatnonzero(np.isin(instrs.op, _CALLS)).tolist():
        callee = int(instrs.operand[starts[row]])
        if values.kind[callee] != ValueKind.INSTR:
            continue
        load = int(values.index[callee])
        place = (
            places.get(int(instrs.operand[starts[load]])) if instrs.op[load] == Op.LOAD else None
        )
        if place is None or place[0] in written or place in written:
            continue
        called_as = int(instrs.aux_type[row])
        if not _name(program, place) or (place[0] < 0 and called_as in own):
            continue
        if types.setdefault(place, called_as) == called_as:
            found[row] = _Held(*place, called_as)
    return found


def _types_of_own(program: Program, places: dict[int, tuple[int, int]]) -> set[int]:
    """Types of functions with a body here whose address goes elsewhere than by a store into a member
    that is known: any member may hold one of them, as an initialiser is copied as bytes."""
    instrs, values, table = program.instrs, program.values, program.functions
    is_func = values.kind == ValueKind.FUNCTION
    used = [program.const_exprs.operand, program.globals.init_value]
    used = [one[(one >= 0)] for one in used]
    positions = np.flatnonzero(is_func[np.maximum(instrs.operand, 0)] & (instrs.operand >= 0))
    rows = np.searchsorted(instrs.operand_start, positions, side="right") - 1
    for position, row in zip(positions.tolist(), rows.tolist(), strict=True):
        first = int(instrs.operand_start[row])
        is_callee = instrs.op[row] in _CALLS and position == first
        is_seen = instrs.op[row] == Op.STORE and int(instrs.operand[first]) in places
        if not (is_callee or is_seen):
            used.append(instrs.operand[position : position + 1])
    found = np.unique(np.concatenate(used))
    funcs = values.index[found[is_func[found]]]
    has_body = (table.flags[funcs] & int(FuncFlag.DECLARATION)) == 0
    return set(table.type[funcs[has_body]].tolist())


def _with_functions(program: Program, held: list[_Held], names: dict[str, int]) -> Functions:
    """A declaration for each."""
    table, variables = program.functions, program.globals
    count = len(held)
    none = [-1] * count
    rows = np.array([max(one.variable, 0) for one in held], dtype=np.int64)
    is_variable = np.array([one.variable >= 0 for one in held])
    places = [(one.variable, one.offset) for one in held]
    called = [names.setdefault(_name(program, place), len(names)) for place in places]
    prototypes = [_prototype(program, _member(program, place)[1]) for place in places]

    def of_variable(column: I32) -> object:
        return np.where(is_variable, column[rows], 0) if len(column) else [0] * count

    def longer(column: I32, added: object) -> I32:
        return np.concatenate([column, np.asarray(added, dtype=column.dtype)])

    def ends(column: I64) -> I64:
        return np.concatenate([column, np.full(count, column[-1], dtype=column.dtype)])

    return replace(
        table,
        name=longer(table.name, called),
        module=longer(table.module, of_variable(variables.module)),
        type=longer(table.type, [one.type for one in held]),
        ctype=longer(table.ctype, none),
        prototype=longer(table.prototype, prototypes),
        const_pointees=np.concatenate([table.const_pointees, np.zeros(count, dtype=np.int64)]),
        linkage=np.concatenate(
            [table.linkage, np.full(count, int(Linkage.EXTERNAL), dtype=table.linkage.dtype)]
        ),
        flags=np.concatenate(
            [table.flags, np.full(count, int(FuncFlag.DECLARATION), dtype=table.flags.dtype)]
        ),
        aliasee=longer(table.aliasee, none),
        file=longer(table.file, of_variable(variables.file)),
        line=longer(table.line, of_variable(variables.line)),
        block_start=ends(table.block_start),
        param_start=ends(table.param_start),
        alternative_start=ends(table.alternative_start),
    )


def _with_values(
    program: Program, count: int, held: dict[int, _Held], numbers: dict[_Held, int]
) -> Values:
    """The functions as operands."""
    table, instrs = program.values, program.instrs
    types = np.zeros(count, dtype=table.type.dtype)
    for row, one in held.items():
        types[numbers[one]] = table.type[instrs.operand[instrs.operand_start[row]]]
    first = len(program.functions)
    return Values(
        kind=np.concatenate(
            [table.kind, np.full(count, int(ValueKind.FUNCTION), dtype=table.kind.dtype)]
        ),
        type=np.concatenate([table.type, types]),
        index=np.concatenate([table.index, np.arange(first, first + count, dtype=np.int32)]),
        number=np.concatenate([table.number, np.zeros(count, dtype=np.int64)]),
        name=np.concatenate([table.name, np.zeros(count, dtype=np.int32)]),
    )


def _name(program: Program, place: tuple[int, int]) -> str:
    """The variable's name, or the struct's, with that of the member; "" if it is not known."""
    variable, offset = place
    if variable < 0:
        member, ctype = _member(program, place)
        struct = program.strings[program.ctypes.name[int(program.types.ctype[~variable])]]
        is_function = bool(member) and _prototype(program, ctype) >= 0
        return f"{struct}.{member}" if is_function and struct else ""
    name, types, whole = (
        program.global_name(variable),
        program.types,
        program.globals.type[variable],
    )
    if types.kind[whole] == TypeKind.POINTER:
        return name if offset == 0 else ""
    member, _ = _member(program, place)
    return f"{name}.{member}" if member else ""


def _member(program: Program, place: tuple[int, int]) -> tuple[str, int]:
    """Name and C type of what lies there; "" for the variable itself, -1 if nothing tells it."""
    variable, offset = place
    table, ctype = program.ctypes, int(program.globals.ctype[variable]) if variable >= 0 else -1
    if ctype < 0:
        whole = int(program.globals.type[variable]) if variable >= 0 else ~variable
        ctype = int(program.types.ctype[whole])
    if ctype < 0 or table.kind[ctype] not in (CTypeKind.STRUCT, CTypeKind.UNION):
        return "", ctype
    for row in range(int(table.member_start[ctype]), int(table.member_start[ctype + 1])):
        if table.member_offset[row] == offset:
            return program.strings[table.member_name[row]], int(table.member_type[row])
    return "", -1


def _prototype(program: Program, ctype: int) -> int:
    """The function type that a pointer's type leads to."""
    table = program.ctypes
    if ctype < 0 or table.kind[ctype] != CTypeKind.POINTER:
        return -1
    target = int(table.elem[ctype])
    return target if target >= 0 and table.kind[target] == CTypeKind.FUNC else -1
