"""The program's tables as lists, with the few questions that the work on fields asks of them."""

from __future__ import annotations

from heapflow.ir.columns import Columns
from heapflow.ir.kinds import Op, ValueKind
from heapflow.ir.program import Program
from heapflow.ir.table import listed
from heapflow.ownership.places import Layouts


class Tables(Columns):
    """One for all functions."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self.layouts, instrs = Layouts(program), program.instrs
        self.aux_type: list[int] = listed(instrs.aux_type)
        self.type: list[int] = listed(instrs.type)
        self.global_type: list[int] = program.globals.type.tolist()
        starts = listed(program.functions.param_start)
        self.param_position = [
            position - starts[func] for position, func in enumerate(listed(program.params.func))
        ]

    def const_operands(self, index: int) -> list[int]:
        table = self.program.const_exprs
        found: list[int] = table.operand[
            table.operand_start[index] : table.operand_start[index + 1]
        ].tolist()
        return found

    def const_address(self, index: int) -> tuple[int, int] | None:
        """The global and the offset that a constant expression is the address of."""
        offset = 0
        for _ in range(4):
            table = self.program.const_exprs
            operands = self.const_operands(index)
            if not operands:
                return None
            if table.op[index] == Op.GEP:
                offset += int(table.aux[index]) + int(table.aux2[index])
            kind, index = self.value_kind[operands[0]], self.value_index[operands[0]]
            if kind == ValueKind.GLOBAL:
                return index, offset
            if kind != ValueKind.CONST_EXPR:
                return None
        return None

    def param_ctype(self, func: int, position: int) -> int:
        starts = self.program.functions.param_start
        row = int(starts[func]) + position
        return int(self.program.params.ctype[row]) if row < int(starts[func + 1]) else -1
