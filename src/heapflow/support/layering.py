"""A layered drawing of a directed graph: which row and column each node gets.

Rows follow the longest path from the roots in the graph without its back edges; within a row, nodes are
put below the mean column of their predecessors (barycentre method), a few sweeps both ways.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

_SWEEPS: Final = 4


def layered(count: int, edges: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """(row, column) of the nodes 0..count-1."""
    successors: list[list[int]] = [[] for _ in range(count)]
    predecessors: list[list[int]] = [[] for _ in range(count)]
    for source, target in edges:
        if source != target:
            successors[source].append(target)
    row = [0] * count
    for node in _topological(successors):
        for target in successors[node]:
            predecessors[target].append(node)
            row[target] = max(row[target], row[node] + 1)
    rows: list[list[int]] = [[] for _ in range(max(row, default=0) + 1)]
    for node in range(count):
        rows[row[node]].append(node)
    column = [0.0] * count
    for sweep in range(_SWEEPS):
        down = sweep % 2 == 0
        neighbours = predecessors if down else successors
        for nodes in rows if down else reversed(rows):
            mean = {
                node: sum(column[other] for other in neighbours[node]) / len(neighbours[node])
                if neighbours[node]
                else column[node]
                for node in nodes
            }
            nodes.sort(key=lambda node: (mean[node], node))
            for position, node in enumerate(nodes):
                column[node] = position - (len(nodes) - 1) / 2
    place = {node: at for nodes in rows for at, node in enumerate(nodes)}
    return [(row[node], place[node]) for node in range(count)]


def _topological(successors: list[list[int]]) -> list[int]:
    """An order in which every remaining edge points forward; back edges are removed in place."""
    state = bytearray(len(successors))  # 1 on the path, 2 done
    post: list[int] = []
    for root in range(len(successors)):
        if state[root]:
            continue
        state[root] = 1
        path = [(root, 0)]
        while path:
            node, position = path.pop()
            if position == len(successors[node]):
                state[node] = 2
                post.append(node)
                continue
            target = successors[node][position]
            if state[target] == 1:
                del successors[node][position]
                path.append((node, position))
                continue
            path.append((node, position + 1))
            if state[target] == 0:
                state[target] = 1
                path.append((target, 0))
    post.reverse()
    return post
