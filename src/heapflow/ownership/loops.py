"""Which instructions of a function stand in a loop, and which values stay the same in it."""

from __future__ import annotations

from heapflow.ir.kinds import COPIES, Op, ValueKind
from heapflow.ownership.config import OwnershipConfig
from heapflow.ownership.tables import Tables
from heapflow.support.scc import components_of

_STEPS = COPIES | {Op.GEP, Op.LOAD}


class Loops:
    """Of one function; a loop is a component of blocks that reach each other."""

    def __init__(self, tables: Tables, config: OwnershipConfig, func: int) -> None:
        self.tables, self.config = tables, config
        blocks, functions = tables.program.blocks, tables.program.functions
        first, last = int(functions.block_start[func]), int(functions.block_start[func + 1])
        starts, targets = blocks.edge_start, blocks.edge_target
        edges: list[list[int]] = [
            [int(one) - first for one in targets[starts[block] : starts[block + 1]]]
            for block in range(first, last)
        ]
        self._loop: dict[int, int] = {}  # block -> loop
        for number, component in enumerate(components_of(edges)):
            if len(component) > 1 or component[0] in edges[component[0]]:
                self._loop.update((first + one, number) for one in component)

    def around(self, row: int) -> int:
        """The loop that an instruction stands in; -1: none."""
        return self._loop.get(self.tables.instr_block[row], -1)

    def _counts(self, row: int, loop: int) -> bool:
        """Whether an index changes from turn to turn: it is counted, or kept in memory."""
        tables = self.tables
        for value in tables.operands(row)[1:] if tables.op[row] == Op.GEP else ():
            for _ in range(self.config.farthest_base):
                if tables.value_kind[value] != ValueKind.INSTR:
                    break
                inner = tables.value_index[value]
                if self.around(inner) != loop:
                    break
                if tables.op[inner] in (Op.PHI, Op.LOAD):
                    return True
                operands = tables.operands(inner)
                if not operands or tables.op[inner] == Op.CALL:
                    break
                value = operands[0]
        return False

    def stays(self, value: int, loop: int) -> bool:
        """Whether a pointer begins at something that is there before the loop."""
        tables = self.tables
        for _ in range(self.config.farthest_base):
            if tables.value_kind[value] != ValueKind.INSTR:
                return True
            row = tables.value_index[value]
            if self.around(row) != loop or tables.op[row] == Op.ALLOCA:
                return True
            if tables.op[row] not in _STEPS or self._counts(row, loop):
                return False
            value = tables.operands(row)[0]
        return False
