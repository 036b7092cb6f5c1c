"""What values are said to be so far: those of instructions and parameters, and constants."""

from __future__ import annotations

from heapflow.invariants.abstract import ANY, NOTHING, POSITIVE, Abstract
from heapflow.invariants.passed import Passed
from heapflow.ir.kinds import POINTER_COPIES, Op, TypeKind, ValueKind
from heapflow.pointsto.facts import Facts

_INSTR, _PARAM, _INT, _NULL = map(
    int, (ValueKind.INSTR, ValueKind.PARAM, ValueKind.INT, ValueKind.NULL)
)
_ADDRESSES = frozenset(map(int, (ValueKind.GLOBAL, ValueKind.FUNCTION, ValueKind.BLOCK_ADDRESS)))
_CONST_EXPR, _GEP = int(ValueKind.CONST_EXPR), int(Op.GEP)
_SCALARS = frozenset((int(TypeKind.INT), int(TypeKind.POINTER)))
SAME = frozenset(map(int, POINTER_COPIES))


class Values:
    """Filled by the propagation."""

    def __init__(self, facts: Facts) -> None:
        program = facts.program
        self.facts, self.passed = facts, Passed(facts)
        self.known: list[Abstract | None] = [None] * len(facts.value_kind)
        self.block_of: list[int] = program.instrs.block.tolist()
        self.bits: list[int] = program.types.bits.tolist()
        self._number: list[int] = program.values.number.tolist()

    def value(self, number: int) -> Abstract:
        """What an operand may be."""
        kind = self.facts.value_kind[number]
        if kind in (_INSTR, _PARAM):
            found = self.known[number]
            return NOTHING if found is None else found
        if kind == _INT:
            constant = self._number[number]
            bits = self.width(number)
            return frozenset((constant & 1 if bits == 1 else constant,))
        if kind == _NULL:
            return frozenset((0,)) if self.is_scalar(number) else ANY
        if kind in _ADDRESSES:
            return POSITIVE
        if kind == _CONST_EXPR:
            return self._of_expression(number)
        return ANY

    def _of_expression(self, number: int) -> Abstract:
        row = self.facts.row_of_value[number]
        is_address = self.facts.op[row] == _GEP or self.facts.op[row] in SAME
        return POSITIVE if is_address and self.is_scalar(number) else ANY

    def is_scalar(self, number: int) -> bool:
        return self.facts.type_kind[self.facts.value_type[number]] in _SCALARS

    def width(self, number: int) -> int:
        type_id = self.facts.value_type[number]
        return 64 if self.facts.type_kind[type_id] == TypeKind.POINTER else self.bits[type_id]

    def at(self, number: int, block: int) -> Abstract:
        """What a value may be in a block: tests on the way there say more."""
        found = self.value(number)
        return self.passed.narrow(number, found, block) if found else found

    def operand_at(self, row: int, position: int) -> Abstract:
        """What an operand may be where its instruction is."""
        return self.at(self.facts.operands(row)[position], self.block_of[row])

    def has_scalar(self, row: int) -> bool:
        """Whether an instruction computes a number or a pointer."""
        return self.facts.type_kind[self.facts.type[row]] in _SCALARS
