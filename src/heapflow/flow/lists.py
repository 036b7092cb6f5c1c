"""The value-flow graph as plain lists, with what the engine asks most: sinks by node, returns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from heapflow.ir.ids import (
    IN_VALUE,
    BlockId,
    FuncId,
    InstrId,
    LocationSetId,
    NodeId,
    ObjectId,
    ValueId,
)
from heapflow.ir.kinds import Op
from heapflow.ir.program import Program
from heapflow.ir.table import plain
from heapflow.support.graph import reach
from heapflow.svfg.graph import Direction, NodeKind, Svfg, VRule

_Steps = tuple[list[int], list[tuple[InstrId, list[int]]]]
BoolArray = NDArray[np.bool_]
_EVERYTHING: Final = -1  # all bits
_INTRA: Final = int(Direction.INTRA)
_RETURN: Final = int(Direction.RETURN)
_VALUE: Final = int(NodeKind.VALUE)
_MOVES: Final = (VRule.CHI_VALUE, VRule.TRANSFER, VRule.MODEL)


class GraphLists:
    """Columns as lists; element access in a loop is several times faster than on arrays."""

    def __init__(
        self,
        program: Program,
        svfg: Svfg,
        location_obj: Sequence[ObjectId],
        stack_owner: Mapping[ObjectId, FuncId],
        long_lived: frozenset[ObjectId] = frozenset(),
        kept: frozenset[ObjectId] = frozenset(),
    ) -> None:
        self.program, self.svfg = program, svfg
        self.location_obj = location_obj
        self.stack_owner = stack_owner  # stack object -> its function
        self.long_lived = long_lived  # objects that global variables lead to
        self.kept = kept  # objects to which memory holds a pointer
        self._lives_long: dict[LocationSetId, bool] = {}
        self._objects_at: dict[LocationSetId, frozenset[ObjectId]] = {}
        nodes, edges = svfg.nodes, svfg.edges
        self._steps: list[_Steps | None] = [None] * len(nodes.kind)
        self.kind: list[int] = plain(nodes.kind)
        self.func: list[FuncId] = plain(nodes.func)
        self.block: list[BlockId] = plain(nodes.block)
        self.instr: list[InstrId] = plain(nodes.instr)
        self.value: list[ValueId] = plain(nodes.value)
        self.locations: list[LocationSetId] = plain(nodes.locations)
        self.only_from: list[NodeId] = plain(nodes.only_from)
        self.start: list[NodeId] = plain(edges.start)
        self.target: list[NodeId] = plain(edges.target)
        self.rule: list[int] = plain(edges.rule)
        self.direction: list[int] = plain(edges.direction)
        self.site: list[InstrId] = plain(edges.site)
        self.edge_block: list[BlockId] = plain(edges.block)
        self.condition: list[ValueId] = plain(edges.condition)
        # Per edge, the location set that an object in memory must meet to take it.
        read = nodes.locations[edges.target]
        self.gate: list[LocationSetId] = plain(np.where(edges.sees >= 0, edges.sees, read))
        self.lands: list[LocationSetId] = plain(edges.lands)
        self.effect: list[int] = plain(edges.effect)
        self.side: list[int] = plain(edges.side)
        self.change: list[int] = plain(edges.change)
        self.location_sets = list(svfg.location_sets)
        self._set_number = {bits: LocationSetId(i) for i, bits in enumerate(self.location_sets)}
        self._meets: dict[tuple[LocationSetId, LocationSetId], bool] = {}
        self._narrowed: dict[tuple[LocationSetId, LocationSetId], LocationSetId] = {}
        self.frees = _by_node(svfg.frees.node.tolist())
        self.free_instr: list[InstrId] = plain(svfg.frees.instr)
        self.free_effect: list[int] = plain(svfg.frees.effect)
        self.escapes = _by_node(svfg.escapes.node.tolist())
        self.escape_instr: list[InstrId] = plain(svfg.escapes.instr)
        self.escape_effect: list[int] = plain(svfg.escapes.effect)
        self.returns = self._returned_values()
        self.come_back = self._index_returns()
        reaching, acting = self._reaching_sinks(), self._acting_below()
        # A formal region that the function only passes through does nothing to the object.
        self.matters = bytearray(reaching & (acting | (nodes.kind == NodeKind.VALUE)))

    def forward(self, node: NodeId) -> list[int]:
        """Edges that do not return to a caller."""
        return [e for e in self.edges_of(node) if self.direction[e] != _RETURN]

    def steps(self, node: NodeId) -> _Steps:
        """Edges that stay in the function, and by call those that lead to where something happens."""
        known = self._steps[node]
        if known is None:
            inside: list[int] = []
            calls: dict[InstrId, list[int]] = {}
            for edge in self.forward(node):
                if self.direction[edge] == _INTRA:
                    inside.append(edge)
                elif self.matters[self.target[edge]]:
                    calls.setdefault(self.site[edge], []).append(edge)
            known = self._steps[node] = (inside, list(calls.items()))
        return known

    def _returned_values(self) -> dict[NodeId, list[InstrId]]:
        """VALUE node -> RET instructions that return it."""
        program = self.program
        found: dict[NodeId, list[InstrId]] = {}
        node_of = self.svfg.node_of_value.tolist()
        for instr in (program.instrs.op == Op.RET).nonzero()[0].tolist():
            for operand in program.operands(instr):
                if node_of[operand] >= 0:
                    found.setdefault(node_of[operand], []).append(instr)
        return found

    def _index_returns(self) -> dict[tuple[NodeId, InstrId], list[NodeId]]:
        """(EXIT node, call) -> nodes of the caller that it goes to."""
        found: dict[tuple[NodeId, InstrId], list[NodeId]] = {}
        edges = self.svfg.edges
        wanted = (edges.direction == Direction.RETURN) & (edges.rule == VRule.CSCHI)
        for edge in wanted.nonzero()[0].tolist():
            key = (NodeId(int(edges.source[edge])), self.site[edge])
            found.setdefault(key, []).append(self.target[edge])
        return found

    def forget(self) -> None:
        """Give up what was computed on the way, which can be computed again."""
        self._steps = [None] * len(self.kind)
        self._lives_long.clear()
        self._objects_at.clear()

    def edges_of(self, node: NodeId) -> range:
        return range(self.start[node], self.start[node + 1])

    def is_value(self, node: NodeId) -> bool:
        return self.kind[node] == _VALUE

    def meets(self, held: LocationSetId, reader: NodeId) -> bool:
        """Whether an object held in location set `held` can be seen at a node (see may_meet)."""
        return self.overlap(held, self.locations[reader])

    def bits_at(self, node: NodeId) -> int:
        """All that can be seen at a node, as bits."""
        number = self.locations[node]
        return self.location_sets[number] if number >= 0 else _EVERYTHING

    def overlap(self, held: LocationSetId, other: LocationSetId) -> bool:
        """Whether two location sets have a place in common; -1 meets everything."""
        if held < 0 or other < 0 or held == other:
            return True
        key = (held, other)
        known = self._meets.get(key)
        if known is None:
            known = bool(self.location_sets[held] & self.location_sets[other])
            self._meets[key] = known
        return known

    def narrow(self, held: LocationSetId, formal: NodeId) -> LocationSetId:
        """The part of a location set that a function sees through one of its formal regions."""
        other = self.locations[formal]
        if held < 0 or other < 0 or held == other:
            return held
        key = (held, other)
        known = self._narrowed.get(key)
        if known is None:
            bits = self.location_sets[held] & self.location_sets[other]
            known = self._narrowed[key] = self._number_of(bits)
        return known

    def _number_of(self, bits: int) -> LocationSetId:
        known = self._set_number.get(bits, IN_VALUE)
        if known < 0:
            known = self._set_number[bits] = LocationSetId(len(self.location_sets))
            self.location_sets.append(bits)
        return known

    def within(self, held: LocationSetId, objects: frozenset[ObjectId]) -> LocationSetId:
        """The part of a location set that lies in these objects."""
        bits = rest = self.location_sets[held]
        while rest:
            low = rest & -rest
            rest ^= low
            if self.location_obj[low.bit_length() - 1] not in objects:
                bits ^= low
        return self._number_of(bits)

    def _leaving_the_program(self) -> list[NodeId]:
        """Results and formal-outs of functions that nobody in the program calls."""
        edges, kinds = self.svfg.edges, self.svfg.nodes.kind
        returned_to_callers = np.zeros(len(self.kind), dtype=bool)
        returned_to_callers[edges.source[edges.direction == Direction.RETURN]] = True
        exits: list[NodeId] = plain(np.flatnonzero(kinds == NodeKind.EXIT))
        ends = [*self.returns, *exits]
        return [node for node in ends if not returned_to_callers[node]]

    def _reaching_sinks(self) -> BoolArray:
        """Nodes from which a free, an escape, an unknown caller or a place that nobody reads can be
        reached at all."""
        start, kinds = self.svfg.edges.start, self.svfg.nodes.kind
        unread = np.flatnonzero((kinds == NodeKind.STORE) & (start[1:] == start[:-1])).tolist()
        sinks = {*self.frees, *self.escapes, *self._leaving_the_program(), *unread}
        return self._leading_to(sinks, every=True)

    def _acting_below(self) -> BoolArray:
        """Nodes whose value is freed, kept, returned or moved by the function or its callees."""
        edges = self.svfg.edges
        moved = edges.target[np.isin(edges.rule, _MOVES)].tolist()
        sinks = {*self.frees, *self.escapes, *self.returns, *moved}
        return self._leading_to(sinks, every=False)

    def _leading_to(self, sinks: set[int], every: bool) -> BoolArray:
        """Nodes from which a sink can be reached, over `every` edge or only those to no caller."""
        edges = self.svfg.edges
        before = edges.source[edges.backward]
        start = edges.backward_start
        if not every:
            is_kept = edges.direction[edges.backward] != Direction.RETURN
            start = np.concatenate(([0], np.cumsum(is_kept)))[start]
            before = before[is_kept]
        found: BoolArray = np.zeros(len(self.kind), dtype=bool)
        found[reach(start, before, sorted(sinks))] = True
        return found

    def is_long_lived(self, held: LocationSetId) -> bool:
        """Whether all of these locations lie in objects that global variables lead to."""
        known = self._lives_long.get(held)
        if known is None:
            objects = self.objects_at(held)
            known = self._lives_long[held] = bool(objects) and objects <= self.long_lived
        return known

    def objects_at(self, held: LocationSetId) -> frozenset[ObjectId]:
        """The objects in which a location set lies."""
        known = self._objects_at.get(held)
        if known is None:
            found: set[ObjectId] = set()
            bits = self.location_sets[held]
            while bits:
                low = bits & -bits
                found.add(self.location_obj[low.bit_length() - 1])
                bits ^= low
            known = self._objects_at[held] = frozenset(found)
        return known


def _by_node(nodes: list[NodeId]) -> dict[NodeId, list[int]]:
    found: dict[NodeId, list[int]] = {}
    for row, node in enumerate(nodes):
        found.setdefault(node, []).append(row)
    return found
