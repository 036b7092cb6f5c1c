"""Members of the program's enumerations as plain names, for what is asked per instruction.

Looking a member up costs about 150 ns (CPython 3.11); a name of a module costs little, and nothing once
it is compiled as `Final`. Codes that are compared with columns of the program are integers.
"""

from __future__ import annotations

from typing import Final

from heapflow.ir.kinds import (
    CallFlag,
    CmpPredicate,
    EdgeKind,
    FuncFlag,
    Op,
    TypeKind,
    ValueKind,
)

CALL_NO_RETURN: Final = int(CallFlag.NO_RETURN)
CMP_EQ: Final = CmpPredicate.EQ
CMP_NE: Final = CmpPredicate.NE
CMP_SGE: Final = CmpPredicate.SGE
CMP_SGT: Final = CmpPredicate.SGT
CMP_SLT: Final = CmpPredicate.SLT
CMP_UGE: Final = CmpPredicate.UGE
CMP_UGT: Final = CmpPredicate.UGT
CMP_ULT: Final = CmpPredicate.ULT
EDGE_ALWAYS: Final = int(EdgeKind.ALWAYS)
EDGE_CASE: Final = int(EdgeKind.CASE)
EDGE_DEFAULT: Final = int(EdgeKind.DEFAULT)
EDGE_IF_FALSE: Final = int(EdgeKind.IF_FALSE)
EDGE_IF_TRUE: Final = int(EdgeKind.IF_TRUE)
EDGE_UNWIND: Final = int(EdgeKind.UNWIND)
FUNC_DECLARATION: Final = int(FuncFlag.DECLARATION)
FUNC_INTRINSIC: Final = int(FuncFlag.INTRINSIC)
FUNC_NO_RETURN: Final = int(FuncFlag.NO_RETURN)
FUNC_RESULT_NO_ALIAS: Final = int(FuncFlag.RESULT_NO_ALIAS)
OP_ALLOCA: Final = int(Op.ALLOCA)
OP_AND: Final = int(Op.AND)
OP_GEP: Final = int(Op.GEP)
OP_ICMP: Final = int(Op.ICMP)
OP_LOAD: Final = int(Op.LOAD)
OP_OR: Final = int(Op.OR)
OP_PHI: Final = int(Op.PHI)
OP_RESUME: Final = int(Op.RESUME)
OP_RET: Final = int(Op.RET)
OP_SELECT: Final = int(Op.SELECT)
OP_SEXT: Final = int(Op.SEXT)
OP_STORE: Final = int(Op.STORE)
OP_XOR: Final = int(Op.XOR)
OP_ZEXT: Final = int(Op.ZEXT)
TYPE_INT: Final = int(TypeKind.INT)
TYPE_POINTER: Final = int(TypeKind.POINTER)
VALUE_CONST_EXPR: Final = int(ValueKind.CONST_EXPR)
VALUE_FUNCTION: Final = int(ValueKind.FUNCTION)
VALUE_GLOBAL: Final = int(ValueKind.GLOBAL)
VALUE_INSTR: Final = int(ValueKind.INSTR)
VALUE_INT: Final = int(ValueKind.INT)
VALUE_NULL: Final = int(ValueKind.NULL)
VALUE_PARAM: Final = int(ValueKind.PARAM)
VALUE_UNDEF: Final = int(ValueKind.UNDEF)
