"""Edges between functions, labelled with call sites.

In:    MemorySsa, NodeTable.     Out: edges.
Paper: TSE'14 Fig. 6: V-CSPAR, V-CSMU, V-CSCHI; ENT_g and EXT_g of §4.3.
Calls that external functions make back into the program (`qsort`'s comparison) are calls at the site of
the external call. By-value and variable arguments go to the callee's own memory (ENTRY regions).
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from heapflow.ir.kinds import Op
from heapflow.memssa.ssa import DefKind, MemorySsa, UseKind
from heapflow.svfg.edges import EdgeList
from heapflow.svfg.graph import Direction, VRule
from heapflow.svfg.nodes import NodeTable

Interface = dict[int, list[tuple[int, int]]]  # function -> (node, classes of its region)


def connect_calls(ssa: MemorySsa, nodes: NodeTable, edges: EdgeList) -> None:
    """All call and return edges."""
    _parameters(ssa, nodes, edges)
    entries, exits = _interfaces(ssa, nodes)
    regions = ssa.regions.classes
    into, out_of = _Overlaps(entries), _Overlaps(exits)
    for call, callees in ssa.accesses.callees.items():
        ins, outs = nodes.uses_at.get(call, ()), nodes.defs_at.get(call, ())
        for use in ins:
            node, classes = int(nodes.of_use[use]), regions[nodes.use_region[use]]
            for callee in callees:
                # [V-CSMU] μ̂(R_t) → U_k^g(R_t) = {R ∈ ENT_g | R ∩ R_t ≠ ∅}, (k
                for entry in into.of(callee, classes):
                    edges.add(node, entry, VRule.CSMU, Direction.CALL, call)
        for number in outs:
            node, classes = nodes.first_def + number, regions[nodes.def_region[number]]
            for callee in callees:
                # [V-CSCHI] D_k^g(R_t) = {R ∈ EXT_g | R ∩ R_t ≠ ∅} → R̂_t, )k
                for leaving in out_of.of(callee, classes):
                    edges.add(leaving, node, VRule.CSCHI, Direction.RETURN, call)
    _incoming(ssa, nodes, edges, entries)


class _Overlaps:
    """Which interface nodes of a callee overlap a set: asked again and again with the same sets."""

    def __init__(self, interface: Interface) -> None:
        self._interface = interface
        self._known: dict[tuple[int, int], list[int]] = {}

    def of(self, func: int, classes: int) -> list[int]:
        key = (func, classes)
        known = self._known.get(key)
        if known is None:
            known = [node for node, own in self._interface.get(func, ()) if own & classes]
            self._known[key] = known
        return known


def _interfaces(ssa: MemorySsa, nodes: NodeTable) -> tuple[Interface, Interface]:
    """ENT_g and EXT_g: version 0 of the regions read, and the μ at returns."""
    entries: Interface = defaultdict(list)
    exits: Interface = defaultdict(list)
    func_of_region: list[int] = ssa.regions.func.tolist()
    classes = ssa.regions.classes
    for number in np.flatnonzero(ssa.defs.kind == DefKind.ENTRY).tolist():
        region = nodes.def_region[number]
        entries[func_of_region[region]].append((nodes.first_def + number, classes[region]))
    for use in np.flatnonzero(ssa.uses.kind == UseKind.RETURN).tolist():
        region = nodes.use_region[use]
        exits[func_of_region[region]].append((int(nodes.of_use[use]), classes[region]))
    return dict(entries), dict(exits)


def _parameters(ssa: MemorySsa, nodes: NodeTable, edges: EdgeList) -> None:
    # [V-CSPAR] p_i = F_k(…, q_j, …), g ∈ Callees(F_k)   ⟹   q̂_j → PAR_g(q_j) (k, RET_g → p̂_i )k
    facts, node_of = ssa.facts, nodes.value_node
    returns = _returned_values(ssa, nodes)
    for call, callees in ssa.memory.callees.items():
        args = facts.operands(call)[1:]
        result = facts.result[call]
        carried = [(number, node_of[arg]) for number, arg in enumerate(args) if node_of[arg] >= 0]
        wanted = result >= 0 and node_of[result] >= 0
        if not carried and not wanted:
            continue
        for callee in callees:
            if not facts.has_body(callee):
                continue
            params = facts.params(callee)
            for number, source in carried:
                if number < len(params) and node_of[params[number]] >= 0:
                    target = node_of[params[number]]
                    edges.add(source, target, VRule.CSPAR, Direction.CALL, call)
            for source, block in returns.get(callee, ()) if wanted else ():
                edges.add(source, node_of[result], VRule.CSRET, Direction.RETURN, call, block)
    for call, callbacks in ssa.acts.callbacks.items():
        for callback in callbacks:
            for param, arg in zip(facts.params(callback.func), callback.args, strict=False):
                if arg >= 0 and node_of[arg] >= 0 and node_of[param] >= 0:
                    edges.add(node_of[arg], node_of[param], VRule.CSPAR, Direction.CALL, call)


def _returned_values(ssa: MemorySsa, nodes: NodeTable) -> dict[int, list[tuple[int, int]]]:
    """Per function the carrying values that it returns, with the block of the return."""
    facts = ssa.facts
    found: dict[int, list[tuple[int, int]]] = {}
    block = ssa.program.instrs.block
    for row in np.flatnonzero(ssa.program.instrs.op == Op.RET).tolist():
        for value in facts.operands(row):
            node = nodes.value_node[value]
            if node >= 0:
                entry = (node, int(block[row]))
                found.setdefault(facts.func_of_instr[row], []).append(entry)
    return found


def _incoming(ssa: MemorySsa, nodes: NodeTable, edges: EdgeList, entries: Interface) -> None:
    """By-value and variable arguments."""
    translate = ssa.classes.translate
    for call, copies in ssa.carriers.incoming.items():
        for copy in copies:
            places = translate(copy.places)
            targets = [node for node, own in entries.get(copy.func, ()) if own & places]
            if copy.value >= 0:
                source = nodes.value_node[copy.value]
                sources, rule = [source] if source >= 0 else [], VRule.CSPAR
            else:
                sources, rule = nodes.in_nodes(call, translate(copy.sources)), VRule.CSMU
            for source in sources:
                for target in targets:
                    edges.add(source, target, rule, Direction.CALL, call)
