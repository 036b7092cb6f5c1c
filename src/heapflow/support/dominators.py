"""Dominator tree and dominance frontiers of a flow graph.

Cooper, Harvey and Kennedy, "A simple, fast dominance algorithm" (2001). Nodes are 0..n-1, 0 is the
entry; nodes that cannot be reached from it have no dominator and appear nowhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

NONE: Final = -1


@dataclass(frozen=True)
class Dominators:
    """The tree, and intervals that answer `dominates` in constant time."""

    order: list[int]  # reachable nodes in reverse postorder
    idom: list[int]  # NONE for the entry and for unreachable nodes
    children: list[list[int]]
    first: list[int]  # preorder number in the tree; NONE if unreachable
    last: list[int]  # largest preorder number below

    def dominates(self, one: int, other: int) -> bool:
        """Whether every path to `other` passes `one`; a node dominates itself."""
        return NONE < self.first[one] <= self.first[other] <= self.last[one]


def find_dominators(
    successors: Sequence[Sequence[int]], predecessors: Sequence[Sequence[int]]
) -> Dominators:
    """Dominators of all nodes that the entry reaches."""
    order = reverse_postorder(successors)
    idom = _immediate_dominators(order, predecessors)
    children: list[list[int]] = [[] for _ in successors]
    for node in order[1:]:
        children[idom[node]].append(node)
    first, last = _intervals(children)
    return Dominators(order, idom, children, first, last)


def reverse_postorder(successors: Sequence[Sequence[int]]) -> list[int]:
    """Nodes reachable from node 0; a node comes before its successors except along back edges."""
    if not successors:
        return []
    seen = bytearray(len(successors))
    seen[0] = 1
    post: list[int] = []
    path = [(0, iter(successors[0]))]
    while path:
        node, rest = path[-1]
        for target in rest:
            if not seen[target]:
                seen[target] = 1
                path.append((target, iter(successors[target])))
                break
        else:
            path.pop()
            post.append(node)
    post.reverse()
    return post


def _immediate_dominators(order: list[int], predecessors: Sequence[Sequence[int]]) -> list[int]:
    position = [NONE] * len(predecessors)
    for number, node in enumerate(order):
        position[node] = number
    idom = [NONE] * len(predecessors)
    if not order:
        return idom
    idom[order[0]] = order[0]
    changed = True
    while changed:
        changed = False
        for node in order[1:]:
            new = NONE
            for pred in predecessors[node]:
                if idom[pred] == NONE:
                    continue
                new = pred if new == NONE else _meet(idom, position, pred, new)
            if idom[node] != new:
                idom[node] = new
                changed = True
    idom[order[0]] = NONE
    return idom


def _meet(idom: list[int], position: list[int], one: int, other: int) -> int:
    while one != other:
        while position[one] > position[other]:
            one = idom[one]
        while position[other] > position[one]:
            other = idom[other]
    return one


def _intervals(children: list[list[int]]) -> tuple[list[int], list[int]]:
    first, last = [NONE] * len(children), [NONE] * len(children)
    counter = 0
    path: list[tuple[int, int]] = [(0, 0)] if children else []
    while path:
        node, done = path.pop()
        if done == 0:
            first[node] = counter
            counter += 1
        if done < len(children[node]):
            path.append((node, done + 1))
            path.append((children[node][done], 0))
        else:
            last[node] = counter - 1
    return first, last


def find_frontiers(
    dominators: Dominators, predecessors: Sequence[Sequence[int]]
) -> list[list[int]]:
    """The dominance frontier of each node: where what it dominates meets what it does not."""
    order, idom = dominators.order, dominators.idom
    frontier: list[set[int]] = [set() for _ in predecessors]
    reachable = set(order)
    for node in order:
        joining = [pred for pred in predecessors[node] if pred in reachable]
        # The entry has an invisible predecessor, so one visible one makes it a join.
        if len(joining) < 2 and node != 0:
            continue
        for pred in joining:
            runner = pred
            while runner not in (NONE, idom[node]):
                frontier[runner].add(node)
                runner = idom[runner]
    return [sorted(found) for found in frontier]
