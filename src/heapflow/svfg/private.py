"""A second store through the same pointer value ends what the first one stored.

In:    MemorySsa, NodeTable.     Out: private versions and their edges; which stores have one.
Paper: beyond TSE'14 (its strong updates need a single concrete location).
Example: `s->name = a; … s->name = b;` where s is one of many heap blocks: whatever block it is, both
         stores write the same place, so `a` is not there after the second one, although the region's
         other contents are.
Method: two stores have the same *address* if the same SSA value plus the same constant is stored
       through. From the first store on its value runs through private copies of the region's versions.
       At a store with the same address it ends. At a φ that dominates the definition of the SSA value
       a new round of a loop begins, in which the name means another place: there it joins the shared
       versions.
Not modelled: flows that pass through a callee which may write the region come back shared.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np

from heapflow.ir.kinds import ValueKind
from heapflow.memssa.accesses import Address, EventKind
from heapflow.memssa.dominance import block_dominators
from heapflow.memssa.ssa import DefKind, MemorySsa, UseKind
from heapflow.support.dominators import Dominators
from heapflow.svfg.edges import EdgeList
from heapflow.svfg.graph import VRule
from heapflow.svfg.nodes import NodeTable

_RULES = {
    DefKind.STORE: VRule.CHI_OLD,
    DefKind.TRANSFER: VRule.CHI_OLD,
    DefKind.CALL: VRule.CSCHI_OLD,
    DefKind.PHI: VRule.REGION_PHI,
}


@dataclass
class _Walk:
    """What follows one store, before it is decided whether to keep it."""

    copies: dict[int, int] = field(default_factory=dict)  # definition -> position in `order`
    order: list[int] = field(default_factory=list)
    edges: list[tuple[int, int, int]] = field(default_factory=list)  # from, to, predecessor block
    leaves: list[tuple[int, int, int]] = field(default_factory=list)  # … to a shared version
    ended: bool = False


def separate_overwritten(ssa: MemorySsa, nodes: NodeTable, edges: EdgeList) -> dict[int, int]:
    """Make private versions; the result maps definitions by stores to their private node."""
    repeated = _repeated_addresses(ssa)
    if not repeated:
        return {}
    return _Separator(ssa, nodes, edges, repeated).run()


def _repeated_addresses(ssa: MemorySsa) -> dict[int, dict[int, Address]]:
    """Per function the stores whose address another store of the function has too."""
    found: dict[int, dict[int, Address]] = {}
    for func, events in ssa.accesses.by_func.items():
        by_address: dict[Address, list[int]] = defaultdict(list)
        for event in events:
            if event.kind == EventKind.STORE and event.address is not None and not event.strong:
                by_address[event.address].append(event.instr)
        rows = {
            instr: address
            for address, instrs in by_address.items()
            if len(instrs) > 1
            for instr in instrs
        }
        if rows:
            found[func] = rows
    return found


class _Separator:
    def __init__(
        self,
        ssa: MemorySsa,
        nodes: NodeTable,
        edges: EdgeList,
        repeated: dict[int, dict[int, Address]],
    ) -> None:
        self.ssa, self.nodes, self.edges, self.repeated = ssa, nodes, edges, repeated
        defs = ssa.defs
        self.kind, self.instr = defs.kind.tolist(), defs.instr.tolist()
        self.block, self.strong = defs.block.tolist(), defs.strong.tolist()
        self.next: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for number, old in enumerate(defs.old.tolist()):
            if old >= 0 and not self.strong[number]:
                self.next[old].append((number, -1))
        phi = np.repeat(np.arange(len(defs)), np.diff(defs.arg_start)).tolist()
        for number, arg, block in zip(phi, defs.arg.tolist(), defs.arg_block.tolist(), strict=True):
            if arg >= 0:
                self.next[arg].append((number, block))
        self.uses: dict[int, list[int]] = defaultdict(list)
        for use, definition in enumerate(ssa.uses.definition.tolist()):
            self.uses[definition].append(use)
        self.use_kind = ssa.uses.kind.tolist()
        self.use_instr = ssa.uses.instr.tolist()
        self.own: dict[int, int] = {}

    def run(self) -> dict[int, int]:
        for func, addresses in self.repeated.items():
            dominators: Dominators | None = None
            for instr, address in addresses.items():
                operands = self.ssa.facts.operands(instr)
                if self.nodes.value_node[operands[-1]] < 0:
                    continue
                for definition in self.nodes.defs_at.get(instr, ()):
                    dominators = dominators or block_dominators(self.ssa.program, func)[0]
                    walk = self._walk(definition, address, addresses, func, dominators)
                    if walk is not None and walk.ended:
                        self._keep(definition, walk)
        return self.own

    def _walk(
        self,
        store: int,
        address: Address,
        addresses: dict[int, Address],
        func: int,
        dominators: Dominators,
    ) -> _Walk | None:
        """Follow a store's value; None if that would take too many copies."""
        first = int(self.ssa.program.functions.block_start[func])
        base = self._block_of(address[0]) - first
        walk = _Walk()
        pending = [store]
        while pending:
            current = pending.pop()
            for target, block in self.next.get(current, ()):
                if self.kind[target] == DefKind.STORE and (
                    addresses.get(self.instr[target]) == address
                ):
                    walk.ended = True  # replaced, by another store or by this one again
                    continue
                renewed = base >= 0 and dominators.dominates(self.block[target] - first, base)
                if self.kind[target] == DefKind.PHI and renewed:
                    walk.leaves.append((current, target, block))
                    continue
                walk.edges.append((current, target, block))
                if target not in walk.copies:
                    walk.copies[target] = len(walk.order)
                    walk.order.append(target)
                    pending.append(target)
            if len(walk.order) > self.ssa.config.max_private_versions:
                self.ssa.memory.limits_hit["versions of memory that hold one store"] += 1
                return None
        return walk

    def _block_of(self, value: int) -> int:
        """Block that defines a value; -1: before the function's own code."""
        facts = self.ssa.facts
        if facts.value_kind[value] != ValueKind.INSTR:
            return -1
        return int(self.ssa.program.instrs.block[facts.row_of_value[value]])

    def _keep(self, store: int, walk: _Walk) -> None:
        nodes, first = self.nodes, self.nodes.first_def
        own = self.own[store] = nodes.copy(first + store, -1)
        copy = {store: own}
        for definition in walk.order:
            copy[definition] = nodes.copy(first + definition, own)
        for source, target, block in walk.edges:
            rule = _RULES[DefKind(self.kind[target])]
            self.edges.add(copy[source], copy[target], rule, block=block)
        for source, target, block in walk.leaves:
            self.edges.add(copy[source], first + target, VRule.REGION_PHI, block=block)
        for definition, node in copy.items():
            for use in self.uses.get(definition, ()):
                self._use(node, use)

    def _use(self, node: int, use: int) -> None:
        if self.use_kind[use] == UseKind.LOAD:
            result = self.ssa.facts.result[self.use_instr[use]]
            target = self.nodes.value_node[result] if result >= 0 else -1
            if target >= 0:
                self.edges.add(node, target, VRule.MU)
            return
        self.edges.add(node, int(self.nodes.of_use[use]), VRule.CSMU_IN)
