"""Collects edges in bulk and sorts them into both CSR directions."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from heapflow.ir.table import I32, I64
from heapflow.support.graph import group_by
from heapflow.svfg.graph import AddressChange, Direction, Edges, VRule

# source, target, rule, direction, site, block, condition, side, change, effect, sees, lands
COLUMNS = 12


@dataclass
class EdgeList:
    """Edges without order; single ones and whole columns."""

    rows: list[tuple[int, ...]] = field(default_factory=list)
    chunks: list[I64] = field(default_factory=list)

    def add(
        self,
        source: int,
        target: int,
        rule: VRule,
        direction: Direction = Direction.INTRA,
        site: int = -1,
        block: int = -1,
        change: AddressChange = AddressChange.EXACT,
        sets: tuple[int, int] = (-1, -1),
        effect: int = -1,
    ) -> None:
        row = (source, target, rule, direction, site, block, -1, 0, change, effect, *sets)
        self.rows.append(row)

    def add_select(self, source: int, target: int, condition: int, side: int) -> None:
        self.rows.append((source, target, VRule.SELECT, 0, -1, -1, condition, side, 0, -1, -1, -1))

    def add_many(
        self,
        source: ArrayLike,
        target: ArrayLike,
        rule: VRule,
        block: ArrayLike = -1,
        effect: ArrayLike = -1,
    ) -> None:
        """Intraprocedural edges of one rule, as columns."""
        sources = np.asarray(source, dtype=np.int64)
        chunk = np.zeros((len(sources), COLUMNS), dtype=np.int64)
        chunk[:, 0] = sources
        chunk[:, 1] = target
        chunk[:, 2] = rule
        chunk[:, 4] = -1
        chunk[:, 5] = block
        chunk[:, 6] = -1
        chunk[:, 9] = effect
        chunk[:, 10:] = -1
        self.chunks.append(chunk)

    def table(self) -> I64:
        """All edges, without repetitions, sorted by source, target and rule."""
        rows = np.array(self.rows, dtype=np.int64).reshape(-1, COLUMNS)
        table = np.concatenate([rows, *self.chunks])
        order = np.lexsort([table[:, column] for column in range(COLUMNS - 1, -1, -1)])
        table = table[order]
        fresh = np.ones(len(table), dtype=bool)
        fresh[1:] = (table[1:] != table[:-1]).any(axis=1)
        result: I64 = table[fresh]
        return result


def freeze_edges(table: I64, node_count: int) -> Edges:
    """Both directions of a sorted edge table."""
    source = table[:, 0].astype(np.int32)
    target = table[:, 1].astype(np.int32)
    start = np.zeros(node_count + 1, dtype=np.int64)
    np.cumsum(np.bincount(source, minlength=node_count), out=start[1:])
    backward_start, backward = group_by(target, node_count)

    def small(column: int) -> I32:
        found: I32 = table[:, column].astype(np.int32)
        return found

    return Edges(
        start=start,
        source=source,
        target=target,
        rule=table[:, 2].astype(np.uint8),
        direction=table[:, 3].astype(np.uint8),
        site=small(4),
        block=small(5),
        condition=small(6),
        side=table[:, 7].astype(np.uint8),
        change=table[:, 8].astype(np.uint8),
        effect=small(9),
        sees=small(10),
        lands=small(11),
        backward_start=backward_start,
        backward=backward.astype(np.int32),
    )
