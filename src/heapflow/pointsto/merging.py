"""Nodes of the solver that become one: cycles of inclusion, and blocks that become one place.

In:    the solver's graph.     Out: the same with nodes merged, ranked in topological order.
Paper: Pereira and Berlin (CGO'09) for cycles; decision 21 for blocks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from heapflow.pointsto.system import NO_FILTER
from heapflow.support.scc import strong_components

if TYPE_CHECKING:
    from heapflow.pointsto.solve import Solver


def collapse_cycles(solver: Solver) -> None:
    """Order the nodes; merge those on a cycle of edges that cut nothing off.

    Nodes that hold nothing yet and nodes that lead nowhere cannot be on a cycle that matters now;
    most nodes are one or the other.
    """
    solver.searched_edges = solver.edges
    find, out, pts = solver.groups.find, solver.out, solver.pts
    steps = {node: [find(dst) for _, _, dst in entries] for node, entries in solver.geps.items()}
    inner = [node for node in range(len(pts)) if pts[node] and (out[node] or node in steps)]
    is_inner = bytearray(len(pts))
    for node in inner:
        is_inner[node] = 1
    successors: dict[int, list[int]] = {}
    for node in inner:
        if solver.merged:
            out[node] = {find(target) for target in out[node]} - {node}
        reached = [target for target in out[node] if is_inner[target]]
        if node in steps:
            reached += [target for target in steps[node] if is_inner[target]]
        successors[node] = reached
    solver.merged = False
    components = strong_components(inner, successors.__getitem__, len(pts))
    rank = solver.work.rank
    rank[:] = [len(components)] * len(rank)
    for position, component in enumerate(reversed(components)):
        for node in component:
            rank[node] = position
        if len(component) > 1:
            _merge_within(solver, component)


def _merge_within(solver: Solver, component: list[int]) -> None:
    inside = {node: number for number, node in enumerate(component)}
    free = [
        [
            inside[target]
            for target in solver.out[node]
            if target in inside and solver.filter[target] in (NO_FILTER, solver.filter[node])
        ]
        for node in component
    ]
    groups = strong_components(range(len(component)), free.__getitem__, len(component))
    for group in groups:
        keep = component[group[0]]
        for number in group[1:]:
            solver.merge(keep, component[number])
        if len(group) > 1 and solver.new[keep]:
            solver.work.push(keep)


def join_places(solver: Solver) -> None:
    """Merge the cells of objects that have become one place."""
    joined, solver.cells.joined = solver.cells.joined, []
    find, first = solver.groups.find, solver.first_cell
    opened: set[int] = set()  # something may have been kept out that is let in now
    for obj, cells in joined:
        keep = find(first + solver.cells.whole[obj])
        nodes = {find(first + cell) for cell in cells} - {keep}
        if any(solver.filter[node] != NO_FILTER for node in nodes):
            opened.add(keep)
        for node in sorted(nodes):
            solver.merge(keep, node)
        if solver.new[keep]:
            solver.work.push(keep)
        solver.copies.joined(obj)
    _pass_again(solver, opened)


def _pass_again(solver: Solver, targets: set[int]) -> None:
    """Let everything into nodes that have no filter any more."""
    find = solver.groups.find
    targets = {find(target) for target in targets}
    for node, reached in enumerate(solver.out):
        if targets and solver.pts[node]:
            for target in sorted({find(one) for one in reached} & targets):
                solver.add(target, solver.pts[node])
