"""A part of the value-flow graph that is small enough to look at.

In:    Svfg, where to start.     Out: Slice (nodes in order of distance, edges among them).
From a source: everything that its value reaches on paths whose call and return labels match (TSE'14
§4.4), without versions from which neither a value nor a sink is reached. By function: its nodes and
what enters and leaves. A slice stops growing at a limit and says so.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from heapflow.support.errors import UserError
from heapflow.svfg.graph import Direction, NodeKind, Svfg
from heapflow.svfg.names import Names

MOST_NODES = 300  # more boxes than this cannot be read
MOST_STATES = 50_000  # of the context-sensitive search
MOST_DEPTH = 12  # calls inside calls that are told apart


@dataclass(frozen=True)
class Slice:
    """Nodes to show; `roots` are where it starts."""

    title: str
    roots: tuple[int, ...]
    nodes: tuple[int, ...]
    edges: tuple[int, ...]
    cut: bool  # a limit was hit


def slice_from_source(names: Names, file: str, line: int) -> Slice:
    """The forward slice of the allocations on a line."""
    svfg = names.svfg
    roots = []
    for row in range(len(svfg.sources)):
        path, at, _ = names.program.position(int(svfg.sources.instr[row]))
        if at == line and (path == file or path.endswith("/" + file) or file.endswith("/" + path)):
            roots.append(int(svfg.sources.node[row]))
    if not roots:
        raise UserError(f"no allocation at {file}:{line}\n{_nearby(names, file)}")
    found, cut = _forward(svfg, roots)
    kept = _without_dead_ends(svfg, found, roots)
    return _slice(svfg, f"{file}:{line}", roots, kept, cut)


def slice_of_function(names: Names, name: str) -> Slice:
    """All nodes of a function, and the nodes next to them in others."""
    svfg, program = names.svfg, names.program
    funcs = [f for f in range(len(program.functions)) if program.func_name(f) == name]
    if not funcs:
        raise UserError(f"no function {name}")
    inside = np.flatnonzero(np.isin(svfg.nodes.func, funcs)).tolist()
    if not inside:
        raise UserError(f"no tracked allocation reaches function {name}")
    found = dict.fromkeys(inside)
    for node in inside:
        found.update(dict.fromkeys(int(svfg.edges.target[e]) for e in svfg.out_edges(node)))
        found.update(dict.fromkeys(int(svfg.edges.source[e]) for e in svfg.in_edges(node)))
    return _slice(svfg, name, [], list(found), False)


def _nearby(names: Names, file: str) -> str:
    lines = sorted(
        {
            names.line(instr)
            for instr in names.svfg.sources.instr.tolist()
            if names.program.position(instr)[0].endswith(file)
        }
    )
    if not lines:
        return "  no allocation in that file"
    return "  allocations in that file are at lines " + ", ".join(map(str, lines[:20]))


def _slice(svfg: Svfg, title: str, roots: list[int], nodes: list[int], cut: bool) -> Slice:
    if len(nodes) > MOST_NODES:
        nodes, cut = nodes[:MOST_NODES], True
    shown = set(nodes)
    edges = [
        edge
        for node in nodes
        for edge in svfg.out_edges(node)
        if int(svfg.edges.target[edge]) in shown
    ]
    return Slice(title, tuple(roots), tuple(nodes), tuple(edges), cut)


def _forward(svfg: Svfg, roots: list[int]) -> tuple[list[int], bool]:
    """Nodes by distance, on paths with matching labels; unmatched returns climb to callers."""
    edges = svfg.edges
    target, direction = edges.target.tolist(), edges.direction.tolist()
    site = edges.site.tolist()
    seen: set[tuple[int, tuple[int, ...]]] = {(root, ()) for root in roots}
    order: dict[int, None] = dict.fromkeys(roots)
    queue: deque[tuple[int, tuple[int, ...]]] = deque(seen)
    while queue:
        if len(seen) > MOST_STATES or len(order) > 4 * MOST_NODES:
            return list(order), True
        node, stack = queue.popleft()
        for edge in svfg.out_edges(node):
            after = _step(stack, direction[edge], site[edge])
            if after is None or (target[edge], after) in seen:
                continue
            seen.add((target[edge], after))
            order[target[edge]] = None
            queue.append((target[edge], after))
    return list(order), False


def _step(stack: tuple[int, ...], direction: int, site: int) -> tuple[int, ...] | None:
    if direction == Direction.CALL:
        return (*stack, site)[-MOST_DEPTH:]
    if direction == Direction.RETURN:
        if not stack:
            return ()
        return stack[:-1] if stack[-1] == site else None
    return stack


def _without_dead_ends(svfg: Svfg, found: list[int], roots: Iterable[int]) -> list[int]:
    """Drop versions of regions from which nothing but such versions can be reached."""
    inside = set(found)
    useful = {n for n in found if svfg.nodes.kind[n] == NodeKind.VALUE} | set(roots)
    useful |= inside & set(svfg.frees.node.tolist() + svfg.escapes.node.tolist())
    pending = list(useful)
    while pending:
        for edge in svfg.in_edges(pending.pop()):
            source = int(svfg.edges.source[edge])
            if source in inside and source not in useful:
                useful.add(source)
                pending.append(source)
    return [node for node in found if node in useful]
