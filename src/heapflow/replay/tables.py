"""An entry of a constant table, at an index that is not known.

In:    the bytes of the table, the offset as a term.     Out: a term: which value stands in which
stretch.
"""

from __future__ import annotations

from itertools import pairwise

from heapflow.replay.config import ReplayConfig
from heapflow.replay.relations import may_be_set
from heapflow.replay.term import Term, Value, mask
from heapflow.replay.terms import Terms


def entry_of_table(
    terms: Terms, data: bytes, offset: Term, width: int, most: ReplayConfig
) -> Value | None:
    """The value; None: the table is too long, or changes too often."""
    runs = _runs(data, offset, width, most)
    if runs is None:
        return None
    value: Value = runs[-1][1]
    for (_, before), (start, _) in reversed(list(pairwise(runs))):
        value = terms.ite(width, terms.ult(64, offset, start), before, value)
    return value


def _runs(
    data: bytes, offset: Term, width: int, most: ReplayConfig
) -> list[tuple[int, int]] | None:
    """Offsets at which another value begins, and the values."""
    if len(data) > most.most_table_bytes:
        return None
    size, possible = (width + 7) // 8, may_be_set(offset)
    step = max(min(possible & -possible, size), 1)
    runs: list[tuple[int, int]] = []
    for at in range(0, len(data) - size + 1, step):
        number = int.from_bytes(data[at : at + size], "little") & mask(width)
        if not runs or runs[-1][1] != number:
            runs.append((at, number))
            if len(runs) > most.most_table_runs:
                return None
    return runs or None
