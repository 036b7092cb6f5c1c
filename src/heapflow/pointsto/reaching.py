"""Reaching definitions of memory cells within one function.

Definitions are bits of an integer; a block passes on what it lets through and what it adds. Iterated
over the blocks in order until nothing changes. Cells do not touch each other: those of a function with
very many definitions are looked at in parts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from heapflow.ir.program import Program
from heapflow.support.bitset import members

_TOGETHER = 2000  # definitions in one set


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
    blocks = _Blocks(program, func)
    found: list[list[Definition]] = [[] for _ in loads]
    asked: dict[int, list[int]] = {}
    for number, (_, cell) in enumerate(loads):
        asked.setdefault(cell, []).append(number)
    for some in _in_parts(definitions, asked):
        here = {definition.cell for definition in some}
        numbers = [number for cell in sorted(here) for number in asked[cell]]
        for number, seen in zip(numbers, _seen(blocks, some, loads, numbers), strict=True):
            found[number] = [some[one] for one in members(seen)]
    return found


def _in_parts(definitions: list[Definition], asked: Collection[int]) -> Iterator[list[Definition]]:
    """Those of the cells that are asked about, cell by cell, as many together as fit in short sets:
    where a hundred calls may each write a hundred variables, one set for all of them would be long."""
    by_cell: dict[int, list[Definition]] = {}
    for definition in definitions:
        if definition.cell in asked:
            by_cell.setdefault(definition.cell, []).append(definition)
    part: list[Definition] = []
    for some in by_cell.values():
        if part and len(part) + len(some) > _TOGETHER:
            yield part
            part = []
        part = part + some
    if part:
        yield part


def _seen(
    blocks: _Blocks,
    definitions: list[Definition],
    loads: list[tuple[int, int]],
    numbers: list[int],
) -> Iterator[int]:
    """For each of some loads, the numbers of the definitions that it may see."""
    of_cell: dict[int, int] = {}
    events: dict[int, dict[int, list[int]]] = {}  # by block and row
    for number, definition in enumerate(definitions):
        of_cell[definition.cell] = of_cell.get(definition.cell, 0) | 1 << number
        rows = events.setdefault(blocks.of(definition.row), {})
        rows.setdefault(definition.row, []).append(number)
    transfer = dict.fromkeys(blocks.range, (0, 0))
    for block, rows in events.items():
        for row in sorted(rows):
            transfer[block] = _after(definitions, rows[row], of_cell, *transfer[block])
    entry = blocks.solve(transfer)
    for row, cell in (loads[number] for number in numbers):
        block = blocks.of(row)
        killed, made = 0, 0
        for earlier in sorted(one for one in events.get(block, ()) if one < row):
            killed, made = _after(definitions, events[block][earlier], of_cell, killed, made)
        yield ((entry[block] & ~killed) | made) & of_cell[cell]


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
