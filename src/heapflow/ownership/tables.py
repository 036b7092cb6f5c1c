"""The program's tables as lists, with the few questions that the work on fields asks of them."""

from __future__ import annotations

from heapflow.ir.kinds import FuncFlag, Op, ValueKind
from heapflow.ir.program import Program
from heapflow.ir.table import listed
from heapflow.ownership.places import Layouts


class Tables:
    """One for all functions."""

    def __init__(self, program: Program) -> None:
        self.program, self.layouts = program, Layouts(program)
        values, instrs = program.values, program.instrs
        self.value_kind: list[int] = listed(values.kind)
        self.value_index: list[int] = listed(values.index)
        self.op: list[int] = listed(instrs.op)
        self.aux: list[int] = listed(instrs.aux)
        self.aux2: list[int] = listed(instrs.aux2)
        self.aux_type: list[int] = listed(instrs.aux_type)
        self.type: list[int] = listed(instrs.type)
        self.block: list[int] = listed(instrs.block)
        self.block_func: list[int] = listed(program.blocks.func)
        self.func_flags: list[int] = listed(program.functions.flags)
        self.global_type: list[int] = program.globals.type.tolist()
        self._starts: list[int] = listed(instrs.operand_start)
        self._operands: list[int] = listed(instrs.operand)
        starts = listed(program.functions.param_start)
        self.param_position = [
            position - starts[func] for position, func in enumerate(listed(program.params.func))
        ]

    def operands(self, row: int) -> list[int]:
        return self._operands[self._starts[row] : self._starts[row + 1]]

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

    def func_of(self, row: int) -> int:
        return self.block_func[self.block[row]]

    def has_body(self, func: int) -> bool:
        return not self.func_flags[func] & FuncFlag.DECLARATION

    def meant(self, func: int) -> int:
        """The definition that a name stands for."""
        functions = self.program.functions
        while self.func_flags[func] & FuncFlag.ALIAS and functions.aliasee[func] >= 0:
            func = int(functions.aliasee[func])
        if not self.has_body(func):
            first, last = functions.alternative_start[func], functions.alternative_start[func + 1]
            if last > first:
                return int(functions.alternative[first])
        return func
