"""Where a loss is told: the statement, where the instruction is one that several statements share; and
the variable that led to the block before.

In:    Knowledge, a `Loss`.     Out: an instruction, a variable.
"""

from __future__ import annotations

from heapflow.ir.kinds import BindingKind, FuncFlag, Op, ValueKind
from heapflow.replay.events import Loss
from heapflow.replay.executor import Executor
from heapflow.replay.instr import Instr
from heapflow.replay.knowledge import Knowledge
from heapflow.replay.memory import Kind
from heapflow.replay.state import State


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


def variable_before(executor: Executor, state: State, block: int) -> int:
    """The local variable in memory that led to a block before; -1: none, or more than that."""
    way = state.ways.get(block)
    holder = state.objects.get(way.cells[0][0]) if way is not None and len(way.cells) == 1 else None
    if holder is None or holder.kind is not Kind.STACK:
        return -1
    program = executor.knowledge.program
    values, table = program.values, program.bindings
    made = (values.kind == ValueKind.INSTR) & (values.index == holder.by)
    rows = (table.kind == BindingKind.ADDRESS) & made[table.value]
    found: list[int] = table.variable[rows].tolist()
    return found[0] if found else -1
