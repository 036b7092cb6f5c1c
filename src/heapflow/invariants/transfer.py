"""What an instruction computes from what its operands may be."""

from __future__ import annotations

from collections.abc import Iterable

from heapflow.invariants.abstract import (
    ANY,
    BOTH,
    NOTHING,
    POSITIVE,
    Abstract,
    calculated,
    compared,
    cut,
    join,
    widened,
)
from heapflow.invariants.config import InvariantConfig
from heapflow.invariants.values import SAME, Values
from heapflow.ir.kinds import Op, ValueKind

_UNDEF = int(ValueKind.UNDEF)
_GEP, _SELECT, _ICMP, _ALLOCA = map(int, (Op.GEP, Op.SELECT, Op.ICMP, Op.ALLOCA))
_ZEXT, _SEXT, _TRUNC = map(int, (Op.ZEXT, Op.SEXT, Op.TRUNC))
_ARITHMETIC = range(int(Op.ADD), int(Op.XOR) + 1)


class Transfer:
    """Of everything but loads, phis and calls."""

    def __init__(self, values: Values, config: InvariantConfig) -> None:
        self._values = values
        self.most, self.step = config.most_constants, config.largest_counter

    def computed(self, op: int, row: int) -> Abstract:
        values, facts = self._values, self._values.facts
        block = values.block_of[row]
        operands = facts.operands(row)
        if op == _GEP:
            return self._address(row, operands)
        if op == _ALLOCA:
            return POSITIVE
        if op in SAME:
            return values.at(operands[0], block)
        if op == _SELECT:
            tested = values.value(operands[0])
            ways = [one for one in operands[1:3] if facts.value_kind[one] != _UNDEF]
            if isinstance(tested, frozenset) and len(tested) == 1 and len(ways) == 2:
                ways = ways[:1] if any(tested) else ways[1:]
            return self._joined(values.at(one, block) for one in ways) if tested else NOTHING
        if op == _ICMP:
            one, other = (values.at(operand, block) for operand in operands[:2])
            if not values.is_scalar(operands[0]):
                return BOTH
            return compared(facts.aux[row], one, other, values.width(operands[0]))
        if op in _ARITHMETIC:
            one, other = (values.at(operand, block) for operand in operands[:2])
            width = values.bits[facts.type[row]]
            flags = facts.aux2[row]
            return calculated(op, flags, width, one, other, self.most, self.step)
        if op == _ZEXT:
            return widened(values.at(operands[0], block), values.width(operands[0]))
        if op == _SEXT:
            found = values.at(operands[0], block)
            is_bit = values.width(operands[0]) == 1 and isinstance(found, frozenset)
            return frozenset(-(number & 1) for number in found) if is_bit else found  # type: ignore[union-attr]
        if op == _TRUNC:
            return cut(values.at(operands[0], block), values.bits[facts.type[row]])
        return ANY

    def _joined(self, values: Iterable[Abstract]) -> Abstract:
        found = NOTHING
        for one in values:
            found = join(found, one, self.most)
        return found

    def _address(self, row: int, operands: list[int]) -> Abstract:
        base = self._values.value(operands[0])
        if self._values.facts.aux[row] > 0:
            return POSITIVE if base else NOTHING
        if isinstance(base, frozenset):
            return (
                base
                if len(operands) == 1 and not self._values.facts.aux2[row]
                else ANY
                if base
                else base
            )
        return base
