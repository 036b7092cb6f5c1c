"""Columns of the tables as lists, with the questions that every phase asks of them.

In:    Program.     Out: `Columns`, which phases extend by what they need.
Lists are shared by all who ask (`listed`), so a second view costs nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, cast

from heapflow.ir.ids import BlockId, FuncId, GlobalId, InstrId, TypeId, ValueId
from heapflow.ir.kinds import CALLS, FuncFlag, GlobalFlag
from heapflow.ir.program import Program
from heapflow.ir.table import listed

_DECLARATION: Final = int(FuncFlag.DECLARATION)
_ALIAS: Final = int(FuncFlag.ALIAS)
_GLOBAL_DECLARATION: Final = int(GlobalFlag.DECLARATION)
_GLOBAL_ALIAS: Final = int(GlobalFlag.ALIAS)


class Columns:
    """Values, instructions, blocks and functions of one program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        values, instrs = program.values, program.instrs
        self.value_kind: list[int] = listed(values.kind)
        # An id: of which kind, the value's own kind says.
        self.value_index: list[Any] = listed(values.index)
        self.value_type: list[TypeId] = listed(values.type)
        self.op: list[int] = listed(instrs.op)
        self.aux: list[int] = listed(instrs.aux)
        self.aux2: list[int] = listed(instrs.aux2)
        self.operand_start: list[int] = listed(instrs.operand_start)
        self.operand: list[ValueId] = listed(instrs.operand)
        self.instr_block: list[BlockId] = listed(instrs.block)
        self.block_func: list[FuncId] = listed(program.blocks.func)
        self.func_flags: list[int] = listed(program.functions.flags)
        self.instr_start: list[int] = listed(program.blocks.instr_start)
        self.block_start: list[int] = listed(program.functions.block_start)
        self._meant: dict[int, FuncId] = {}

    def operands(self, instr: int) -> list[ValueId]:
        return self.operand[self.operand_start[instr] : self.operand_start[instr + 1]]

    def instrs_in(self, block: int) -> Sequence[InstrId]:
        """The instructions of a block, in order."""
        start = self.instr_start
        return cast("Sequence[InstrId]", range(start[block], start[block + 1]))

    def instrs_of(self, func: int) -> Sequence[InstrId]:
        """The instructions of a function, in order."""
        return cast("Sequence[InstrId]", self.program.instr_range(func))

    def blocks_of(self, func: int) -> Sequence[BlockId]:
        """The blocks of a function, its entry first."""
        start = self.block_start
        return cast("Sequence[BlockId]", range(start[func], start[func + 1]))

    def is_call(self, instr: int) -> bool:
        return self.op[instr] in CALLS

    def func_of(self, instr: int) -> FuncId:
        return self.block_func[self.instr_block[instr]]

    def has_body(self, func: int) -> bool:
        return not self.func_flags[func] & _DECLARATION

    def meant(self, func: int) -> FuncId:
        """The function that a name stands for: an alias is its target, and so is a declaration that
        can only mean one definition."""
        found = self._meant.get(func)
        if found is None:
            found = self._meant[func] = self._find_meant(func)
        return found

    def meant_global(self, number: int) -> GlobalId:
        """The same of a global variable."""
        table = self.program.globals
        while table.flags[number] & _GLOBAL_ALIAS and table.aliasee[number] >= 0:
            number = int(table.aliasee[number])
        if table.flags[number] & _GLOBAL_DECLARATION:
            first, last = table.alternative_start[number], table.alternative_start[number + 1]
            if last > first:
                number = int(table.alternative[first])
        return GlobalId(number)

    def _find_meant(self, func: int) -> FuncId:
        functions = self.program.functions
        while self.func_flags[func] & _ALIAS and functions.aliasee[func] >= 0:
            func = FuncId(int(functions.aliasee[func]))
        if not self.has_body(func):
            first, last = functions.alternative_start[func], functions.alternative_start[func + 1]
            if last > first:
                return FuncId(int(functions.alternative[first]))
        return FuncId(func)
