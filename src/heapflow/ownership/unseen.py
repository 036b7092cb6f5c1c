"""How much goes into functions that are not known.

In:    Svfg.     Out: Unseen: blocks that reach an argument of such a function, by function.
A block counts if its value can flow there, whatever the conditions: this is for the summary of a run.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from heapflow.ownership.config import BeliefConfig
from heapflow.svfg.graph import EscapeKind, Svfg


@dataclass(frozen=True, slots=True)
class Unseen:
    """Numbers of allocations."""

    blocks: int  # that reach any of the functions
    by_function: dict[int, int]  # that reach each; none: only what the analysis cannot lose
    left_out: int = 0  # functions that are not counted


def count_unseen(svfg: Svfg, config: BeliefConfig) -> Unseen:
    """Follow values backwards from the arguments of unknown functions."""
    unknown = svfg.escapes.kind == EscapeKind.UNKNOWN_CALL
    rows = zip(
        svfg.escapes.node[unknown].tolist(), svfg.escapes.callee[unknown].tolist(), strict=True
    )
    ends: dict[int, list[int]] = {}
    for node, func in rows:
        if func >= 0:
            ends.setdefault(func, []).append(node)
    calls = Counter({func: len(nodes) for func, nodes in ends.items()})
    sources: dict[int, set[int]] = {}
    for node, instr in zip(svfg.sources.node.tolist(), svfg.sources.instr.tolist(), strict=True):
        sources.setdefault(node, set()).add(instr)
    reaching: set[int] = set()
    by_function: dict[int, int] = {}
    for func, _ in sorted(calls.items(), key=lambda item: (-item[1], item[0]))[
        : config.most_unseen
    ]:
        found: set[int] = set()
        for node in _before(svfg, ends[func]):
            found |= sources.get(node, set())
        by_function[func] = len(found)
        reaching |= found
    return Unseen(len(reaching), by_function, len(calls) - len(by_function))


def _before(svfg: Svfg, ends: list[int]) -> set[int]:
    """Nodes from which a value can flow to one of these."""
    seen, pending = set(ends), list(ends)
    origin = svfg.edges.source
    while pending:
        for edge in svfg.in_edges(pending.pop()):
            node = int(origin[edge])
            if node not in seen:
                seen.add(node)
                pending.append(node)
    return seen
