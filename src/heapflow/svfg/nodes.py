"""Numbers the nodes: carrying values first, then definitions of regions, then μ at calls and returns.

In:    MemorySsa.     Out: NodeTable, growable by private versions, and the ways from ids to nodes.
"""

from __future__ import annotations

import numpy as np

from heapflow.ir.kinds import Op, ValueKind
from heapflow.ir.table import I32, I64
from heapflow.memssa.accesses import EventKind
from heapflow.memssa.ssa import DefKind, MemorySsa, UseKind
from heapflow.svfg.graph import NodeKind, Nodes

_OF_DEF = {
    DefKind.ENTRY: NodeKind.ENTRY,
    DefKind.STORE: NodeKind.STORE,
    DefKind.CALL: NodeKind.ACTUAL_OUT,
    DefKind.TRANSFER: NodeKind.TRANSFER,
    DefKind.PHI: NodeKind.REGION_PHI,
}

_READERS = frozenset({Op.LOAD, Op.CMPXCHG, Op.ATOMIC_RMW})


class NodeTable:
    """Nodes before pruning."""

    def __init__(self, ssa: MemorySsa) -> None:
        self.ssa = ssa
        self.sets = SetPool()
        values = np.flatnonzero(np.frombuffer(ssa.carriers.values, dtype=np.uint8))
        self.values: I64 = values
        self.of_value: I32 = np.full(len(ssa.carriers.values), -1, dtype=np.int32)
        self.of_value[values] = np.arange(len(values), dtype=np.int32)
        self.value_node: list[int] = self.of_value.tolist()
        self.first_def = len(values)
        self.first_use = self.first_def + len(ssa.defs)
        standing = np.flatnonzero(ssa.uses.kind != UseKind.LOAD)
        self.of_use = np.full(len(ssa.uses), -1, dtype=np.int64)
        self.of_use[standing] = self.first_use + np.arange(len(standing))
        self.standing = standing
        self.count = self.first_use + len(standing)
        self.private: list[tuple[int, int]] = []  # node copied, STORE node whose value it carries
        self._index()

    def _index(self) -> None:
        """Definitions and uses by instruction."""
        self.defs_at: dict[int, list[int]] = {}
        for number, instr in enumerate(self.ssa.defs.instr.tolist()):
            if instr >= 0:
                self.defs_at.setdefault(instr, []).append(number)
        self.uses_at: dict[int, list[int]] = {}
        kinds, instrs = self.ssa.uses.kind.tolist(), self.ssa.uses.instr.tolist()
        for number, kind in enumerate(kinds):
            if kind == UseKind.CALL:
                self.uses_at.setdefault(instrs[number], []).append(number)
        self.def_region: list[int] = self.ssa.defs.region.tolist()
        self.use_region: list[int] = self.ssa.uses.region.tolist()

    def out_nodes(self, instr: int, classes: int) -> list[int]:
        """Definitions at an instruction whose region overlaps a set of classes."""
        sets = self.ssa.regions.classes
        found = self.defs_at.get(instr, ())
        return [self.first_def + d for d in found if sets[self.def_region[d]] & classes]

    def in_nodes(self, instr: int, classes: int) -> list[int]:
        """μ̂ nodes at a call whose region overlaps a set of classes."""
        sets = self.ssa.regions.classes
        found = self.uses_at.get(instr, ())
        return [int(self.of_use[u]) for u in found if sets[self.use_region[u]] & classes]

    def copy(self, node: int, only_from: int) -> int:
        """A private version of a region node; `only_from` -1: it is the STORE's own."""
        number = self.count
        self.count += 1
        self.private.append((node, number if only_from < 0 else only_from))
        return number

    # -- columns ------------------------------------------------------------------------------

    def freeze(self) -> tuple[Nodes, tuple[int, ...]]:
        """All columns, and the location sets that they refer to."""
        sets = self.sets
        parts = [self._value_columns(sets), self._def_columns(sets), self._use_columns(sets)]
        columns = [np.concatenate(rows) for rows in zip(*parts, strict=True)]
        copied = np.array([node for node, _ in self.private], dtype=np.int64)
        assert not (copied >= self.first_use + len(self.standing)).any(), "copies of shared nodes"
        columns = [np.concatenate([column, column[copied]]) for column in columns]
        only_from = np.full(self.count, -1, dtype=np.int32)
        only_from[self.count - len(copied) :] = [owner for _, owner in self.private]
        kind, func, block, instr, value, region, version, locations = columns
        return (
            Nodes(
                kind=kind.astype(np.uint8),
                func=func.astype(np.int32),
                block=block.astype(np.int32),
                instr=instr.astype(np.int32),
                value=value.astype(np.int32),
                region=region.astype(np.int32),
                version=version.astype(np.int32),
                only_from=only_from,
                locations=locations.astype(np.int32),
            ),
            tuple(sets.sets),
        )

    def _value_columns(self, sets: SetPool) -> list[I64]:
        program = self.ssa.program
        index = program.values.index[self.values].astype(np.int64)
        is_param = program.values.kind[self.values] == ValueKind.PARAM
        instr = np.where(is_param, -1, index)
        block = program.instrs.block[np.where(is_param, 0, index)].astype(np.int64)
        func = program.blocks.func[block].astype(np.int64)
        func[is_param] = program.params.func[index[is_param]]
        block[is_param] = program.functions.block_start[func[is_param]]
        locations = np.full(len(self.values), -1, dtype=np.int64)
        facts, memory, held = self.ssa.facts, self.ssa.memory, self.ssa.carriers.held
        for number, row in enumerate(instr.tolist()):
            if row >= 0 and facts.op[row] in _READERS:
                places = memory.value_set[facts.operand[facts.start[row]]] & held
                locations[number] = sets.number(self.ssa.classes.translate(places))
        none = np.full(len(self.values), -1, dtype=np.int64)
        kind = np.full(len(self.values), NodeKind.VALUE, dtype=np.int64)
        return [kind, func, block, instr, self.values, none, none, locations]

    def _def_columns(self, sets: SetPool) -> list[I64]:
        defs, regions = self.ssa.defs, self.ssa.regions
        kinds = np.array([_OF_DEF[kind] for kind in DefKind], dtype=np.int64)[defs.kind]
        written = self._written()
        locations = [
            sets.number(regions.classes[region] & written.get(instr, -1))
            for region, instr in zip(self.def_region, defs.instr.tolist(), strict=True)
        ]
        none = np.full(len(defs), -1, dtype=np.int64)
        return [
            kinds,
            regions.func[defs.region].astype(np.int64),
            defs.block.astype(np.int64),
            defs.instr.astype(np.int64),
            none,
            defs.region.astype(np.int64),
            defs.version.astype(np.int64),
            np.array(locations, dtype=np.int64),
        ]

    def _written(self) -> dict[int, int]:
        """Classes that each store and each external call itself writes."""
        found: dict[int, int] = {}
        translate = self.ssa.classes.translate
        for events in self.ssa.accesses.by_func.values():
            for event in events:
                if event.kind in (EventKind.STORE, EventKind.EXTERNAL):
                    for places in event.writes:
                        found[event.instr] = found.get(event.instr, 0) | translate(places)
        return found

    def _use_columns(self, sets: SetPool) -> list[I64]:
        uses, regions = self.ssa.uses, self.ssa.regions
        chosen = self.standing
        region = uses.region[chosen].astype(np.int64)
        instr = uses.instr[chosen].astype(np.int64)
        kinds = np.where(
            uses.kind[chosen] == UseKind.RETURN, NodeKind.EXIT, NodeKind.ACTUAL_IN
        ).astype(np.int64)
        none = np.full(len(chosen), -1, dtype=np.int64)
        locations = [sets.number(regions.classes[r]) for r in region.tolist()]
        return [
            kinds,
            regions.func[region].astype(np.int64),
            self.ssa.program.instrs.block[instr].astype(np.int64),
            instr,
            none,
            region,
            self.ssa.defs.version[uses.definition[chosen]].astype(np.int64),
            np.array(locations, dtype=np.int64),
        ]


class SetPool:
    """Numbers for distinct sets."""

    def __init__(self) -> None:
        self.sets: list[int] = []
        self._number: dict[int, int] = {}

    def number(self, bits: int) -> int:
        known = self._number.setdefault(bits, len(self.sets))
        if known == len(self.sets):
            self.sets.append(bits)
        return known
