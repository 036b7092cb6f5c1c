"""Ragged relations as offsets and values (CSR), built in bulk."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from heapflow.support.arrays import I32, I64


def offsets_of(keys: I32 | I64, count: int) -> I64:
    """Offsets of `count` rows, given the row of each entry."""
    start = np.zeros(count + 1, dtype=np.int64)
    np.cumsum(np.bincount(keys, minlength=count), out=start[1:])
    return start


def group_by(keys: I32 | I64, count: int) -> tuple[I64, I64]:
    """Offsets per key and the entries' positions sorted by key, in their old order within a key."""
    order: I64 = np.argsort(keys, kind="stable").astype(np.int64)
    return offsets_of(keys, count), order


def ragged(rows: Sequence[Sequence[int]]) -> tuple[I64, I32]:
    """Offsets and values of a list of lists."""
    start = np.zeros(len(rows) + 1, dtype=np.int64)
    np.cumsum(np.fromiter(map(len, rows), dtype=np.int64, count=len(rows)), out=start[1:])
    flat = [item for row in rows for item in row]
    return start, np.array(flat, dtype=np.int32)


def reach(start: I64, target: I32, roots: Sequence[int]) -> list[int]:
    """Nodes that can be reached from the roots over CSR edges, the roots included, ascending."""
    seen = np.zeros(len(start) - 1, dtype=bool)
    front = np.unique(np.array(roots, dtype=np.int64))
    seen[front] = True
    while len(front):
        counts = start[front + 1] - start[front]
        total = int(counts.sum())
        ends = np.cumsum(counts)
        inside = np.arange(total) - np.repeat(ends - counts, counts)
        found = np.unique(target[np.repeat(start[front], counts) + inside])
        front = found[~seen[found]].astype(np.int64)
        seen[front] = True
    result: list[int] = np.flatnonzero(seen).tolist()
    return result
