"""Which way a leak's condition goes: edges that it does not take, so that they are tried last.

In:    a verdict, guards.     Out: edges of branches in its function.
"""

from __future__ import annotations

from heapflow.guards.guards import GuardBook
from heapflow.leaks.verdict import Verdict
from heapflow.logic.space import GuardOverflow

_NONE: frozenset[int] = frozenset()


def edges_not_taken(book: GuardBook, verdict: Verdict, most_nodes: int) -> frozenset[int]:
    """Edges whose condition excludes the leak's."""
    space, leaks = book.space, verdict.leaks
    if space.is_false(leaks) or space.size(leaks) > most_nodes:
        return _NONE
    guards = book.guards(verdict.source.func)
    found: set[int] = set()
    try:
        for edges in guards.cfg.out_edges.values():
            if len(edges) < 2:
                continue
            for edge in edges:
                condition = guards.edge_condition(edge)
                if space.size(condition) <= most_nodes and space.is_false(leaks & condition):
                    found.add(edge)
    except GuardOverflow:
        space.collect()
        return _NONE
    return frozenset(found)
