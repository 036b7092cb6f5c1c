"""Build the sparse value-flow graph.

In:    MemorySsa.     Out: Svfg.
Paper: TSE'14 §4.3, Fig. 6. Edges by rule are in values.py (V-COPY, V-PHI), memory.py (V-MU, V-CHI),
       calls.py (V-CSPAR, V-CSMU, V-CSCHI); sources, sinks and models in marks.py; private.py makes the
       versions that show overwrites. What no source reaches is removed at the end.
Guarantees: `check_svfg`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from heapflow.ir.table import I32, I64, U8
from heapflow.memssa.ssa import MemorySsa
from heapflow.support.bitset import from_members, members
from heapflow.support.graph import ragged, reach
from heapflow.svfg.calls import connect_calls
from heapflow.svfg.edges import EdgeList, freeze_edges
from heapflow.svfg.graph import Escapes, Frees, Nodes, Sources, Svfg
from heapflow.svfg.marks import Marks, Row, mark_nodes
from heapflow.svfg.memory import connect_memory
from heapflow.svfg.nodes import NodeTable
from heapflow.svfg.private import separate_overwritten
from heapflow.svfg.values import connect_values


def build_svfg(ssa: MemorySsa, told: Callable[[int, int], None] = lambda done, of: None) -> Svfg:
    """The graph of everything that an allocation can reach; `told` hears of its steps."""
    nodes, edges = NodeTable(ssa), EdgeList()
    own = separate_overwritten(ssa, nodes, edges)
    told(1, 5)
    connect_values(ssa, nodes, edges)
    told(2, 5)
    connect_memory(ssa, nodes, edges, own)
    told(3, 5)
    connect_calls(ssa, nodes, edges)
    told(4, 5)
    marks = mark_nodes(ssa, nodes, edges)
    return _prune(ssa, nodes, edges.table(), marks)


def _prune(ssa: MemorySsa, nodes: NodeTable, table: I64, marks: Marks) -> Svfg:
    """Keep what the sources reach, and number it anew."""
    columns, sets = nodes.freeze()
    start = np.searchsorted(table[:, 0], np.arange(len(columns) + 1)).astype(np.int64)
    target = table[:, 1].astype(np.int32)
    kept = np.array(reach(start, target, [row[0] for row in marks.sources]), dtype=np.int64)
    number = np.full(len(columns), -1, dtype=np.int64)
    number[kept] = np.arange(len(kept))
    alive = number[table[:, 0]] >= 0
    table = table[alive].copy()
    table[:, 0], table[:, 1] = number[table[:, 0]], number[table[:, 1]]
    node_of_value = np.full(len(nodes.of_value), -1, dtype=np.int32)
    known = nodes.of_value >= 0
    node_of_value[known] = number[nodes.of_value[known]]
    return Svfg(
        nodes=_renumber(columns, kept, number),
        edges=freeze_edges(table, len(kept)),
        sources=_sources(ssa, marks.sources, number),
        frees=Frees(*_columns(marks.frees, number)),
        escapes=Escapes(*_columns(marks.escapes, number)),
        node_of_value=node_of_value,
        location_sets=_as_locations(ssa, sets),
        location_obj=np.array(ssa.memory.obj, dtype=np.int32),
        effects=tuple(ssa.acts.effects),
    )


def _as_locations(ssa: MemorySsa, sets: tuple[int, ...]) -> tuple[int, ...]:
    """Sets of classes as sets of the locations in them."""
    listed: list[list[int]] = [[] for _ in range(len(ssa.classes))]
    for location, number in enumerate(ssa.classes.of_location):
        if number >= 0:
            listed[number].append(location)
    expanded = [from_members(found) for found in listed]
    result = []
    for classes in sets:
        bits = 0
        for number in members(classes):
            bits |= expanded[number]
        result.append(bits)
    return tuple(result)


def _renumber(nodes: Nodes, kept: I64, number: I64) -> Nodes:
    owner = nodes.only_from[kept]
    return Nodes(
        kind=nodes.kind[kept],
        func=nodes.func[kept],
        block=nodes.block[kept],
        instr=nodes.instr[kept],
        value=nodes.value[kept],
        region=nodes.region[kept],
        version=nodes.version[kept],
        only_from=np.where(owner >= 0, number[owner], -1).astype(np.int32),
        locations=nodes.locations[kept],
    )


def _columns(rows: list[Row], number: I64) -> tuple[I32, I32, U8, I32, I32]:
    """node, instr, kind, effect, callee; rows of nodes that no source reaches are gone."""
    table = np.array(rows, dtype=np.int64).reshape(-1, 5)
    table = table[number[table[:, 0]] >= 0]
    node = number[table[:, 0]].astype(np.int32)
    small = [table[:, column].astype(np.int32) for column in range(5)]
    return node, small[1], table[:, 2].astype(np.uint8), small[3], small[4]


def _sources(ssa: MemorySsa, rows: list[Row], number: I64) -> Sources:
    node, instr, kind, effect, callee = _columns(rows, number)
    objects = [ssa.memory.heap_objects.get(call, ()) for call in instr.tolist()]
    start, flat = ragged(objects)
    return Sources(
        node=node,
        instr=instr,
        kind=kind,
        effect=effect,
        callee=callee,
        obj_start=start,
        obj=flat,
    )
