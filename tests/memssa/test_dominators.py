"""Dominators against their definition, on random graphs."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from heapflow.support.dominators import find_dominators, find_frontiers


@st.composite
def graphs(draw: st.DrawFn) -> list[list[int]]:
    count = draw(st.integers(1, 9))
    nodes = st.integers(1, count - 1) if count > 1 else st.nothing()
    return [draw(st.lists(nodes, max_size=3)) if count > 1 else [] for _ in range(count)]


def reached(graph: list[list[int]], without: int) -> set[int]:
    if without == 0:
        return set()
    found, pending = {0}, [0]
    while pending:
        for target in graph[pending.pop()]:
            if target != without and target not in found:
                found.add(target)
                pending.append(target)
    return found


@given(graphs())
def test_definition(graph: list[list[int]]) -> None:
    predecessors: list[list[int]] = [[] for _ in graph]
    for node, targets in enumerate(graph):
        for target in dict.fromkeys(targets):
            predecessors[target].append(node)
    found = find_dominators(graph, predecessors)
    frontiers = find_frontiers(found, predecessors)
    everything = reached(graph, -1)
    assert set(found.order) == everything
    for one in everything:
        others = reached(graph, one)
        for other in everything:
            assert found.dominates(one, other) == (other not in others)
        frontier = {
            join
            for join in everything
            if any(found.dominates(one, p) for p in predecessors[join] if p in everything)
            and not (found.dominates(one, join) and one != join)
        }
        assert set(frontiers[one]) == frontier
