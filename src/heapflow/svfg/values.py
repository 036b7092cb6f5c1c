"""Edges between top-level values within a function.

In:    MemorySsa, NodeTable.     Out: edges.
Paper: TSE'14 Fig. 6: V-COPY, V-PHI. A select is two copies under a condition.
"""

from __future__ import annotations

from heapflow.ir.kinds import Op
from heapflow.ir.table import listed
from heapflow.memssa.carriers import moved_operands
from heapflow.memssa.ssa import MemorySsa
from heapflow.pointsto.facts import Facts
from heapflow.svfg.edges import EdgeList
from heapflow.svfg.graph import AddressChange, VRule
from heapflow.svfg.nodes import NodeTable

_ARITHMETIC = frozenset({Op.ADD, Op.SUB, Op.AND, Op.OR, Op.XOR})


def connect_values(ssa: MemorySsa, nodes: NodeTable, edges: EdgeList) -> None:
    """Edges into every carrying value that an operation within the function defines."""
    facts, node_of = ssa.facts, nodes.value_node
    blocks: list[int] = listed(ssa.program.instrs.operand_block)
    for value in nodes.values.tolist():
        row = facts.row_of_value[value]
        if row < 0:
            continue
        target, op = node_of[value], facts.op[row]
        if op == Op.PHI:
            # [V-PHI] p_i = Φ(q_j, q_k)   ⟹   q̂_j → p̂_i, q̂_k → p̂_i
            for position in range(facts.start[row], facts.start[row + 1]):
                source = node_of[facts.operand[position]]
                if source >= 0:
                    edges.add(source, target, VRule.PHI, block=blocks[position])
        elif op == Op.SELECT:
            condition, if_true, if_false = facts.operands(row)
            for operand, side in ((if_true, 1), (if_false, 0)):
                if node_of[operand] >= 0:
                    edges.add_select(node_of[operand], target, condition, side)
        else:
            # [V-COPY] p_i = q_j   ⟹   q̂_j → p̂_i
            for operand in moved_operands(facts, row):
                if node_of[operand] >= 0:
                    edges.add(
                        node_of[operand], target, VRule.COPY, change=address_change(facts, row)
                    )


def address_change(facts: Facts, row: int) -> AddressChange:
    """Whether an operation keeps the address, moves it by a constant, or computes it."""
    op = facts.op[row]
    if op == Op.GEP:
        if facts.start[row + 1] - facts.start[row] > 1:
            return AddressChange.COMPUTED
        moved = facts.aux[row] + facts.aux2[row]
        return AddressChange.INTERIOR if moved else AddressChange.EXACT
    return AddressChange.COMPUTED if op in _ARITHMETIC else AddressChange.EXACT
