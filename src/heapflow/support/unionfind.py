"""Disjoint sets of dense integers with path halving."""

from __future__ import annotations


class UnionFind:
    """Representatives of merged nodes; the caller chooses who represents."""

    __slots__ = ("parent",)

    def __init__(self, size: int) -> None:
        self.parent = list(range(size))

    def grow(self, size: int) -> None:
        self.parent.extend(range(len(self.parent), size))

    def find(self, node: int) -> int:
        parent = self.parent
        while parent[node] != node:
            parent[node] = node = parent[parent[node]]
        return node

    def union(self, keep: int, drop: int) -> int:
        """Merge both sets; the representative of `keep` represents the result."""
        keep, drop = self.find(keep), self.find(drop)
        self.parent[drop] = keep
        return keep
