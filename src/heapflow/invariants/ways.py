"""Ways on which a function returns, with what each asks of the arguments.

In:    control flow, comparisons of parameters with constants.     Out: `Way`s of functions.
Example: `void *get(size_t n) { if (n == 0) return NULL; … return p; }` returns NULL to who gives 0:
       whoever asks for the size of a struct gets what the second way returns.
Not modelled: tests of what an argument leads to.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from heapflow.invariants.passed import Passed
from heapflow.ir.kinds import Op, ValueKind
from heapflow.pointsto.facts import Facts

_PHI, _RET = int(Op.PHI), int(Op.RET)
_INSTR = int(ValueKind.INSTR)
Asked = tuple[int, int, int]  # a parameter's position, a predicate, a constant


@dataclass(frozen=True, slots=True)
class Way:
    """One way to the end of a function."""

    value: int  # that is returned
    source: int  # the block it comes from
    target: int  # the block in which the ways meet
    asked: tuple[Asked, ...]  # what holds of parameters there


class Ways:
    """Asked for when a call is met; functions whose ways ask nothing have none."""

    def __init__(self, facts: Facts, passed: Passed, most: int) -> None:
        self._facts, self._passed, self._most = facts, passed, most
        self.cut_off = 0  # functions with more ways
        program = facts.program
        self._block_start: list[int] = program.functions.block_start.tolist()
        self._rows: list[int] = program.blocks.instr_start.tolist()
        self._operand_block: list[int] = program.instrs.operand_block.tolist()
        self._of: dict[int, tuple[Way, ...]] = {}
        self.func_of_phi: dict[int, int] = {}  # where ways meet, of functions that were asked for

    def of(self, func: int) -> tuple[Way, ...]:
        """The ways of a function, if some of them ask for something."""
        found = self._of.get(func)
        if found is None:
            found = tuple(self._find(func))
            found = found if any(way.asked for way in found) else ()
            self._of[func] = found
        return found

    def _find(self, func: int) -> Iterator[Way]:
        facts = self._facts
        last = self._rows[self._block_start[func + 1]]
        returns = [
            row for row in range(self._rows[self._block_start[func]], last) if facts.op[row] == _RET
        ]
        operands = facts.operands(returns[0]) if len(returns) == 1 else []
        phi = facts.row_of_value[operands[0]] if operands else -1
        if phi < 0 or facts.value_kind[operands[0]] != _INSTR or facts.op[phi] != _PHI:
            return
        if facts.start[phi + 1] - facts.start[phi] > self._most:
            self.cut_off += 1
            return
        places = {value: position for position, value in enumerate(facts.params(func))}
        target = int(facts.program.instrs.block[phi])
        self.func_of_phi[phi] = func
        for at in range(facts.start[phi], facts.start[phi + 1]):
            source = self._operand_block[at]
            asked = tuple(
                (places[value], predicate, constant)
                for value, predicate, constant in self._passed.on_way(source, target)
                if value in places
            )
            yield Way(facts.operand[at], source, target, asked)
