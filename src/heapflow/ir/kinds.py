"""Closed enums of the program tables. Values are stored in uint8 columns; never renumber silently."""

from __future__ import annotations

from enum import IntEnum, IntFlag


class TypeKind(IntEnum):
    """LLVM-level types. Pointers are opaque; C-level pointee types live in `CTypes`."""

    VOID = 0
    INT = 1
    FLOAT = 2
    POINTER = 3
    STRUCT = 4
    ARRAY = 5
    VECTOR = 6
    FUNC = 7
    OPAQUE = 8  # struct without a body
    OTHER = 9  # label, metadata, token, target types


class CTypeKind(IntEnum):
    """C-level types from debug information; typedefs and qualifiers are looked through."""

    VOID = 0
    BASE = 1
    ENUM = 2
    POINTER = 3
    STRUCT = 4
    UNION = 5
    ARRAY = 6
    FUNC = 7


class ValueKind(IntEnum):
    """What a value is; decides what `Values.index` refers to."""

    INSTR = 0  # index -> instrs
    PARAM = 1  # index -> params
    FUNCTION = 2  # index -> functions
    GLOBAL = 3  # index -> globals
    INT = 4  # `Values.number` holds the value, sign-extended to 64 bits
    NULL = 5  # null pointer, or zero of an aggregate / vector type (zeroinitializer)
    UNDEF = 6  # undef or poison
    FLOAT = 7  # index -> strings: its bytes (see `Values`)
    BYTES = 8  # constant array or vector of numbers; index -> strings: its bytes (see `Values`)
    CONST_EXPR = 9  # index -> const_exprs (casts, geps, aggregates …)
    INLINE_ASM = 10  # index -> strings (assembler text)
    BLOCK_ADDRESS = 11  # index -> blocks
    WIDE_INT = 12  # non-zero integer of a type of more than 64 bits; index -> strings: its bytes
    METADATA = 13  # metadata as a call argument
    OTHER = 14


class Op(IntEnum):
    """Opcodes of instructions and constant expressions."""

    # terminators
    RET = 0
    BR = 1  # operands: [] or [condition]; the targets are CFG edges
    SWITCH = 2  # operands: [condition, case of more than 64 bits…]
    INDIRECT_BR = 3
    UNREACHABLE = 4
    INVOKE = 5
    RESUME = 6
    CALL_BR = 7
    # memory
    ALLOCA = 10
    LOAD = 11  # operands: [pointer]
    STORE = 12  # operands: [pointer, value]
    GEP = 13
    CMPXCHG = 14  # operands: [pointer, expected, new]
    ATOMIC_RMW = 15  # operands: [pointer, value]; aux: RmwOp
    FENCE = 16
    # calls
    CALL = 20  # operands: [callee, argument…]
    VA_ARG = 21
    LANDING_PAD = 22
    # SSA
    PHI = 30
    SELECT = 31  # operands: [condition, if true, if false]
    FREEZE = 32
    EXTRACT_VALUE = 33  # aux: byte offset
    INSERT_VALUE = 34  # operands: [aggregate, value]; aux: byte offset
    EXTRACT_ELEMENT = 35  # operands: [vector, index]
    INSERT_ELEMENT = 36  # operands: [vector, value, index]
    SHUFFLE_VECTOR = 37  # operands: [left, right, mask]; see `ir.constants.shuffle_mask`
    # comparisons: aux holds a CmpPredicate
    ICMP = 40
    FCMP = 41
    # integer and float arithmetic
    ADD = 50
    SUB = 51
    MUL = 52
    UDIV = 53
    SDIV = 54
    UREM = 55
    SREM = 56
    SHL = 57
    LSHR = 58
    ASHR = 59
    AND = 60
    OR = 61
    XOR = 62
    FADD = 63
    FSUB = 64
    FMUL = 65
    FDIV = 66
    FREM = 67
    FNEG = 68
    # casts
    TRUNC = 80
    ZEXT = 81
    SEXT = 82
    FP_TO_UI = 83
    FP_TO_SI = 84
    UI_TO_FP = 85
    SI_TO_FP = 86
    FP_TRUNC = 87
    FP_EXT = 88
    PTR_TO_INT = 89
    INT_TO_PTR = 90
    BIT_CAST = 91
    ADDR_SPACE_CAST = 92
    PTR_TO_ADDR = 93
    # constants only
    AGGREGATE = 100  # operands: the elements of a constant struct, array or vector


TERMINATORS = frozenset(
    {Op.RET, Op.BR, Op.SWITCH, Op.INDIRECT_BR, Op.UNREACHABLE, Op.INVOKE, Op.RESUME, Op.CALL_BR}
)
CASTS = frozenset(op for op in Op if Op.TRUNC <= op <= Op.PTR_TO_ADDR)
CALLS = frozenset({Op.CALL, Op.INVOKE, Op.CALL_BR})
# Operations whose result is their operand, and those that choose one of several. Where a value comes
# from is asked in most rooms; what counts as a copy is said here only.
COPIES = frozenset({Op.BIT_CAST, Op.ADDR_SPACE_CAST, Op.FREEZE})  # the same bits
POINTER_COPIES = COPIES | {Op.PTR_TO_INT, Op.INT_TO_PTR, Op.PTR_TO_ADDR}  # the same address
WIDENINGS = frozenset({Op.ZEXT, Op.SEXT})
NUMBER_COPIES = POINTER_COPIES | WIDENINGS | {Op.TRUNC}  # the same number, if it is small
CHOICES = frozenset({Op.PHI, Op.SELECT})


class CmpPredicate(IntEnum):
    """Integer predicates (LLVM's numbering); float predicates 0..15 are kept as they are."""

    EQ = 32
    NE = 33
    UGT = 34
    UGE = 35
    ULT = 36
    ULE = 37
    SGT = 38
    SGE = 39
    SLT = 40
    SLE = 41


# What a comparison says with its operands exchanged.
MIRRORED = {
    CmpPredicate.EQ: CmpPredicate.EQ,
    CmpPredicate.NE: CmpPredicate.NE,
    CmpPredicate.UGT: CmpPredicate.ULT,
    CmpPredicate.UGE: CmpPredicate.ULE,
    CmpPredicate.ULT: CmpPredicate.UGT,
    CmpPredicate.ULE: CmpPredicate.UGE,
    CmpPredicate.SGT: CmpPredicate.SLT,
    CmpPredicate.SGE: CmpPredicate.SLE,
    CmpPredicate.SLT: CmpPredicate.SGT,
    CmpPredicate.SLE: CmpPredicate.SGE,
}


class FloatPredicate(IntFlag):
    """Float predicates, `aux` of FCMP: the outcomes for which it is true (15: always, 0: never)."""

    EQUAL = 1
    GREATER = 2
    LESS = 4
    UNORDERED = 8  # one of both is not a number


class RmwOp(IntEnum):
    """What an ATOMIC_RMW stores, of the old value and its operand; its result is the old value."""

    EXCHANGE = 0
    ADD = 1
    SUB = 2
    AND = 3
    NAND = 4  # ~(old & operand)
    OR = 5
    XOR = 6
    MAX = 7
    MIN = 8
    UMAX = 9
    UMIN = 10
    FADD = 11
    FSUB = 12
    FMAX = 13
    FMIN = 14
    UINC_WRAP = 15  # old >= operand (unsigned) ? 0 : old + 1
    UDEC_WRAP = 16  # old == 0 or old > operand ? operand : old - 1
    USUB_COND = 17  # old >= operand ? old - operand : old
    USUB_SAT = 18  # old >= operand ? old - operand : 0
    FMAXIMUM = 19
    FMINIMUM = 20


class ArithFlag(IntFlag):
    """What makes the result of integer arithmetic undefined; in `Operations.aux2`."""

    NO_UNSIGNED_WRAP = 1  # ADD, SUB, MUL, SHL, TRUNC
    NO_SIGNED_WRAP = 2  # ADD, SUB, MUL, SHL, TRUNC: C's signed arithmetic without -fwrapv
    EXACT = 4  # UDIV, SDIV, LSHR, ASHR: no remainder, no bits lost
    DISJOINT = 8  # OR: no bit is set on both sides
    NOT_NEGATIVE = 16  # ZEXT, UI_TO_FP: the operand is not negative as a signed number
    SAME_SIGN = 32  # ICMP: both operands have the same sign bit


class EdgeKind(IntEnum):
    """Why control follows a CFG edge."""

    ALWAYS = 0
    IF_TRUE = 1
    IF_FALSE = 2
    CASE = 3  # `edge_number` holds the case value
    DEFAULT = 4
    INDIRECT = 5  # computed goto, asm goto
    UNWIND = 6


class Linkage(IntEnum):
    """How a symbol takes part in linking."""

    EXTERNAL = 0
    INTERNAL = 1  # static, or private
    WEAK = 2  # weak definition or extern_weak declaration
    LINK_ONCE = 3  # inline functions of which any copy will do
    COMMON = 4
    AVAILABLE_EXTERNALLY = 5  # body known, symbol defined elsewhere
    APPENDING = 6


class FuncFlag(IntFlag):
    """Facts about a function."""

    DECLARATION = 1
    VARARG = 2
    NO_RETURN = 4
    RETURNS_TWICE = 8
    RESULT_NO_ALIAS = 16  # __attribute__((malloc))
    INTRINSIC = 32
    DISCARDED = 64  # another definition of the same symbol was chosen at link time
    ALIAS = 128  # a second name; `Functions.aliasee` is the definition
    ADDRESS_TAKEN = 256  # used as a value other than as the callee of a call
    UNANNOUNCED = 512  # external, but no header declares it: not meant for files that are not given
    RESULT_NOT_NULL = 1024  # __attribute__((returns_nonnull))
    WRITES_NOTHING = 2048  # __attribute__((pure)) or ((const))
    READS_NOTHING = 4096  # __attribute__((const))
    UNCALLED = 8192  # nobody calls it in the programs that were built, as far as these are whole
    CALLED_COPY = 16384  # UNCALLED here; the same file in another program has it called


class ParamFlag(IntFlag):
    """Facts about a parameter of a function with a body."""

    BY_VALUE = 1  # the pointer designates a copy made at the call
    STRUCT_RETURN = 2  # the pointer designates the caller's space for the result
    NEST = 4
    NOT_NULL = 8  # __attribute__((nonnull)); `returned` and the rest come from optimisers only
    RETURNED = 16
    NOT_CAPTURED = 32  # the pointer is in no memory or result when the function returns
    READ_ONLY = 64  # nothing is written through the pointer


class GlobalFlag(IntFlag):
    """Facts about a global variable."""

    DECLARATION = 1
    CONSTANT = 2
    THREAD_LOCAL = 4
    DISCARDED = 8
    ALIAS = 16
    UNANNOUNCED = 32  # external, but no header declares it: not meant for files that are not given
    TENTATIVE = 64  # external, and no initialiser gives it a value: `int n;`
    INCOMPLETE = 128  # the initialiser has more leaves than are kept: those missing are unknown


class CallFlag(IntFlag):
    """Facts about one call; in `Operations.aux` of CALL, INVOKE and CALL_BR."""

    NO_RETURN = 1
    MUST_TAIL = 2
    RETURNS_TWICE = 4


class AccessFlag(IntFlag):
    """Facts about a load or store; in `Operations.aux`."""

    VOLATILE = 1
    ATOMIC = 2


class GepFlag(IntFlag):
    """Facts about an address computation; `Operations.operand_number` of its base."""

    MAY_LEAVE = 1  # not `inbounds`: the address may lie outside of the object


class BindingKind(IntEnum):
    """How a value relates to a source variable."""

    VALUE = 0  # the variable's value is this SSA value
    ADDRESS = 1  # the value is the variable's address (an alloca)
