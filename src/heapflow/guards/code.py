"""The program as plain lists, with what conditions ask of instructions, values and blocks.

Element access in a loop is several times faster on lists than on arrays. `ir.columns` is the same for
rooms that are not compiled: a compiled class cannot extend one that is not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from heapflow.ir.codes import (
    FUNC_DECLARATION,
    TYPE_INT,
    TYPE_POINTER,
    VALUE_FUNCTION,
    VALUE_INSTR,
    VALUE_PARAM,
)
from heapflow.ir.ids import NO_FUNC, NO_INSTR, BlockId, FuncId, InstrId, TypeId, ValueId
from heapflow.ir.jumps import returning_twice
from heapflow.ir.kinds import CALLS
from heapflow.ir.program import Program
from heapflow.ir.table import listed
from heapflow.logic.term import Term, Val


class Code:
    """Columns of the tables, with ids that are told apart."""

    def __init__(self, program: Program) -> None:
        instrs, values, blocks = program.instrs, program.values, program.blocks
        self.op: list[int] = listed(instrs.op)
        self.instr_type: list[TypeId] = listed(instrs.type)
        self.instr_block: list[BlockId] = listed(instrs.block)
        self.aux: list[int] = listed(instrs.aux)
        self.aux2: list[int] = listed(instrs.aux2)
        self.result: list[ValueId] = listed(instrs.result)
        self.operand_start: list[int] = listed(instrs.operand_start)
        self.operand: list[ValueId] = listed(instrs.operand)
        self.operand_block: list[BlockId] = listed(instrs.operand_block)
        self.operand_number: list[int] = listed(instrs.operand_number)
        self.value_kind: list[int] = listed(values.kind)
        self.value_type: list[TypeId] = listed(values.type)
        # An id: of which kind, the value's own kind says.
        self.value_index: list[Any] = listed(values.index)
        self.value_number: list[int] = listed(values.number)
        self.type_kind: list[int] = listed(program.types.kind)
        self.type_bits: list[int] = listed(program.types.bits)
        self.block_func: list[FuncId] = listed(blocks.func)
        self.instr_start: list[int] = listed(blocks.instr_start)
        self.edge_start: list[int] = listed(blocks.edge_start)
        self.edge_target: list[BlockId] = listed(blocks.edge_target)
        self.edge_kind: list[int] = listed(blocks.edge_kind)
        self.edge_condition: list[ValueId] = listed(blocks.edge_condition)
        self.edge_number: list[int] = listed(blocks.edge_number)
        self.func_flags: list[int] = listed(program.functions.flags)
        self.is_declared: list[bool] = [bool(f & FUNC_DECLARATION) for f in self.func_flags]
        self.param_func: list[FuncId] = listed(program.params.func)
        self.param_value: list[ValueId] = listed(program.params.value)
        self.param_start: list[int] = listed(program.functions.param_start)
        self.block_start: list[int] = listed(program.functions.block_start)
        self.aux_type: list[TypeId] = listed(instrs.aux_type)
        self.type_size: list[int] = listed(program.types.size)
        self._alternative: list[FuncId] = listed(program.functions.alternative)
        self._alternative_start: list[int] = listed(program.functions.alternative_start)
        self.returning_twice = returning_twice(program)  # calls of setjmp
        self.call_ops = frozenset(int(op) for op in CALLS)

    def operands(self, instr: int) -> list[ValueId]:
        return self.operand[self.operand_start[instr] : self.operand_start[instr + 1]]

    def instrs_in(self, block: BlockId) -> Sequence[InstrId]:
        """The instructions of a block, in order."""
        return cast(
            "Sequence[InstrId]", range(self.instr_start[block], self.instr_start[block + 1])
        )

    def blocks_of(self, func: FuncId) -> Sequence[BlockId]:
        """The blocks of a function, its entry first."""
        return cast("Sequence[BlockId]", range(self.block_start[func], self.block_start[func + 1]))

    def instr_of(self, value: int) -> InstrId:
        """The instruction that makes a value, or -1."""
        return self.value_index[value] if self.value_kind[value] == VALUE_INSTR else NO_INSTR

    def param_of(self, term: Term) -> int:
        """The parameter (its row) that a term is, or -1."""
        if not isinstance(term, Val) or self.value_kind[term.value] != VALUE_PARAM:
            return -1
        param: int = self.value_index[term.value]
        return param

    def callee(self, instr: int) -> FuncId:
        """The function that a direct call names, or -1."""
        callee = self.operand[self.operand_start[instr]]
        return self.value_index[callee] if self.value_kind[callee] == VALUE_FUNCTION else NO_FUNC

    def alternatives(self, func: FuncId) -> list[FuncId]:
        """The definitions that a declaration may mean, in programs that share one database."""
        first, last = self._alternative_start[func], self._alternative_start[func + 1]
        return self._alternative[first:last] if first < last else []

    def direct_callee(self, instr: int) -> FuncId:
        """The function with a body that a call certainly enters, or -1."""
        func = self.callee(instr)
        return func if func >= 0 and not self.is_declared[func] else NO_FUNC

    def external_callee(self, instr: InstrId) -> FuncId:
        """The external function that a direct call names, or -1."""
        func = self.callee(instr)
        return func if func >= 0 and self.is_declared[func] else NO_FUNC

    def access_size(self, instr: int) -> int:
        """Bytes that a load or store touches."""
        return self.type_size[self.aux_type[instr]]

    def is_pointer(self, value: int) -> bool:
        return self.type_kind[self.value_type[value]] == TYPE_POINTER

    def is_bool(self, type_id: int) -> bool:
        return self.type_kind[type_id] == TYPE_INT and self.type_bits[type_id] == 1
