"""The program tables as text that people and golden tests read: stable, no ids that move.

Values are written as in LLVM assembly, but with source names: %p is a parameter, %p.3 the value that
instruction 3 of the function defines for variable p, @g a global.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from heapflow.ir.constants import constant_text
from heapflow.ir.kinds import (
    CALLS,
    BindingKind,
    CallFlag,
    CmpPredicate,
    CTypeKind,
    EdgeKind,
    FuncFlag,
    GlobalFlag,
    Linkage,
    Op,
    ParamFlag,
    RmwOp,
    TypeKind,
    ValueKind,
)
from heapflow.ir.program import Operations, Program


def dump_program(program: Program) -> str:
    """All tables, function by function."""
    dumper = _Dumper(program)
    parts = [
        *dumper.types(),
        *dumper.globals(),
        *dumper.externals(),
        *(line for func in range(len(program.functions)) for line in dumper.function(func)),
    ]
    if program.unread:
        parts += ["not understood:", *(f"  {kind}: {count}" for kind, count in program.unread)]
    return "\n".join(parts) + "\n"


def program_stats(program: Program) -> str:
    """What `--stats` prints."""
    counts = program_counts(program)
    width = max(len(name) for name, _ in counts)
    return "".join(f"{name:<{width}}  {count:>9}\n" for name, count in counts)


def program_counts(program: Program) -> list[tuple[str, int]]:
    """Counts by name, in a fixed order."""
    ops = Counter(program.instrs.op.tolist())
    flags = program.functions.flags
    defined = int(((flags & FuncFlag.DECLARATION) == 0).sum())
    calls = sum(ops[int(op)] for op in CALLS)
    direct = sum(1 for kind, _ in _callees(program) if kind == ValueKind.FUNCTION)
    counts = [
        ("modules", len(program.modules)),
        ("functions with a body", defined),
        ("functions declared", len(program.functions) - defined),
        ("global variables", len(program.globals)),
        ("struct types", int((program.types.kind == TypeKind.STRUCT).sum())),
        ("blocks", len(program.blocks)),
        ("edges", len(program.blocks.edge_target)),
        ("instructions", len(program.instrs)),
        ("constant expressions", len(program.const_exprs)),
        ("calls", calls),
        ("calls, direct", direct),
        ("calls, indirect or assembly", calls - direct),
    ]
    counts += [(f"instructions {Op(op).name.lower()}", count) for op, count in sorted(ops.items())]
    counts += [(f"not understood: {kind}", count) for kind, count in program.unread]
    return counts


def _callees(program: Program) -> Iterator[tuple[int, int]]:
    instrs = program.instrs
    is_call = sum((instrs.op == int(op)) for op in CALLS).astype(bool)
    callees = instrs.operand[instrs.operand_start[:-1][is_call]]
    yield from zip(
        program.values.kind[callees].tolist(), program.values.index[callees].tolist(), strict=True
    )


class _Dumper:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.strings = program.strings
        self._first_instr = 0
        self._first_block = 0

    # Types ---------------------------------------------------------------------------------------

    def type_name(self, type_id: int) -> str:
        if type_id < 0:
            return "void"
        types = self.program.types
        kind = TypeKind(int(types.kind[type_id]))
        match kind:
            case TypeKind.INT:
                return f"i{types.bits[type_id]}"
            case TypeKind.FLOAT:
                return f"f{types.bits[type_id]}"
            case TypeKind.POINTER:
                return "ptr" if not types.bits[type_id] else f"ptr({types.bits[type_id]})"
            case TypeKind.ARRAY:
                return f"[{types.count[type_id]} x {self.type_name(int(types.elem[type_id]))}]"
            case TypeKind.VECTOR:
                return f"<{types.count[type_id]} x {self.type_name(int(types.elem[type_id]))}>"
            case TypeKind.STRUCT | TypeKind.OPAQUE:
                name = self.strings[types.name[type_id]]
                if name:
                    return f"%{name}"
                fields = types.field_type[
                    types.field_start[type_id] : types.field_start[type_id + 1]
                ]
                return "{" + ", ".join(self.type_name(int(f)) for f in fields) + "}"
            case TypeKind.FUNC:
                fields = types.field_type[
                    types.field_start[type_id] : types.field_start[type_id + 1]
                ]
                params = [self.type_name(int(f)) for f in fields]
                params += ["..."] if types.count[type_id] else []
                return f"{self.type_name(int(types.elem[type_id]))} ({', '.join(params)})"
            case _:
                return kind.name.lower()

    def ctype_name(self, ctype: int, depth: int = 0) -> str:
        if ctype < 0:
            return "void"
        ctypes = self.program.ctypes
        kind = CTypeKind(int(ctypes.kind[ctype]))
        name = self.strings[ctypes.name[ctype]]
        elem = int(ctypes.elem[ctype])
        match kind:
            case CTypeKind.POINTER:
                return f"{self.ctype_name(elem, depth + 1)}*" if depth < 8 else "…*"
            case CTypeKind.ARRAY:
                count = ctypes.count[ctype]
                return f"{self.ctype_name(elem, depth + 1)}[{count if count >= 0 else ''}]"
            case CTypeKind.FUNC:
                begin, end = ctypes.member_start[ctype], ctypes.member_start[ctype + 1]
                params = [self.ctype_name(int(m), depth + 1) for m in ctypes.member_type[begin:end]]
                return f"{self.ctype_name(elem, depth + 1)}({', '.join(params)})"
            case CTypeKind.STRUCT | CTypeKind.UNION | CTypeKind.ENUM:
                return f"{kind.name.lower()} {name}".strip()
            case _:
                return name or kind.name.lower()

    def types(self) -> Iterator[str]:
        types = self.program.types
        lines = []
        for type_id in range(len(types)):
            name = self.strings[types.name[type_id]]
            if types.kind[type_id] == TypeKind.STRUCT and name:
                lines.append((name, type_id))
        for name, type_id in sorted(lines):
            yield f"type %{name} size {types.size[type_id]}"
            ctype = int(types.ctype[type_id])
            begin, end = types.field_start[type_id], types.field_start[type_id + 1]
            for at in range(int(begin), int(end)):
                offset = int(types.field_offset[at])
                label = self.member_name(ctype, offset)
                yield f"  {offset:4}  {self.type_name(int(types.field_type[at]))}{label}"

    def member_name(self, ctype: int, offset: int) -> str:
        if ctype < 0:
            return ""
        ctypes = self.program.ctypes
        begin, end = int(ctypes.member_start[ctype]), int(ctypes.member_start[ctype + 1])
        names = [
            f"{self.strings[ctypes.member_name[m]]}: {self.ctype_name(int(ctypes.member_type[m]))}"
            for m in range(begin, end)
            if ctypes.member_offset[m] == offset
        ]
        return "  ; " + " | ".join(names) if names else ""

    # Symbols -------------------------------------------------------------------------------------

    def globals(self) -> Iterator[str]:
        table = self.program.globals
        for index in range(len(table)):
            flags = GlobalFlag(int(table.flags[index]))
            words = [Linkage(int(table.linkage[index])).name.lower()]
            words += [flag.name.lower() for flag in GlobalFlag if flag & flags and flag.name]
            place = self.place(int(table.file[index]), int(table.line[index]))
            yield (
                f"global @{self.strings[table.name[index]]}: {self.type_name(table.type[index])} "
                f"({' '.join(words)}){place}"
            )
            for at in range(int(table.init_start[index]), int(table.init_start[index + 1])):
                value = self.value(int(table.init_value[at]))
                yield f"  {int(table.init_offset[at]):4}  {value}"
            yield from self._alternatives(
                [
                    f"@{self.strings[table.name[a]]} of {self._module(int(table.module[a]))}"
                    for a in table.alternative[
                        table.alternative_start[index] : table.alternative_start[index + 1]
                    ].tolist()
                ]
            )

    def _alternatives(self, names: list[str]) -> Iterator[str]:
        if names:
            yield f"  may mean: {', '.join(names)}"

    def _module(self, module: int) -> str:
        source = self.strings[int(self.program.modules.source[module])]
        return source.rsplit("/", 1)[-1]

    def place(self, file: int, line: int) -> str:
        """Only the last part of the path: golden tests run in any directory."""
        name = self.strings[file].rsplit("/", 1)[-1]
        return f" at {name}:{line}" if name else ""

    def func_head(self, func: int) -> str:
        table = self.program.functions
        flags = FuncFlag(int(table.flags[func]))
        words = [Linkage(int(table.linkage[func])).name.lower()]
        words += [flag.name.lower() for flag in FuncFlag if flag & flags and flag.name]
        text = f"@{self.strings[table.name[func]]}: {self.type_name(int(table.type[func]))}"
        if table.aliasee[func] >= 0:
            text += f" = @{self.strings[table.name[table.aliasee[func]]]}"
        place = self.place(int(table.file[func]), int(table.line[func]))
        return f"{text} ({' '.join(words)}){place}"

    def externals(self) -> Iterator[str]:
        table = self.program.functions
        for func in range(len(table)):
            if not table.flags[func] & FuncFlag.DECLARATION:
                continue
            yield f"declare {self.func_head(func)}"
            yield from self._alternatives(
                [
                    f"@{self.strings[table.name[a]]} of {self._module(int(table.module[a]))}"
                    for a in table.alternative[
                        table.alternative_start[func] : table.alternative_start[func + 1]
                    ].tolist()
                ]
            )

    # Bodies --------------------------------------------------------------------------------------

    def function(self, func: int) -> Iterator[str]:
        program = self.program
        if program.functions.flags[func] & FuncFlag.DECLARATION:
            return
        self._first_block = int(program.functions.block_start[func])
        self._first_instr = int(program.blocks.instr_start[self._first_block])
        yield ""
        yield f"define {self.func_head(func)}"
        begin, end = program.functions.param_start[func], program.functions.param_start[func + 1]
        for param in range(int(begin), int(end)):
            value = int(program.params.value[param])
            flags = ParamFlag(int(program.params.flags[param]))
            words = "".join(f" {f.name.lower()}" for f in ParamFlag if f & flags and f.name)
            yield (
                f"  param {self.value(value)}: {self.type_name(int(program.values.type[value]))}"
                f" {self.ctype_name(int(program.params.ctype[param]))}{words}"
            )
        bound = self._bindings(func)
        for block in range(self._first_block, int(program.functions.block_start[func + 1])):
            yield f"  block {block - self._first_block}:"
            starts = program.blocks.instr_start
            for instr in range(int(starts[block]), int(starts[block + 1])):
                for name in bound.get(instr, ()):
                    yield f"        ; {name}"
                yield f"    {self.instr(instr)}"
            yield from self._edges(block)

    def _bindings(self, func: int) -> dict[int, list[str]]:
        program = self.program
        instrs = program.instr_range(func)
        found: dict[int, list[str]] = {}
        bindings = program.bindings
        inside = (bindings.instr >= instrs.start) & (bindings.instr < instrs.stop)
        for row in inside.nonzero()[0].tolist():
            variable = int(bindings.variable[row])
            name = self.strings[program.variables.name[variable]]
            ctype = self.ctype_name(int(program.variables.ctype[variable]))
            kind = BindingKind(int(bindings.kind[row]))
            left = f"&{name}" if kind == BindingKind.ADDRESS else name
            offset = int(bindings.offset[row])
            part = "" if offset == 0 else f" [{offset}]"
            text = f"{left}{part} = {self.value(int(bindings.value[row]))}  ({ctype})"
            found.setdefault(int(bindings.instr[row]), []).append(text)
        return found

    def _edges(self, block: int) -> Iterator[str]:
        blocks = self.program.blocks
        for at in range(int(blocks.edge_start[block]), int(blocks.edge_start[block + 1])):
            kind = EdgeKind(int(blocks.edge_kind[at]))
            text = f"      -> {int(blocks.edge_target[at]) - self._first_block} {kind.name.lower()}"
            if kind == EdgeKind.CASE:
                text += f" {int(blocks.edge_number[at])}"
            if blocks.edge_condition[at] >= 0:
                text += f" {self.value(int(blocks.edge_condition[at]))}"
            yield text

    def instr(self, instr: int) -> str:
        instrs = self.program.instrs
        left = ""
        if instrs.result[instr] >= 0:
            left = f"{self.value(int(instrs.result[instr]))}: "
            left += f"{self.type_name(int(instrs.type[instr]))} = "
        _, line, column = self.program.position(instr)
        place = f"  ; {line}:{column}" if line else ""
        return f"{left}{self.operation(instrs, instr)}{place}"

    def operation(self, table: Operations, row: int) -> str:
        op = Op(int(table.op[row]))
        begin, end = int(table.operand_start[row]), int(table.operand_start[row + 1])
        operands = [self.value(int(v)) for v in table.operand[begin:end]]
        aux, name = int(table.aux[row]), op.name.lower()
        match op:
            case Op.GEP:
                text = f"gep {operands[0]} + {aux}"
                text += f" + array {int(table.aux2[row])}" if table.aux2[row] else ""
                strides = table.operand_number[begin + 1 : end].tolist()
                for operand, stride in zip(operands[1:], strides, strict=True):
                    text += f" + {stride}*{operand}"
                return f"{text} of {self.type_name(int(table.aux_type[row]))}"
            case Op.ICMP | Op.FCMP:
                predicate = CmpPredicate(aux).name.lower() if aux >= 32 else f"f{aux}"
                return f"{name} {predicate} {', '.join(operands)}"
            case Op.PHI:
                blocks = (table.operand_block[begin:end] - self._first_block).tolist()
                pairs = [f"[{v} from {b}]" for v, b in zip(operands, blocks, strict=True)]
                return f"phi {', '.join(pairs)}"
            case Op.CALL | Op.INVOKE | Op.CALL_BR:
                flags = "".join(
                    f" {f.name.lower()}" for f in CallFlag if f & CallFlag(aux) and f.name
                )
                return f"{name} {operands[0]}({', '.join(operands[1:])}){flags}"
            case Op.ALLOCA:
                return f"alloca {self.type_name(int(table.aux_type[row]))} bytes {aux}"
            case Op.EXTRACT_VALUE | Op.INSERT_VALUE:
                return f"{name} {', '.join(operands)} at {aux}"
            case Op.ATOMIC_RMW:
                return f"{name} {RmwOp(aux).name.lower()} {', '.join(operands)}"
            case Op.AGGREGATE:
                offsets = table.operand_number[begin:end].tolist()
                return (
                    "{"
                    + ", ".join(f"{o}: {v}" for o, v in zip(offsets, operands, strict=True))
                    + "}"
                )
            case _:
                return f"{name} {', '.join(operands)}".rstrip()

    def value(self, value: int) -> str:
        values = self.program.values
        kind = ValueKind(int(values.kind[value]))
        index = int(values.index[value])
        name = self.strings[values.name[value]]
        match kind:
            case ValueKind.INSTR:
                return f"%{name}.{index - self._first_instr}"
            case ValueKind.PARAM:
                func = int(self.program.params.func[index])
                number = index - int(self.program.functions.param_start[func])
                return f"%{name or f'arg{number}'}"
            case ValueKind.FUNCTION:
                return f"@{self.program.func_name(index)}"
            case ValueKind.GLOBAL:
                return f"@{self.program.global_name(index)}"
            case ValueKind.INT:
                return str(int(values.number[value]))
            case ValueKind.BYTES:
                return repr(self.strings[index])
            case ValueKind.FLOAT | ValueKind.WIDE_INT:
                return constant_text(self.program, value)
            case ValueKind.CONST_EXPR:
                return f"({self.operation(self.program.const_exprs, index)})"
            case ValueKind.INLINE_ASM:
                return f"asm {self.strings[index]!r}"
            case ValueKind.BLOCK_ADDRESS:
                func = int(self.program.blocks.func[index])
                first = int(self.program.functions.block_start[func])
                return f"&&@{self.program.func_name(func)}.{index - first}"
            case _:
                return kind.name.lower()
