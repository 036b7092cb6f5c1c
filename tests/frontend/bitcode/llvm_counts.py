"""What LLVM itself counts in a module: the independent truth for the reader's tables."""

from __future__ import annotations

from collections import Counter

import llvmlite.binding as llvm

from heapflow.ir.kinds import FuncFlag, Op
from heapflow.ir.program import Program

# LLVM's spelling where it is not ours without underscores.
_SPELLING = {
    "getelementptr": Op.GEP,
    "cmpxchg": Op.CMPXCHG,
    "atomicrmw": Op.ATOMIC_RMW,
    "va_arg": Op.VA_ARG,
}


def llvm_counts(bitcode: bytes) -> Counter[str]:
    """Functions, blocks and instructions by opcode, as llvmlite walks them."""
    module = llvm.parse_bitcode(bitcode, llvm.create_context())
    counts: Counter[str] = Counter()
    for function in module.functions:
        counts["functions"] += 1
        for block in function.blocks:
            counts["blocks"] += 1
            for instr in block.instructions:
                counts[_our_name(instr.opcode)] += 1
    return counts


def table_counts(program: Program) -> Counter[str]:
    """The same, from our tables."""
    is_alias = (program.functions.flags & FuncFlag.ALIAS) != 0
    counts: Counter[str] = Counter()
    counts["functions"] = len(program.functions) - int(is_alias.sum())
    counts["blocks"] = len(program.blocks)
    for op, count in Counter(program.instrs.op.tolist()).items():
        counts[Op(op).name] = count
    return counts


def _our_name(opcode: str) -> str:
    if opcode in _SPELLING:
        return _SPELLING[opcode].name
    for op in Op:
        if op.name.replace("_", "").lower() == opcode.replace("_", ""):
            return op.name
    raise AssertionError(f"LLVM has an opcode {opcode} that our tables do not know")
