"""Put the regions of one function into SSA form.

In:    the function's flow graph, its annotated events.     Out: definitions, φs and uses (Renamed).
Paper: TSE'14 §4.2.3, "a standard SSA algorithm" (Cytron et al.): φs at iterated dominance frontiers,
       pruned to where the region is live, then one walk over the dominator tree.
A χ is transparent to liveness unless it is strong: it uses the old version only if its own is used.
All regions of the function go through liveness and φ placement together, as bitsets over regions.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from heapflow.memssa.accesses import EventKind
from heapflow.memssa.ssa import DefKind, UseKind
from heapflow.support.bitset import members
from heapflow.support.dominators import Dominators, find_frontiers

UNDEFINED = -1


@dataclass(frozen=True, slots=True)
class Annotated:
    """An event with its μ and χ as bitsets over the function's regions."""

    instr: int
    kind: EventKind
    uses: int
    defs: int
    strong: bool
    own: int = 0  # those of `defs` that the event itself writes, not (only) its callees
    transfer: int = 0  # those of `own` that receive copied memory


@dataclass
class Flow:
    """A function's blocks 0..n-1 with the events in each."""

    successors: list[list[int]]
    predecessors: list[list[int]]
    events: list[list[Annotated]]
    dominators: Dominators


@dataclass
class Renamed:
    """Rows of definitions and uses; numbers are local to the function."""

    # region, version, kind, instr, block, old, strong
    defs: list[tuple[int, int, int, int, int, int, int]] = field(default_factory=list)
    args: dict[int, list[tuple[int, int]]] = field(default_factory=dict)  # φ -> (block, definition)
    uses: list[tuple[int, int, int, int]] = field(default_factory=list)  # instr, kind, region, def


def rename(flow: Flow, region_count: int, incoming: int, outgoing: int) -> Renamed:
    """SSA form. `incoming`: regions with a version 0; `outgoing`: regions with a μ at returns."""
    live_in = _liveness(flow, outgoing)
    phis = _place_phis(flow, live_in)
    return _Renamer(flow, region_count, live_in, phis, outgoing).run(incoming)


def _liveness(flow: Flow, outgoing: int) -> list[int]:
    """Regions live at the start of each block."""
    count = len(flow.successors)
    made, ended = [0] * count, [0] * count
    for block in flow.dominators.order:
        live = gone = 0
        for event in reversed(flow.events[block]):
            live, gone = _before(event, live, gone, outgoing)
        made[block], ended[block] = live, gone
    live_in = [0] * count
    order = flow.dominators.order
    pending = set(order)
    position = {block: number for number, block in enumerate(order)}
    while pending:
        sweep = sorted(pending, key=position.__getitem__, reverse=True)
        pending = set()
        for block in sweep:
            live = 0
            for target in flow.successors[block]:
                live |= live_in[target]
            live = made[block] | (live & ~ended[block])
            if live != live_in[block]:
                live_in[block] = live
                pending.update(p for p in flow.predecessors[block] if p in position)
    return live_in


def _before(event: Annotated, live: int, gone: int, outgoing: int) -> tuple[int, int]:
    """Step backwards over an event: what is live before it, and what is certainly replaced."""
    if event.strong:
        live &= ~event.defs
        gone |= event.defs
    used = event.uses | (outgoing if event.kind == EventKind.RETURN else 0)
    return live | used, gone & ~used


def _place_phis(flow: Flow, live_in: list[int]) -> list[int]:
    """φs per block: the iterated dominance frontier of the definitions, where live."""
    defined = [0] * len(flow.events)
    for block in flow.dominators.order:
        for event in flow.events[block]:
            defined[block] |= event.defs
    phis = [0] * len(flow.events)
    pending = [block for block in flow.dominators.order if defined[block]]
    frontier = find_frontiers(flow.dominators, flow.predecessors) if pending else []
    while pending:
        block = pending.pop()
        for join in frontier[block]:
            new = defined[block] & live_in[join] & ~phis[join]
            if new:
                phis[join] |= new
                if new & ~defined[join]:
                    defined[join] |= new
                    pending.append(join)
    return phis


class _Renamer:
    def __init__(
        self, flow: Flow, count: int, live_in: list[int], phis: list[int], outgoing: int
    ) -> None:
        self.flow, self.live_in, self.phis, self.outgoing = flow, live_in, phis, outgoing
        self.current = [UNDEFINED] * count
        self.next_version = [0] * count
        self.out = Renamed()
        self.phi_at: list[dict[int, int]] = [{} for _ in flow.events]

    def run(self, incoming: int) -> Renamed:
        for region in range(len(self.current)):
            if incoming >> region & 1:
                self.next_version[region] = 1  # version 0 is the callers', used here or not
        for region in members(incoming & self.live_in[0]):
            self.out.defs.append((region, 0, DefKind.ENTRY, -1, 0, UNDEFINED, 0))
            self.current[region] = len(self.out.defs) - 1
        # Walk the dominator tree; what a subtree changed is undone when it is left.
        path: list[tuple[int, list[tuple[int, int]], int]] = []
        self._enter(0, path)
        while path:
            block, undo, child = path.pop()
            children = self.flow.dominators.children[block]
            if child < len(children):
                path.append((block, undo, child + 1))
                self._enter(children[child], path)
                continue
            for region, definition in reversed(undo):
                self.current[region] = definition
        return self.out

    def _enter(self, block: int, path: list[tuple[int, list[tuple[int, int]], int]]) -> None:
        undo: list[tuple[int, int]] = []
        for region in members(self.phis[block]):
            number = self._phi(block, region)
            undo.append((region, self.current[region]))
            self.current[region] = number
        self._events(block, undo)
        for target in dict.fromkeys(self.flow.successors[block]):
            for region in members(self.phis[target]):
                args = self.out.args[self._phi(target, region)]
                args.append((block, self.current[region]))
        path.append((block, undo, 0))

    def _phi(self, block: int, region: int) -> int:
        """The φ of a region at a block, made when it is first heard of."""
        known = self.phi_at[block].get(region)
        if known is None:
            known = self.phi_at[block][region] = len(self.out.defs)
            version = self.next_version[region]
            self.next_version[region] += 1
            self.out.defs.append((region, version, DefKind.PHI, -1, block, UNDEFINED, 0))
            self.out.args[known] = []
        return known

    def _events(self, block: int, undo: list[tuple[int, int]]) -> None:
        events = self.flow.events[block]
        if not events:
            return
        after = self._live_after(block)
        current, out = self.current, self.out
        for event, live in zip(events, after, strict=True):
            used, kind = event.uses, UseKind.CALL
            if event.kind == EventKind.RETURN:
                used, kind = self.outgoing, UseKind.RETURN
            elif event.kind in (EventKind.LOAD, EventKind.STORE):
                kind = UseKind.LOAD
            for region in members(used):
                if current[region] != UNDEFINED:
                    out.uses.append((event.instr, kind, region, current[region]))
            # What callees change and nobody asks for again needs no version; what a store writes
            # does: it is where the value went.
            defined = event.defs & (live | event.own)
            for region in members(defined):
                undo.append((region, current[region]))
                self._define(event, region, block)

    def _define(self, event: Annotated, region: int, block: int) -> None:
        kind = DefKind.CALL
        if event.kind == EventKind.STORE:
            kind = DefKind.STORE
        elif event.transfer >> region & 1:
            kind = DefKind.TRANSFER
        version = self.next_version[region]
        self.next_version[region] += 1
        old = self.current[region]
        row = (region, version, kind, event.instr, block, old, int(event.strong))
        self.current[region] = len(self.out.defs)
        self.out.defs.append(row)

    def _live_after(self, block: int) -> list[int]:
        live = 0
        for target in self.flow.successors[block]:
            live |= self.live_in[target]
        after = []
        for event in reversed(self.flow.events[block]):
            after.append(live)
            live, _ = _before(event, live, 0, self.outgoing)
        after.reverse()
        return after
