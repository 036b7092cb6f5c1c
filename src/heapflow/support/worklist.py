"""A worklist that visits nodes in rank order, in rounds.

A node that becomes due while the current round is already past its rank waits for the next round:
without this a cycle that is not yet known as such would be chased around before anything else runs.
"""

from __future__ import annotations

from heapq import heappop, heappush


class RankedWorklist:
    """Nodes due for a visit; each is queued at most once."""

    __slots__ = ("_current", "_next", "_position", "_queued", "rank")

    def __init__(self) -> None:
        self.rank: list[int] = []
        self._queued = bytearray()
        self._current: list[tuple[int, int]] = []
        self._next: list[int] = []
        self._position = -1

    def grow(self, size: int, rank: int = 0) -> None:
        """Make room for nodes below `size`; new ones get the given rank."""
        missing = size - len(self.rank)
        self.rank.extend([rank] * missing)
        self._queued.extend(bytes(missing))

    def push(self, node: int) -> None:
        if self._queued[node]:
            return
        self._queued[node] = 1
        rank = self.rank[node]
        if rank > self._position:
            heappush(self._current, (rank, node))
        else:
            self._next.append(node)

    def pop(self) -> int:
        """The next node of this round, or -1 at the end of the round."""
        if not self._current:
            return -1
        self._position, node = heappop(self._current)
        self._queued[node] = 0
        return node

    def next_round(self) -> bool:
        """Start the next round (ranks may have changed); False if nothing is due."""
        due = self._next + [node for _, node in self._current]
        self._next = []
        self._position = -1
        self._current = sorted((self.rank[node], node) for node in due)
        return bool(due)
