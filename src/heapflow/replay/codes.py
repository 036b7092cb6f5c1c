"""Members of the program's enumerations as plain numbers, for what is asked per instruction.

Looking a member up costs about 150 ns (CPython 3.11), a name of a module little.
"""

from __future__ import annotations

from typing import Final

from heapflow.ir.kinds import COPIES, CmpPredicate, EdgeKind, Op, RmwOp
from heapflow.replay.term import Binary

OP_ADD: Final = int(Op.ADD)
OP_SUB: Final = int(Op.SUB)
OP_MUL: Final = int(Op.MUL)
OP_UDIV: Final = int(Op.UDIV)
OP_SDIV: Final = int(Op.SDIV)
OP_UREM: Final = int(Op.UREM)
OP_SREM: Final = int(Op.SREM)
OP_SHL: Final = int(Op.SHL)
OP_LSHR: Final = int(Op.LSHR)
OP_ASHR: Final = int(Op.ASHR)
OP_AND: Final = int(Op.AND)
OP_OR: Final = int(Op.OR)
OP_XOR: Final = int(Op.XOR)
OP_AGGREGATE: Final = int(Op.AGGREGATE)
OP_BIT_CAST: Final = int(Op.BIT_CAST)
OP_FCMP: Final = int(Op.FCMP)
OP_FNEG: Final = int(Op.FNEG)
OP_GEP: Final = int(Op.GEP)
OP_LOAD: Final = int(Op.LOAD)
OP_STORE: Final = int(Op.STORE)
OP_ICMP: Final = int(Op.ICMP)
OP_SELECT: Final = int(Op.SELECT)
OP_SEXT: Final = int(Op.SEXT)
OP_FP_TRUNC: Final = int(Op.FP_TRUNC)
OP_FP_EXT: Final = int(Op.FP_EXT)
OP_UI_TO_FP: Final = int(Op.UI_TO_FP)
OP_SI_TO_FP: Final = int(Op.SI_TO_FP)
OP_FP_TO_SI: Final = int(Op.FP_TO_SI)

BINARY: Final[dict[int, Binary]] = {
    OP_ADD: "add",
    OP_SUB: "sub",
    OP_MUL: "mul",
    OP_UDIV: "udiv",
    OP_SDIV: "sdiv",
    OP_UREM: "urem",
    OP_SREM: "srem",
    OP_SHL: "shl",
    OP_LSHR: "lshr",
    OP_ASHR: "ashr",
    OP_AND: "and",
    OP_OR: "or",
    OP_XOR: "xor",
}
DIVISIONS: Final = frozenset({OP_UDIV, OP_SDIV, OP_UREM, OP_SREM})
RESIZED: Final = frozenset(
    int(op) for op in (Op.TRUNC, Op.PTR_TO_INT, Op.INT_TO_PTR, Op.ZEXT, Op.PTR_TO_ADDR)
)
SAME_BITS: Final = frozenset(int(op) for op in COPIES)
FLOAT_BINARY: Final = frozenset(int(op) for op in (Op.FADD, Op.FSUB, Op.FMUL, Op.FDIV, Op.FREM))

EDGE_CASE: Final = int(EdgeKind.CASE)
EDGE_DEFAULT: Final = int(EdgeKind.DEFAULT)
EDGE_IF_FALSE: Final = int(EdgeKind.IF_FALSE)
EDGE_IF_TRUE: Final = int(EdgeKind.IF_TRUE)
EDGE_INDIRECT: Final = int(EdgeKind.INDIRECT)

CMP_EQ: Final = int(CmpPredicate.EQ)
CMP_NE: Final = int(CmpPredicate.NE)
CMP_UGT: Final = int(CmpPredicate.UGT)
CMP_UGE: Final = int(CmpPredicate.UGE)
CMP_ULT: Final = int(CmpPredicate.ULT)
CMP_ULE: Final = int(CmpPredicate.ULE)
CMP_SGT: Final = int(CmpPredicate.SGT)
CMP_SGE: Final = int(CmpPredicate.SGE)
CMP_SLT: Final = int(CmpPredicate.SLT)
CMP_SLE: Final = int(CmpPredicate.SLE)

RMW_PLAIN: Final[dict[int, Binary]] = {
    int(RmwOp.ADD): "add",
    int(RmwOp.SUB): "sub",
    int(RmwOp.AND): "and",
    int(RmwOp.OR): "or",
    int(RmwOp.XOR): "xor",
}
FLOAT_RMW: Final[dict[int, int]] = {int(RmwOp.FADD): int(Op.FADD), int(RmwOp.FSUB): int(Op.FSUB)}
