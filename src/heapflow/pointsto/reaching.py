"""Reaching definitions of memory cells within one function.

Definitions are bits of an integer; a block passes on what it lets through and what it adds. Iterated
over the blocks in order until nothing changes.
"""

from __future__ import annotations

from dataclasses import dataclass

from heapflow.ir.program import Program


@dataclass(frozen=True, slots=True)
class Definition:
    """An instruction that may put a value into a cell; value -1: something unknown."""

    row: int
    cell: int
    value: int
    replaces: bool  # nothing of what was there before is left


def reaching_loads(
    program: Program, func: int, definitions: list[Definition], loads: list[tuple[int, int]]
) -> list[list[Definition]]:
    """For each load (instruction, cell), the definitions of its cell that may be seen there."""
    of_cell: dict[int, int] = {}
    events: dict[int, list[int]] = {}
    for number, definition in enumerate(definitions):
        of_cell[definition.cell] = of_cell.get(definition.cell, 0) | 1 << number
        events.setdefault(definition.row, []).append(number)
    blocks = _Blocks(program, func)
    transfer = dict.fromkeys(blocks.range, (0, 0))
    for row in sorted(events):
        block = blocks.of(row)
        killed, made = transfer[block]
        transfer[block] = _after(definitions, events[row], of_cell, killed, made)
    entry = blocks.solve(transfer)
    found: list[list[Definition]] = []
    for row, cell in loads:
        block = blocks.of(row)
        killed, made = 0, 0
        for earlier in sorted(r for r in events if blocks.of(r) == block and r < row):
            killed, made = _after(definitions, events[earlier], of_cell, killed, made)
        seen = ((entry[block] & ~killed) | made) & of_cell.get(cell, 0)
        found.append([d for n, d in enumerate(definitions) if seen >> n & 1])
    return found


def _after(
    definitions: list[Definition],
    numbers: list[int],
    of_cell: dict[int, int],
    killed: int,
    made: int,
) -> tuple[int, int]:
    for number in numbers:
        definition = definitions[number]
        if definition.replaces:
            killed |= of_cell[definition.cell]
            made &= ~of_cell[definition.cell]
        made |= 1 << number
    return killed, made


class _Blocks:
    """The control-flow graph of one function."""

    def __init__(self, program: Program, func: int) -> None:
        first, last = program.functions.block_start[func : func + 2].tolist()
        self.range = range(first, last)
        edges = program.blocks.edge_start
        targets = program.blocks.edge_target
        self.successors = {
            block: targets[edges[block] : edges[block + 1]].tolist() for block in self.range
        }
        self._block_of = program.instrs.block

    def of(self, row: int) -> int:
        return int(self._block_of[row])

    def solve(self, transfer: dict[int, tuple[int, int]]) -> dict[int, int]:
        """What reaches the start of each block."""
        entry = dict.fromkeys(self.range, 0)
        pending = list(reversed(self.range))
        visited: set[int] = set()
        while pending:
            block = pending.pop()
            killed, made = transfer[block]
            leaving = (entry[block] & ~killed) | made
            for target in self.successors[block]:
                if target not in visited or leaving & ~entry[target]:
                    visited.add(target)
                    entry[target] |= leaving
                    pending.append(target)
        return entry
