"""Strongly connected components of a directed graph, in topological order.

Tarjan's algorithm with an explicit stack: program graphs are deeper than Python's recursion limit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

Node = TypeVar("Node", bound=int)  # an id of some kind


def strong_components(
    roots: Iterable[Node], successors: Callable[[Node], Iterable[Node]], size: int
) -> list[list[Node]]:
    """Components reachable from the roots; a component comes after all that it leads to.

    Reversed, the result is a topological order of the condensed graph. Nodes are 0..size-1.
    """
    order = [0] * size  # 0: unseen; else discovery number
    low = [0] * size
    on_stack = bytearray(size)
    stack: list[Node] = []
    found: list[list[Node]] = []
    counter = 0
    for root in roots:
        if order[root]:
            continue
        counter += 1
        order[root] = low[root] = counter
        stack.append(root)
        on_stack[root] = 1
        path = [(root, iter(successors(root)))]
        while path:
            node, rest = path[-1]
            for target in rest:
                if not order[target]:
                    counter += 1
                    order[target] = low[target] = counter
                    stack.append(target)
                    on_stack[target] = 1
                    path.append((target, iter(successors(target))))
                    break
                if on_stack[target] and order[target] < low[node]:
                    low[node] = order[target]
            else:
                path.pop()
                if path and low[node] < low[path[-1][0]]:
                    low[path[-1][0]] = low[node]
                if low[node] == order[node]:
                    found.append(_pop_component(stack, on_stack, node))
    return found


def _pop_component(stack: list[Node], on_stack: bytearray, root: Node) -> list[Node]:
    component: list[Node] = []
    while True:
        node = stack.pop()
        on_stack[node] = 0
        component.append(node)
        if node == root:
            return component


def components_of(adjacency: Sequence[Iterable[int]]) -> list[list[int]]:
    """Components of a graph given by its adjacency lists."""
    return strong_components(range(len(adjacency)), adjacency.__getitem__, len(adjacency))


def callees_first(adjacency: Sequence[Iterable[int]]) -> list[int]:
    """All nodes, each after those that it leads to, but for the steps that close a cycle."""
    return [
        node for found in components_of(adjacency) for node in _finishing_order(found, adjacency)
    ]


def _finishing_order(component: list[int], adjacency: Sequence[Iterable[int]]) -> list[int]:
    """Depth first from the smallest number on: a node is done after those that it led to."""
    left, order = set(component), []
    for root in sorted(component):
        if root not in left:
            continue
        left.discard(root)
        path = [(root, iter(adjacency[root]))]
        while path:
            target = next((target for target in path[-1][1] if target in left), -1)
            if target < 0:
                order.append(path.pop()[0])
            else:
                left.discard(target)
                path.append((target, iter(adjacency[target])))
    return order
