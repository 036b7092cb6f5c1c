"""Edges of region versions within a function.

In:    MemorySsa, NodeTable.     Out: edges.
Paper: TSE'14 Fig. 6: V-MU, V-CHI, V-PHI on regions, and the intraprocedural halves of V-CSMU, V-CSCHI.
"""

from __future__ import annotations

import numpy as np

from heapflow.ir.kinds import Op
from heapflow.memssa.accesses import replacing_effect
from heapflow.memssa.ssa import DefKind, MemorySsa, UseKind
from heapflow.svfg.edges import EdgeList
from heapflow.svfg.graph import VRule
from heapflow.svfg.nodes import NodeTable


def connect_memory(ssa: MemorySsa, nodes: NodeTable, edges: EdgeList, own: dict[int, int]) -> None:
    """All edges between versions, and between versions and values.

    `own`: definitions by a store whose value has a private version, with that node.
    """
    _loads(ssa, nodes, edges)
    _stores(ssa, nodes, edges, own)
    _old_versions(ssa, nodes, edges)
    _phis(ssa, nodes, edges)
    # [V-CSMU] μ(R_t) at call k   ⟹   R̂_t → μ̂(R_t); likewise for μ(R_t) at a return
    standing = nodes.standing
    edges.add_many(
        nodes.first_def + ssa.uses.definition[standing].astype(np.int64),
        nodes.of_use[standing],
        VRule.CSMU_IN,
    )


def _loads(ssa: MemorySsa, nodes: NodeTable, edges: EdgeList) -> None:
    # [V-MU] p_i = *q_j, μ(R_t)   ⟹   R̂_t → p̂_i
    chosen = np.flatnonzero(ssa.uses.kind == UseKind.LOAD)
    result = ssa.program.instrs.result[ssa.uses.instr[chosen]]
    target = nodes.of_value[result]
    source = nodes.first_def + ssa.uses.definition[chosen].astype(np.int64)
    known = target >= 0
    edges.add_many(source[known], target[known], VRule.MU)


def _stores(ssa: MemorySsa, nodes: NodeTable, edges: EdgeList, own: dict[int, int]) -> None:
    # [V-CHI] *p_i = q_j, R_t = χ(R_s)   ⟹   q̂_j → R̂_t
    facts = ssa.facts
    instrs = ssa.defs.instr.tolist()
    for number in np.flatnonzero(ssa.defs.kind == DefKind.STORE).tolist():
        row = instrs[number]
        operands = facts.operands(row)
        stored = operands[-1] if facts.op[row] != Op.ATOMIC_RMW else operands[1]
        source = nodes.value_node[stored]
        if source >= 0:
            target = own.get(number, nodes.first_def + number)
            edges.add(source, target, VRule.CHI_VALUE)


def _old_versions(ssa: MemorySsa, nodes: NodeTable, edges: EdgeList) -> None:
    # [V-CHI], [V-CSCHI] R_t = χ(R_s)   ⟹   R̂_s → R̂_t, unless the update is strong
    defs = ssa.defs
    weak = (defs.old >= 0) & (defs.strong == 0)
    at_call = np.isin(defs.kind, (DefKind.CALL,))
    for chosen, rule in ((weak & ~at_call, VRule.CHI_OLD), (weak & at_call, VRule.CSCHI_OLD)):
        found = np.flatnonzero(chosen)
        old = nodes.first_def + defs.old[found].astype(np.int64)
        effect = (
            [_replacing(ssa, number) for number in found.tolist()]
            if rule == VRule.CSCHI_OLD
            else -1
        )
        edges.add_many(old, nodes.first_def + found, rule, effect=effect)


def _replacing(ssa: MemorySsa, definition: int) -> int:
    """The effect under which an external call replaces the whole region that it defines; else -1."""
    call = int(ssa.defs.instr[definition])
    if call in ssa.accesses.callees or call not in ssa.acts.by_instr:
        return -1
    effect = replacing_effect(ssa.memory, ssa.acts, ssa.accesses.recursive, call)
    region = ssa.regions.classes[ssa.defs.region[definition]]
    alone = region.bit_count() == 1 and ssa.classes.size[region.bit_length() - 1] == 1
    return effect if effect is not None and alone else -1


def _phis(ssa: MemorySsa, nodes: NodeTable, edges: EdgeList) -> None:
    # [V-PHI] R_t = Φ(R_i, R_j)
    defs = ssa.defs
    phi = np.repeat(np.arange(len(defs)), np.diff(defs.arg_start))
    known = defs.arg >= 0
    edges.add_many(
        nodes.first_def + defs.arg[known].astype(np.int64),
        nodes.first_def + phi[known],
        VRule.REGION_PHI,
        block=defs.arg_block[known],
    )
