"""What must hold of the value-flow graph."""

from __future__ import annotations

import numpy as np

from heapflow.memssa.ssa import MemorySsa
from heapflow.support.errors import InternalError
from heapflow.svfg.graph import Direction, NodeKind, Svfg, VRule

_VALUE = frozenset({NodeKind.VALUE})
_MADE = frozenset(
    {NodeKind.STORE, NodeKind.REGION_PHI, NodeKind.ENTRY, NodeKind.ACTUAL_OUT, NodeKind.TRANSFER}
)
_WRITTEN = frozenset({NodeKind.STORE, NodeKind.ACTUAL_OUT, NodeKind.TRANSFER})
_CALLED = frozenset({NodeKind.ACTUAL_OUT, NodeKind.TRANSFER})
# Per rule: kinds of the source, kinds of the target, directions.
_RULES = {
    VRule.COPY: (_VALUE, _VALUE, Direction.INTRA),
    VRule.PHI: (_VALUE, _VALUE, Direction.INTRA),
    VRule.SELECT: (_VALUE, _VALUE, Direction.INTRA),
    VRule.MU: (_MADE, _VALUE, Direction.INTRA),
    VRule.CHI_VALUE: (_VALUE, frozenset({NodeKind.STORE}), Direction.INTRA),
    VRule.CHI_OLD: (_MADE, _WRITTEN, Direction.INTRA),
    VRule.REGION_PHI: (_MADE, frozenset({NodeKind.REGION_PHI}), Direction.INTRA),
    VRule.CSPAR: (_VALUE, frozenset({NodeKind.VALUE, NodeKind.ENTRY}), Direction.CALL),
    VRule.CSRET: (_VALUE, _VALUE, Direction.RETURN),
    VRule.CSMU_IN: (_MADE, frozenset({NodeKind.ACTUAL_IN, NodeKind.EXIT}), Direction.INTRA),
    VRule.CSMU: (frozenset({NodeKind.ACTUAL_IN}), frozenset({NodeKind.ENTRY}), Direction.CALL),
    VRule.CSCHI: (frozenset({NodeKind.EXIT}), _CALLED, Direction.RETURN),
    VRule.CSCHI_OLD: (_MADE, frozenset({NodeKind.ACTUAL_OUT}), Direction.INTRA),
    VRule.TRANSFER: (frozenset({NodeKind.ACTUAL_IN}), _CALLED, Direction.INTRA),
    VRule.MODEL: (_VALUE | {NodeKind.ACTUAL_IN}, _VALUE | _CALLED, Direction.INTRA),
}


def check_svfg(ssa: MemorySsa, svfg: Svfg) -> None:
    """Raise InternalError if a guarantee of `svfg.graph` is broken."""
    _check_tables(svfg)
    _check_rules(svfg)
    _check_labels(ssa, svfg)
    _check_loads(svfg)


def _require(holds: object, what: str) -> None:
    if not holds:
        raise InternalError(f"value-flow graph: {what}")


def _check_tables(svfg: Svfg) -> None:
    nodes, edges = svfg.nodes, svfg.edges
    count = len(nodes)
    _require(np.all((edges.target >= 0) & (edges.target < count)), "edge targets in range")
    _require(np.array_equal(np.sort(edges.backward), np.arange(len(edges))), "backward is complete")
    order = edges.target[edges.backward]
    _require(np.all(order[1:] >= order[:-1]), "backward edges are sorted by target")
    for table in (svfg.sources, svfg.frees, svfg.escapes):
        _require(np.all((table.node >= 0) & (table.node < count)), "marks are on nodes")
    private = nodes.only_from >= 0
    owners = nodes.only_from[private]
    _require(np.all(nodes.kind[owners] == NodeKind.STORE), "private versions belong to a store")
    reached = np.zeros(count, dtype=bool)
    reached[svfg.sources.node] = True
    reached[edges.target] = True
    _require(np.all(reached), "every node is a source or has an edge into it")


def _check_rules(svfg: Svfg) -> None:
    """Every edge's rule can be named and fits its ends."""
    nodes, edges = svfg.nodes, svfg.edges
    for rule, (sources, targets, direction) in _RULES.items():
        chosen = edges.rule == rule
        source, target = nodes.kind[edges.source[chosen]], nodes.kind[edges.target[chosen]]
        _require(np.isin(source, list(sources)).all(), f"{rule.name}: kind of the source")
        _require(np.isin(target, list(targets)).all(), f"{rule.name}: kind of the target")
        _require((edges.direction[chosen] == direction).all(), f"{rule.name}: direction")
    inside = edges.direction == Direction.INTRA
    same = nodes.func[edges.source] == nodes.func[edges.target]
    _require(np.all(same[inside]), "intraprocedural edges stay in their function")
    joins = np.isin(edges.rule, (VRule.PHI, VRule.REGION_PHI))
    _require(np.all(edges.block[joins] >= 0), "φ edges name their predecessor")
    _require(np.all(edges.condition[edges.rule == VRule.SELECT] >= 0), "selects name a condition")


def _check_labels(ssa: MemorySsa, svfg: Svfg) -> None:
    """Call and return edges name a call in the right function whose callees fit."""
    nodes, edges = svfg.nodes, svfg.edges
    func_of_instr = ssa.facts.func_of_instr
    for edge in np.flatnonzero(edges.direction != Direction.INTRA).tolist():
        site = int(edges.site[edge])
        source, target = int(edges.source[edge]), int(edges.target[edge])
        inner, outer = target, source
        if edges.direction[edge] == Direction.RETURN:
            inner, outer = source, target
        _require(
            func_of_instr[site] == nodes.func[outer], "a label is a call of the outer function"
        )
        callees = ssa.accesses.callees.get(site, ())
        _require(int(nodes.func[inner]) in callees, "a label's callees include the inner function")


def _check_loads(svfg: Svfg) -> None:
    """The value of a load comes from somewhere."""
    nodes = svfg.nodes
    loads = (nodes.kind == NodeKind.VALUE) & (nodes.locations >= 0)
    fed = np.diff(svfg.edges.backward_start) > 0
    _require(np.all(fed[loads]), "every load's value comes from somewhere")
