"""The program tables: everything later phases know of the C program.

One `Program` describes one translation unit as well as a linked whole (`frontend.link` makes the
second from the first). Rows are dense ids; -1 is "none". LLVM does not appear behind this module.

Order guarantees (`check_program`):
- the blocks of a function are consecutive, entry first; the instructions of a block are consecutive,
  terminator last; functions with bodies come before declarations;
- every operand of an instruction exists; every id is in range.
"""

from __future__ import annotations

from dataclasses import dataclass

from heapflow.ir.kinds import CallFlag, CTypeKind, FuncFlag, Op, TypeKind, ValueKind
from heapflow.ir.table import I32, I64, U8, U16, Table, column

# Plain integers: numbers of an array are slow to compare with members of an enumeration.
_DECLARATION, _NO_RETURN = int(FuncFlag.DECLARATION), int(FuncFlag.NO_RETURN)
_CALL_NO_RETURN, _FUNCTION = int(CallFlag.NO_RETURN), int(ValueKind.FUNCTION)
_CALLS = frozenset(map(int, (Op.CALL, Op.INVOKE, Op.CALL_BR)))

_NUMBERS = (CTypeKind.BASE, CTypeKind.ENUM)
_RECORDS = (CTypeKind.STRUCT, CTypeKind.UNION)
_MOST_CONST = 62  # parameters that `Functions.const_pointees` has bits for


@dataclass(frozen=True, slots=True)
class Modules(Table):
    """Translation units and the link targets (programs, libraries) that they are part of."""

    source: I32 = column("i4", refers="strings")  # path of the C file (or of the .bc / .ll)
    # 1: all that can name its functions is there. It is linked into programs only, which export
    # nothing, as an object of its own, and every other file of these is C and was read.
    whole: U8 = column("u1")
    target_start: I64 = column("i8", offsets_for="targets")
    target: I32 = column("i4", axis="targets", refers="strings")


@dataclass(frozen=True, slots=True)
class Types(Table):
    """LLVM types with their layout. Equal types have equal ids within one Program.

    `size` is what an element of an array takes. A load or store of an INT or FLOAT touches
    (bits + 7) // 8 bytes: 3 of an i24 (bit-fields), 10 of the 80-bit long double. A VECTOR lies in
    memory as its elements one after the other (vectors of i1: as bits), count · bits of them.
    """

    kind: U8 = column("u1")  # TypeKind
    bits: I32 = column("i4")  # width of INT and FLOAT
    size: I64 = column("i8")  # bytes an object takes (with tail padding); -1 unsized
    elem: I32 = column("i4", refers="types")  # ARRAY, VECTOR: element; FUNC: result
    count: I64 = column("i8")  # ARRAY, VECTOR: elements; FUNC: 1 if variadic; FLOAT: 1 if not IEEE
    name: I32 = column("i4", refers="strings")  # STRUCT, OPAQUE: "struct.node"; "" if literal
    ctype: I32 = column("i4", refers="ctypes")  # STRUCT: the C type that it was made from
    field_start: I64 = column("i8", offsets_for="fields")  # STRUCT: members; FUNC: parameters
    field_type: I32 = column("i4", axis="fields", refers="types")
    field_offset: I64 = column("i8", axis="fields")  # bytes from the start of the struct


@dataclass(frozen=True, slots=True)
class CTypes(Table):
    """C types, as debug information tells them. A typedef is its target, qualifiers are dropped.

    Members are listed only where the translation unit accesses the struct; after linking, where any
    unit does. A struct that is only named has `size` -1 and no members.
    """

    kind: U8 = column("u1")  # CTypeKind
    name: I32 = column("i4", refers="strings")  # tag, base type name, or typedef of an unnamed tag
    size: I64 = column("i8")  # bytes; -1 unknown
    elem: I32 = column("i4", refers="ctypes")  # POINTER, ARRAY: target; FUNC: result (-1 = void)
    count: I64 = column("i8")  # ARRAY: number of elements, -1 unknown
    member_start: I64 = column("i8", offsets_for="members")  # STRUCT, UNION; FUNC: parameters
    member_name: I32 = column("i4", axis="members", refers="strings")
    member_offset: I64 = column("i8", axis="members")  # bytes
    member_type: I32 = column("i4", axis="members", refers="ctypes")


@dataclass(frozen=True, slots=True)
class Values(Table):
    """Everything that can be an operand. `ir.constants` turns constants into numbers and bytes.

    - INT: `number`, sign-extended to 64 bits (a true i1 is -1). Zero is INT in every width.
    - WIDE_INT, FLOAT: `index` is a string with one character per byte, (bits + 7) // 8 of them, least
      significant first: the two's complement number; the bit pattern of the float (x86's 80-bit
      format has 10 bytes, its mantissa of 64 bits first).
    - BYTES: the same of an array or vector of integers or floats of 8, 16, 32 or 64 bits: the
      elements' bytes one after the other. Bytes that are missing at the end are zero.
    - CONST_EXPR with op AGGREGATE: arrays, structs and vectors of all else, with all elements,
      undefined ones included. NULL and UNDEF stand for whole arrays, structs and vectors as well.
    """

    kind: U8 = column("u1")  # ValueKind
    type: I32 = column("i4", refers="types")
    index: I32 = column("i4")  # into the table that the kind names
    number: I64 = column("i8")  # INT: the constant
    name: I32 = column("i4", refers="strings")  # source name of the variable it holds; "" if none


@dataclass(frozen=True, slots=True)
class Functions(Table):
    """Functions, those with bodies first.

    `prototype` and `const_pointees` are known for declarations as well, if something calls them by
    name: compilers describe no other. They are in terms of C: a parameter that is a struct is one
    parameter there (`c_parameter`). The names of parameters are those of `Variables` with `arg`; those
    of declarations, and attributes such as `format`, are not in bitcode.
    """

    name: I32 = column("i4", refers="strings")
    module: I32 = column("i4", refers="modules")
    type: I32 = column("i4", refers="types")  # a FUNC type
    ctype: I32 = column("i4", refers="ctypes")  # a FUNC C type, -1 for declarations
    prototype: I32 = column("i4", refers="ctypes")  # the same, for declarations as well
    # Bit 0: the result is a pointer to something const; bit i + 1: parameter i is (below 62).
    const_pointees: I64 = column("i8")
    linkage: U8 = column("u1")  # Linkage
    flags: U16 = column("u2")  # FuncFlag
    aliasee: I32 = column("i4", refers="functions")  # ALIAS: the function meant; else -1
    file: I32 = column("i4", refers="strings")
    line: I32 = column("i4")  # 0 unknown
    block_start: I64 = column("i8", offsets_for="blocks")
    param_start: I64 = column("i8", offsets_for="params")
    # A declaration that may mean several definitions (programs sharing one database) lists them.
    alternative_start: I64 = column("i8", offsets_for="alternatives")
    alternative: I32 = column("i4", axis="alternatives", refers="functions")


@dataclass(frozen=True, slots=True)
class Params(Table):
    """Formal parameters of functions with bodies, in order."""

    func: I32 = column("i4", refers="functions")
    value: I32 = column("i4", refers="values")
    flags: U8 = column("u1")  # ParamFlag
    pointee: I32 = column("i4", refers="types")  # BY_VALUE, STRUCT_RETURN: the struct type
    ctype: I32 = column("i4", refers="ctypes")


@dataclass(frozen=True, slots=True)
class Globals(Table):
    """Global variables, including static locals and string literals."""

    name: I32 = column("i4", refers="strings")
    module: I32 = column("i4", refers="modules")
    type: I32 = column("i4", refers="types")  # of the variable, not of its address
    ctype: I32 = column("i4", refers="ctypes")
    linkage: U8 = column("u1")  # Linkage
    flags: U8 = column("u1")  # GlobalFlag
    align: I32 = column("i4")  # bytes; 0 unknown
    aliasee: I32 = column("i4", refers="globals")
    file: I32 = column("i4", refers="strings")
    line: I32 = column("i4")
    # The initialiser, flattened: its non-zero leaves by byte offset, each a scalar (an address, a
    # number), BYTES, or a vector. All else is zero, also what is undefined; see INCOMPLETE.
    init_start: I64 = column("i8", offsets_for="inits")
    init_offset: I64 = column("i8", axis="inits")
    init_value: I32 = column("i4", axis="inits", refers="values")
    alternative_start: I64 = column("i8", offsets_for="alternatives")
    alternative: I32 = column("i4", axis="alternatives", refers="globals")


@dataclass(frozen=True, slots=True)
class Blocks(Table):
    """Basic blocks with their outgoing edges in the order of the terminator's targets."""

    func: I32 = column("i4", refers="functions")
    instr_start: I64 = column("i8", offsets_for="instrs")
    edge_start: I64 = column("i8", offsets_for="edges")
    edge_target: I32 = column("i4", axis="edges", refers="blocks")
    edge_kind: U8 = column("u1", axis="edges")  # EdgeKind
    edge_condition: I32 = column("i4", axis="edges", refers="values")  # value tested, -1 ALWAYS
    # CASE: the value, sign-extended to 64 bits. Cases of more than 64 bits that are not zero are
    # INDIRECT edges; the k-th of them is taken for the (k + 1)-th operand of the SWITCH.
    edge_number: I64 = column("i8", axis="edges")


@dataclass(frozen=True, slots=True)
class Operations(Table):
    """Instructions, or constant expressions (block -1), with their operands.

    Columns by opcode:
    - ALLOCA: aux = bytes (-1 variable), aux2 = alignment, aux_type = allocated type, operands
      [element count]
    - LOAD, STORE: aux = AccessFlag; aux_type = type of the value read or written
    - CMPXCHG: operands [pointer, expected, new], aux_type = their type; the result is a struct
      {old value, i1 whether it was the expected one}. ATOMIC_RMW: aux = RmwOp
    - GEP: operands [base, variable index…]; aux = constant bytes from struct members and byte
      steps; aux2 = constant bytes from array indices; operand_number = stride of a variable index;
      aux_type = source element type; operand_number of the base = GepFlag.
      address = base + aux + aux2 + Σ index·stride, indices sign-extended, modulo 2^64. With a
      vector as base or index the result is a vector of addresses
    - CALL, INVOKE, CALL_BR: operands [callee, argument…]; aux = CallFlag; aux_type = FUNC type;
      operand_number of an argument: 0 passed as it is; `ir.arguments` STRUCT_RETURN_NUMBER: address
      of the space for the result; `by_value_argument`: the callee gets the address of a copy.
      The call's word counts for variadic arguments and for callees without bodies; for others
      `Params.flags` says the same. `ir.arguments` tells of `va_list` and of intrinsics
    - PHI: operand_block = predecessor that the operand comes from
    - integer arithmetic, casts, ICMP: aux2 = ArithFlag.  ICMP, FCMP: aux = CmpPredicate, FloatPredicate
    - EXTRACT_VALUE, INSERT_VALUE: aux = byte offset as in memory. The type of what lies there is the
      result's (EXTRACT_VALUE) or the operand's (INSERT_VALUE): an offset alone may name a struct
      and its first member
    - EXTRACT_ELEMENT, INSERT_ELEMENT: the index is the last operand, of any width, unsigned
    - SHUFFLE_VECTOR: operands [left, right, constant mask] (`ir.constants.shuffle_mask`)
    - SELECT: the condition may be a vector; arithmetic, casts and comparisons work on vectors
      element by element
    - SWITCH: operands [condition, case…], the cases only that `Blocks.edge_number` cannot hold
    - INDIRECT_BR: operands [address], a BLOCK_ADDRESS of one of the edges' targets
    - AGGREGATE: operand_number = byte offset of the element (of a vector: as of an array)
    """

    op: U8 = column("u1")  # Op
    type: I32 = column("i4", refers="types")  # of the result
    result: I32 = column("i4", refers="values")  # -1 without a result
    block: I32 = column("i4", refers="blocks")
    loc: I32 = column("i4", refers="locs")
    aux: I64 = column("i8")
    aux2: I64 = column("i8")
    aux_type: I32 = column("i4", refers="types")
    operand_start: I64 = column("i8", offsets_for="operands")
    operand: I32 = column("i4", axis="operands", refers="values")
    operand_block: I32 = column("i4", axis="operands", refers="blocks")
    operand_number: I64 = column("i8", axis="operands")


@dataclass(frozen=True, slots=True)
class Locs(Table):
    """Source positions. An inlined instruction knows the call it was inlined at."""

    file: I32 = column("i4", refers="strings")
    line: I32 = column("i4")
    col: I32 = column("i4")
    inlined_at: I32 = column("i4", refers="locs")


@dataclass(frozen=True, slots=True)
class Variables(Table):
    """Local variables and parameters, by their source names."""

    name: I32 = column("i4", refers="strings")
    func: I32 = column("i4", refers="functions")
    ctype: I32 = column("i4", refers="ctypes")
    line: I32 = column("i4")
    arg: I32 = column("i4")  # 1-based parameter number, 0 for a local variable


@dataclass(frozen=True, slots=True)
class Bindings(Table):
    """From an instruction on, a variable has a value or lives at an address."""

    value: I32 = column("i4", refers="values")
    variable: I32 = column("i4", refers="variables")
    instr: I32 = column("i4", refers="instrs")  # holds from before this instruction on
    kind: U8 = column("u1")  # BindingKind
    offset: I64 = column("i8")  # bytes into the variable that the value covers; -1 computed


@dataclass(frozen=True)
class Program:
    """All tables. `unread` counts what the reader did not understand, by kind."""

    strings: tuple[str, ...]  # id 0 is ""
    modules: Modules
    types: Types
    ctypes: CTypes
    values: Values
    functions: Functions
    params: Params
    globals: Globals
    blocks: Blocks
    instrs: Operations
    const_exprs: Operations
    locs: Locs
    variables: Variables
    bindings: Bindings
    unread: tuple[tuple[str, int], ...] = ()

    def func_name(self, func: int) -> str:
        return self.strings[int(self.functions.name[func])]

    def value_name(self, value: int) -> str:
        """The variable that a value holds, or where in its function it is computed."""
        name = self.strings[self.values.name[value]]
        kind, index = self.values.kind[value], int(self.values.index[value])
        if kind == ValueKind.PARAM:
            func = int(self.params.func[index])
            position = index - int(self.functions.param_start[func]) + 1
            return name or f"argument {position}"
        if kind != ValueKind.INSTR:
            return name or f"value {value}"
        func = int(self.blocks.func[self.instrs.block[index]])
        number = index - self.instr_range(func).start
        return f"{name}%{number}" if name else f"%{number}"

    def global_name(self, global_id: int) -> str:
        return self.strings[int(self.globals.name[global_id])]

    def is_declaration(self, func: int) -> bool:
        return bool(self.functions.flags[func] & _DECLARATION)

    def instr_range(self, func: int) -> range:
        """Ids of the instructions of a function."""
        first, last = self.functions.block_start[func], self.functions.block_start[func + 1]
        return range(int(self.blocks.instr_start[first]), int(self.blocks.instr_start[last]))

    def leads_on(self, param: int) -> bool:
        """Whether there may be pointers behind a parameter: not behind text or numbers."""
        ctype, kinds = int(self.params.ctype[param]), self.ctypes.kind
        if ctype < 0:
            return True
        if kinds[ctype] != CTypeKind.POINTER:
            return kinds[ctype] not in _NUMBERS
        target = int(self.ctypes.elem[ctype])
        return target < 0 or kinds[target] not in _NUMBERS

    def c_parameter(self, func: int, position: int) -> int:
        """Which parameter of the C prototype an LLVM parameter is; -1 unknown, or none."""
        prototype, type_id = int(self.functions.prototype[func]), int(self.functions.type[func])
        if prototype < 0:
            return -1
        result = int(self.ctypes.elem[prototype])
        is_void = self.types.kind[self.types.elem[type_id]] == TypeKind.VOID
        hidden = int(is_void and result >= 0 and self.ctypes.kind[result] in _RECORDS)
        starts, given = self.types.field_start, self.ctypes.member_start
        count = int(starts[type_id + 1] - starts[type_id]) - hidden
        declared = int(given[prototype + 1] - given[prototype])
        if declared > count and self.types.count[type_id]:
            declared -= 1  # the dots
        if count != declared or not hidden <= position:
            return -1
        return position - hidden if position - hidden < count else -1

    def is_const_pointee(self, func: int, position: int) -> bool:
        """Whether an LLVM parameter is declared as a pointer to something const."""
        number = self.c_parameter(func, position)
        if not 0 <= number < _MOST_CONST:
            return False
        return bool(int(self.functions.const_pointees[func]) >> (number + 1) & 1)

    def is_member_address(self, value: int) -> bool:
        """Whether a value is the address of a member, computed as such (also of the first one)."""
        if self.values.kind[value] != ValueKind.INSTR:
            return False
        row, instrs = int(self.values.index[value]), self.instrs
        if (
            instrs.op[row] != Op.GEP
            or instrs.operand_start[row + 1] - instrs.operand_start[row] > 1
        ):
            return False
        return bool(self.types.kind[instrs.aux_type[row]] == TypeKind.STRUCT)

    def operands(self, instr: int) -> list[int]:
        start = self.instrs.operand_start
        found: list[int] = self.instrs.operand[start[instr] : start[instr + 1]].tolist()
        return found

    def direct_callee(self, instr: int) -> int:
        """The function that a call names, or -1 (an indirect call, inline assembly)."""
        callee = int(self.instrs.operand[self.instrs.operand_start[instr]])
        if self.values.kind[callee] != _FUNCTION:
            return -1
        return int(self.values.index[callee])

    def call_returns(self, instr: int) -> bool:
        """False if control cannot come back from this call."""
        if int(self.instrs.op[instr]) not in _CALLS:
            return True
        if self.instrs.aux[instr] & _CALL_NO_RETURN:
            return False
        callee = self.direct_callee(instr)
        return callee < 0 or not self.functions.flags[callee] & _NO_RETURN

    def position(self, instr: int) -> tuple[str, int, int]:
        """File, line and column of an instruction; ("", 0, 0) if the compiler gave none."""
        loc = int(self.instrs.loc[instr])
        if loc < 0:
            return "", 0, 0
        locs = self.locs
        return self.strings[locs.file[loc]], int(locs.line[loc]), int(locs.col[loc])

    def without_debug_info(self) -> list[str]:
        """Sources of modules of which a function has no line."""
        functions, starts = self.functions, self.functions.block_start
        bare = (starts[1:] > starts[:-1]) & (functions.line <= 0)
        named = self.modules.source[functions.module[bare]].tolist()
        return sorted({self.strings[name] for name in named})

    def number(self, instr: int) -> int:
        """Which instruction of its function it is, from 0: the name that dumps give it."""
        return instr - self.instr_range(self.func_of(instr))[0]

    def func_of(self, instr: int) -> int:
        return int(self.blocks.func[self.instrs.block[instr]])

    def point(self, instr: int) -> tuple[str, int, int]:
        """What is the same for an instruction of a file that was compiled twice, and for no other:
        its position; where there is none, function and number of the instruction."""
        position = self.position(instr)
        if position[1] > 0:
            return position
        func = self.func_of(instr)
        module = self.strings[int(self.modules.source[self.functions.module[func]])]
        return f"{module}:{self.func_name(func)}", -1, self.number(instr)


TABLES: dict[str, type[Table]] = {
    "modules": Modules,
    "types": Types,
    "ctypes": CTypes,
    "values": Values,
    "functions": Functions,
    "params": Params,
    "globals": Globals,
    "blocks": Blocks,
    "instrs": Operations,
    "const_exprs": Operations,
    "locs": Locs,
    "variables": Variables,
    "bindings": Bindings,
}
