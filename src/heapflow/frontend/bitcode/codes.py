"""Numbers of LLVM's bitcode records (stable by LLVM's own promise), and how they map to ours.

Plain integers, not enumerations: looking up a member of those costs as much as reading a record.
"""

from __future__ import annotations

from heapflow.ir.kinds import ArithFlag, Linkage, Op


class Block:
    """Block kinds."""

    MODULE = 8
    PARAMATTR = 9
    PARAMATTR_GROUP = 10
    CONSTANTS = 11
    FUNCTION = 12
    IDENTIFICATION = 13
    VALUE_SYMTAB = 14
    METADATA = 15
    METADATA_ATTACHMENT = 16
    TYPE = 17
    USELIST = 18
    OPERAND_BUNDLE_TAGS = 21
    METADATA_KIND = 22
    STRTAB = 23
    SYMTAB = 25
    SYNC_SCOPE_NAMES = 26


# Blocks that say nothing about what the program computes.
IGNORED_BLOCKS = frozenset(
    {
        Block.VALUE_SYMTAB,
        Block.USELIST,
        Block.OPERAND_BUNDLE_TAGS,
        Block.METADATA_KIND,
        Block.SYNC_SCOPE_NAMES,
        Block.IDENTIFICATION,
        Block.SYMTAB,
    }
)


class Mod:
    """Module records."""

    VERSION = 1
    TRIPLE = 2
    DATALAYOUT = 3
    ASM = 4
    SECTIONNAME = 5
    GLOBALVAR = 7
    FUNCTION = 8
    GCNAME = 11
    COMDAT = 12
    VSTOFFSET = 13
    ALIAS = 14
    SOURCE_FILENAME = 16
    HASH = 17
    IFUNC = 18


IGNORED_MODULE_RECORDS = frozenset(
    {Mod.TRIPLE, Mod.ASM, Mod.SECTIONNAME, Mod.GCNAME, Mod.COMDAT, Mod.VSTOFFSET, Mod.HASH}
)


class Typ:
    """Type records."""

    NUMENTRY = 1
    VOID = 2
    FLOAT = 3
    DOUBLE = 4
    LABEL = 5
    OPAQUE = 6
    INTEGER = 7
    HALF = 10
    ARRAY = 11
    VECTOR = 12
    X86_FP80 = 13
    FP128 = 14
    PPC_FP128 = 15
    METADATA = 16
    STRUCT_ANON = 18
    STRUCT_NAME = 19
    STRUCT_NAMED = 20
    FUNCTION = 21
    TOKEN = 22
    BFLOAT = 23
    X86_AMX = 24
    OPAQUE_POINTER = 25
    TARGET_TYPE = 26


FLOAT_BITS = {
    Typ.HALF: 16,
    Typ.BFLOAT: 16,
    Typ.FLOAT: 32,
    Typ.DOUBLE: 64,
    Typ.X86_FP80: 80,
    Typ.FP128: 128,
    Typ.PPC_FP128: 128,
}
UNUSUAL_FLOATS = frozenset({Typ.BFLOAT, Typ.PPC_FP128})  # not IEEE 754's format of that width


class Cst:
    """Constant records."""

    SETTYPE = 1
    NULL = 2
    UNDEF = 3
    INTEGER = 4
    WIDE_INTEGER = 5
    FLOAT = 6
    AGGREGATE = 7
    STRING = 8
    CSTRING = 9
    CE_BINOP = 10
    CE_CAST = 11
    CE_SELECT = 13
    CE_EXTRACTELT = 14
    CE_INSERTELT = 15
    CE_SHUFFLEVEC = 16
    CE_CMP = 17
    CE_GEP_OLD = 20
    BLOCKADDRESS = 21
    DATA = 22
    CE_GEP_INRANGE_OLD = 24
    CE_UNOP = 25
    POISON = 26
    DSO_LOCAL_EQUIVALENT = 27
    NO_CFI = 29
    INLINEASM = 30
    CE_GEP_INRANGE = 31
    CE_GEP = 32


class Fun:
    """Records of function bodies."""

    DECLAREBLOCKS = 1
    BINOP = 2
    CAST = 3
    SELECT_OLD = 5
    EXTRACTELT = 6
    INSERTELT = 7
    SHUFFLEVEC = 8
    CMP = 9
    RET = 10
    BR = 11
    SWITCH = 12
    INVOKE = 13
    UNREACHABLE = 15
    PHI = 16
    ALLOCA = 19
    LOAD = 20
    VAARG = 23
    EXTRACTVAL = 26
    INSERTVAL = 27
    CMP2 = 28
    VSELECT = 29
    INDIRECTBR = 31
    DEBUG_LOC_AGAIN = 33
    CALL = 34
    DEBUG_LOC = 35
    FENCE = 36
    RESUME = 39
    LOADATOMIC = 41
    GEP = 43
    STORE = 44
    STOREATOMIC = 45
    CMPXCHG = 46
    LANDINGPAD = 47
    OPERAND_BUNDLE = 55
    UNOP = 56
    CALLBR = 57
    FREEZE = 58
    ATOMICRMW = 59
    BLOCKADDR_USERS = 60
    DEBUG_RECORD_VALUE = 61
    DEBUG_RECORD_DECLARE = 62
    DEBUG_RECORD_ASSIGN = 63
    DEBUG_RECORD_VALUE_SIMPLE = 64
    DEBUG_RECORD_LABEL = 65
    DEBUG_RECORD_DECLARE_VALUE = 66


class Md:
    """Metadata records that are read."""

    VALUE = 2
    NODE = 3
    LOCATION = 7
    ATTACHMENT = 11
    SUBRANGE = 13
    BASIC_TYPE = 15
    FILE = 16
    DERIVED_TYPE = 17
    COMPOSITE_TYPE = 18
    SUBROUTINE_TYPE = 19
    COMPILE_UNIT = 20
    SUBPROGRAM = 21
    LEXICAL_BLOCK = 22
    LEXICAL_BLOCK_FILE = 23
    GLOBAL_VAR = 27
    LOCAL_VAR = 28
    EXPRESSION = 29
    STRINGS = 35
    GLOBAL_DECL_ATTACHMENT = 36
    GLOBAL_VAR_EXPR = 37
    INDEX_OFFSET = 38
    INDEX = 39


class Attr:
    """The attributes that change what a call or parameter means."""

    ALIGNMENT = 1
    BY_VAL = 3
    NEST = 8
    NO_ALIAS = 9
    NO_RETURN = 17
    READ_NONE = 20
    READ_ONLY = 21
    RETURNED = 22
    RETURNS_TWICE = 23
    STRUCT_RET = 29
    NON_NULL = 39
    MEMORY = 86
    CAPTURES = 102


def _ints(*ops: Op) -> tuple[int, ...]:
    return tuple(int(op) for op in ops)


CAST_OPS = _ints(
    Op.TRUNC,
    Op.ZEXT,
    Op.SEXT,
    Op.FP_TO_UI,
    Op.FP_TO_SI,
    Op.UI_TO_FP,
    Op.SI_TO_FP,
    Op.FP_TRUNC,
    Op.FP_EXT,
    Op.PTR_TO_INT,
    Op.INT_TO_PTR,
    Op.BIT_CAST,
    Op.ADDR_SPACE_CAST,
    Op.PTR_TO_ADDR,
)

INT_BINARY_OPS = _ints(
    Op.ADD,
    Op.SUB,
    Op.MUL,
    Op.UDIV,
    Op.SDIV,
    Op.UREM,
    Op.SREM,
    Op.SHL,
    Op.LSHR,
    Op.ASHR,
    Op.AND,
    Op.OR,
    Op.XOR,
)
# The same numbers on floating-point operands; the rest cannot occur there.
FLOAT_BINARY_OPS = {
    code: int(op)
    for code, op in ((0, Op.FADD), (1, Op.FSUB), (2, Op.FMUL), (4, Op.FDIV), (6, Op.FREM))
}

# Flags of arithmetic, by operation: what LLVM's lowest bits mean, in order.
_WRAP = (ArithFlag.NO_UNSIGNED_WRAP, ArithFlag.NO_SIGNED_WRAP)
_FLAG_BITS: dict[Op, tuple[ArithFlag, ...]] = {
    **dict.fromkeys((Op.ADD, Op.SUB, Op.MUL, Op.SHL, Op.TRUNC), _WRAP),
    **dict.fromkeys((Op.UDIV, Op.SDIV, Op.LSHR, Op.ASHR), (ArithFlag.EXACT,)),
    Op.OR: (ArithFlag.DISJOINT,),
    **dict.fromkeys((Op.ZEXT, Op.UI_TO_FP), (ArithFlag.NOT_NEGATIVE,)),
    Op.ICMP: (ArithFlag.SAME_SIGN,),
}
# (operation, LLVM's bits) -> our flags; operations and bits that are not here have none.
ARITH_FLAGS = {
    (int(op), bits): sum(int(flag) for place, flag in enumerate(flags) if bits >> place & 1)
    for op, flags in _FLAG_BITS.items()
    for bits in range(1, 1 << len(flags))
}

LINKAGES = {
    0: int(Linkage.EXTERNAL),
    1: int(Linkage.WEAK),
    2: int(Linkage.APPENDING),
    3: int(Linkage.INTERNAL),
    4: int(Linkage.LINK_ONCE),
    5: int(Linkage.EXTERNAL),
    6: int(Linkage.EXTERNAL),
    7: int(Linkage.WEAK),
    8: int(Linkage.COMMON),
    9: int(Linkage.INTERNAL),
    10: int(Linkage.WEAK),
    11: int(Linkage.LINK_ONCE),
    12: int(Linkage.AVAILABLE_EXTERNALLY),
    13: int(Linkage.INTERNAL),
    14: int(Linkage.INTERNAL),
    15: int(Linkage.EXTERNAL),
    16: int(Linkage.WEAK),
    17: int(Linkage.WEAK),
    18: int(Linkage.LINK_ONCE),
    19: int(Linkage.LINK_ONCE),
}
