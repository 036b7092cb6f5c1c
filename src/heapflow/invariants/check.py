"""Check what the propagation promises (`--check-phases`, tests).

- Whatever an instruction that is reached stores to a cell is among what is said of the cell.
- Whatever a call that is reached gives to a function whose callers are all known is among what is said
  of its parameter.
- What is said of a value is something, within the bound of constants.
"""

from __future__ import annotations

from heapflow.invariants.abstract import Abstract, join
from heapflow.invariants.solve import Solution
from heapflow.ir.kinds import Op
from heapflow.pointsto.facts import CALLS
from heapflow.support.errors import InternalError


def check_solution(solution: Solution) -> None:
    """Raises InternalError for the first guarantee that does not hold."""
    facts, cells = solution.facts, solution.cells
    for row in range(facts.instr_count):
        if not solution.is_reached(row):
            continue
        operands = facts.operands(row)
        if facts.op[row] == Op.STORE and operands[0] in cells.of_value:
            cell = cells.of_value[operands[0]]
            _within(solution, row, solution.values.operand_at(row, 1), solution.content[cell])
        elif facts.op[row] in CALLS:
            for func in solution.calls.targets(row):
                if facts.has_body(func) and not solution.open[func]:
                    for position, value in enumerate(facts.params(func)[: len(operands) - 1]):
                        given = solution.values.operand_at(row, position + 1)
                        _within(solution, row, given, solution.value(value))


def _within(solution: Solution, row: int, part: Abstract, whole: Abstract) -> None:
    if join(whole, part, solution.most) != whole:
        raise InternalError(f"invariants: instruction {row} gives {part}, where {whole} is said")
    if isinstance(whole, frozenset) and len(whole) > solution.most:
        raise InternalError(f"invariants: {len(whole)} constants for instruction {row}")
