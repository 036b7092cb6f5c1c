"""Where a loss is told: the statement, where the instruction is one that several statements share.

In:    Knowledge, a `Loss`.     Out: an instruction.
"""

from __future__ import annotations

from heapflow.ir.kinds import FuncFlag, Op
from heapflow.replay.instr import Instr
from heapflow.replay.knowledge import Knowledge
from heapflow.replay.state import Loss


def place_of_loss(knowledge: Knowledge, loss: Loss) -> int:
    """The `return` statement: clang jumps from it to one common return instruction."""
    code = knowledge.code(knowledge.func_of(loss.instr))
    block = code.blocks[knowledge.instr_block[loss.instr]]
    is_return = block.instrs[-1].id == loss.instr and block.instrs[-1].op == Op.RET
    if not is_return or loss.came_from not in code.blocks:
        return loss.instr
    if not all(one.op == Op.LOAD or _is_clean_up(knowledge, one) for one in block.instrs[:-1]):
        return loss.instr
    jump = code.blocks[loss.came_from].instrs[-1].id
    return jump if knowledge.program.position(jump)[1] else loss.instr


def _is_clean_up(knowledge: Knowledge, instr: Instr) -> bool:
    """The end of a variable's life, which every return shares."""
    if instr.op != Op.CALL:
        return False
    callee = knowledge.program.direct_callee(instr.id)
    return callee >= 0 and bool(knowledge.func_flags[callee] & FuncFlag.INTRINSIC)
