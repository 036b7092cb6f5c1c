"""Rows of instructions, and the value numbers that records use.

Value numbers in records are relative to the current instruction; a number that is not yet defined
(a forward reference) is followed by its type. Ours are LLVM's numbers shifted by a constant per
function, so a forward reference needs no patching.
"""

from __future__ import annotations

from heapflow.frontend.bitcode.unit import OperationRows, Unit


class Bodies:
    """Blocks, edges and instructions of all functions of a unit."""

    def __init__(self) -> None:
        self.instrs = OperationRows()
        self.block_func: list[int] = []
        self.block_instr_end: list[int] = []
        self.block_edge_end: list[int] = []  # in `edges`
        self.edges: list[int] = []  # target block, EdgeKind, condition value, case number of each


class RowWriter:
    """Appends instructions to `bodies`; what runs for each of them is bound once."""

    def __init__(self, unit: Unit) -> None:
        self.bodies = Bodies()
        self._rows = self.bodies.instrs
        self._operands = self._rows.operands
        self._value_type = unit.value_type
        self._loc = self._rows.loc  # one per finished instruction
        self._add_row = self._rows.rows.extend
        self._add_operands = self._operands.extend
        self._add_kind = unit.value_kind.append
        self._add_type = unit.value_type.append
        self._add_index = unit.value_index.append
        self._add_edge = self.bodies.edges.extend
        self._shared = 0  # number of values that all functions share
        self._shift = 0  # our value id = LLVM's number + shift, for function-local values
        self._next = 0  # LLVM's number of the next value
        self._first_block = 0

    def _absolute(self, number: int) -> int:
        return number if number < self._shared else number + self._shift

    def _relative(self, relative: int) -> int:
        """Our id of a relative value number."""
        number = (self._next - relative) & 0xFFFF_FFFF
        return number if number < self._shared else number + self._shift

    def _typed(self, ops: list[int], at: int) -> tuple[int, int, int]:
        """(value, its type, position after it) of a relative number with optional type."""
        number = (self._next - ops[at]) & 0xFFFF_FFFF
        value = number if number < self._shared else number + self._shift
        if number < self._next:
            return value, self._value_type[value], at + 1
        return value, ops[at + 1], at + 2

    def _emit(
        self,
        op: int,
        type_id: int,
        operands: list[int],
        aux: int = 0,
        aux2: int = 0,
        aux_type: int = -1,
    ) -> None:
        """Append an instruction; `type_id` -1 means that it has no result."""
        result = -1
        if type_id >= 0:
            result = len(self._value_type)
            self._add_kind(0)  # ValueKind.INSTR
            self._add_type(type_id)
            self._add_index(len(self._loc))
            self._next += 1
        self._add_row((op, type_id, result, aux, aux2, aux_type, len(operands)))
        self._add_operands(operands)
