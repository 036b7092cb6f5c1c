"""Build memory SSA for a whole program.

In:    Program, PointsTo, CallGraph, models, MemorySsaConfig.     Out: MemorySsa.
Paper: TSE'14 §4.2. Steps: carriers (what matters at all), accesses, classes, mod-ref, then per
       function regions, μ and χ (`annotate`), versions (`rename`).
Guarantees (`check_memory_ssa`): one definition per version, uses dominated by their definition, one φ
       argument per reachable predecessor, every access covered by its regions.
Not modelled: docs/unsoundness.md, "memory SSA".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

import numpy as np

from heapflow.ir.table import listed
from heapflow.memssa.accesses import Accesses, defined_callees, find_accesses
from heapflow.memssa.acts import find_acts
from heapflow.memssa.adapt import memory_facts
from heapflow.memssa.annotate import Annotation, annotate_function
from heapflow.memssa.carriers import find_carriers
from heapflow.memssa.classes import Classes, partition_locations
from heapflow.memssa.config import MemorySsaConfig
from heapflow.memssa.facts import MemoryFacts
from heapflow.memssa.modref import ModRef, call_components, compute_modref
from heapflow.memssa.rename import Flow, Renamed, rename
from heapflow.memssa.ssa import Definitions, MemorySsa, RegionTable, Uses
from heapflow.pointsto.callgraph import CallGraph
from heapflow.pointsto.effects import Effects, ModelSource
from heapflow.pointsto.facts import Facts
from heapflow.pointsto.result import PointsTo
from heapflow.support.dominators import find_dominators

DEFAULTS = MemorySsaConfig()


Told = Callable[[int, int, str], None]
_TELL_EVERY = 64  # functions


def build_memory_ssa(
    points_to: PointsTo,
    calls: CallGraph,
    models: ModelSource,
    config: MemorySsaConfig = DEFAULTS,
    told: Told | None = None,
) -> MemorySsa:
    """Regions, μ, χ and versions of every function that a tracked allocation can enter.

    `told` hears how many functions of how many are done.
    """
    facts = Facts(points_to.program)
    memory = memory_facts(points_to, calls, facts, config)
    return memory_ssa_of(facts, Effects(points_to.program, models), memory, config, told)


def memory_ssa_of(
    facts: Facts,
    models: Effects,
    memory: MemoryFacts,
    config: MemorySsaConfig = DEFAULTS,
    told: Told | None = None,
) -> MemorySsa:
    """The same from facts that need not come from the points-to phase."""
    acts = find_acts(facts, models, memory)
    carriers = find_carriers(facts, memory, acts)
    callees = defined_callees(facts, memory, acts)
    func_count = len(facts.program.functions)
    components, graph, recursive = call_components(func_count, callees, facts.func_of_instr)
    accesses = find_accesses(facts, memory, acts, carriers, recursive)
    classes = partition_locations(memory, accesses, carriers.held, config.memory_model)
    modref = compute_modref(facts, memory, acts, accesses, classes, components, graph)
    tables = _Tables(facts, accesses, classes, modref, config)
    for func in range(func_count):
        tables.function(func)
        if told is not None and func % _TELL_EVERY == 0:
            told(func, func_count, facts.program.func_name(func))
    return MemorySsa(
        program=facts.program,
        facts=facts,
        memory=memory,
        acts=acts,
        carriers=carriers,
        accesses=accesses,
        classes=classes,
        modref=modref,
        regions=tables.region_table(),
        defs=tables.definitions(),
        uses=tables.use_table(),
        config=config,
    )


class _Tables:
    """Collects the rows of all functions."""

    def __init__(
        self,
        facts: Facts,
        accesses: Accesses,
        classes: Classes,
        modref: ModRef,
        config: MemorySsaConfig,
    ) -> None:
        self.facts, self.accesses, self.classes = facts, accesses, classes
        self.modref, self.config = modref, config
        blocks = facts.program.blocks
        self.block_start: list[int] = listed(facts.program.functions.block_start)
        self.edge_start: list[int] = listed(blocks.edge_start)
        self.edge_target: list[int] = listed(blocks.edge_target)
        self.block_of: list[int] = listed(facts.program.instrs.block)
        self.region_start = [0]
        self.region_func: list[int] = []
        self.region_local: list[int] = []
        self.region_classes: list[int] = []
        self.defs: list[tuple[int, int, int, int, int, int, int]] = []
        self.args: list[tuple[int, int, int]] = []
        self.uses: list[tuple[int, int, int, int]] = []

    def function(self, func: int) -> None:
        events = self.accesses.by_func.get(func)
        if events:
            annotation = annotate_function(
                func, events, self.classes, self.modref, self.config.memory_model
            )
            if annotation.regions:
                flow = self._flow(func, annotation)
                renamed = rename(
                    flow, len(annotation.regions), annotation.incoming, annotation.outgoing
                )
                self._append(func, annotation, renamed)
        self.region_start.append(len(self.region_func))

    def _flow(self, func: int, annotation: Annotation) -> Flow:
        first, last = self.block_start[func], self.block_start[func + 1]
        successors = [
            [t - first for t in self.edge_target[self.edge_start[b] : self.edge_start[b + 1]]]
            for b in range(first, last)
        ]
        predecessors: list[list[int]] = [[] for _ in successors]
        for block, targets in enumerate(successors):
            for target in dict.fromkeys(targets):
                predecessors[target].append(block)
        events = defaultdict(list)
        for event in annotation.events:
            events[self.block_of[event.instr] - first].append(event)
        dominators = find_dominators(successors, predecessors)
        in_blocks = [events.get(block, []) for block in range(last - first)]
        return Flow(successors, predecessors, in_blocks, dominators)

    def _append(self, func: int, annotation: Annotation, renamed: Renamed) -> None:
        region_base, def_base = len(self.region_func), len(self.defs)
        block_base = self.block_start[func]
        for number, region in enumerate(annotation.regions):
            self.region_func.append(func)
            self.region_local.append(number < annotation.local_count)
            self.region_classes.append(region)
        for region, version, kind, instr, block, old, strong in renamed.defs:
            moved = old + def_base if old >= 0 else -1
            row = (region + region_base, version, kind, instr, block + block_base, moved, strong)
            self.defs.append(row)
        for phi, args in renamed.args.items():
            for block, definition in args:
                moved = definition + def_base if definition >= 0 else -1
                self.args.append((phi + def_base, moved, block + block_base))
        for instr, kind, region, definition in renamed.uses:
            self.uses.append((instr, kind, region + region_base, definition + def_base))

    # -- as arrays ----------------------------------------------------------------------------

    def region_table(self) -> RegionTable:
        return RegionTable(
            func=np.array(self.region_func, dtype=np.int32),
            local=np.array(self.region_local, dtype=np.uint8),
            classes=tuple(self.region_classes),
            start=np.array(self.region_start, dtype=np.int64),
        )

    def definitions(self) -> Definitions:
        rows = np.array(self.defs, dtype=np.int64).reshape(-1, 7)
        args = np.array(self.args, dtype=np.int64).reshape(-1, 3)
        args = args[np.argsort(args[:, 0], kind="stable")]
        start = np.zeros(len(rows) + 1, dtype=np.int64)
        np.cumsum(np.bincount(args[:, 0], minlength=len(rows)), out=start[1:])
        columns = [rows[:, number].astype(np.int32) for number in range(7)]
        return Definitions(
            region=columns[0],
            version=columns[1],
            kind=columns[2].astype(np.uint8),
            instr=columns[3],
            block=columns[4],
            old=columns[5],
            strong=columns[6].astype(np.uint8),
            arg_start=start,
            arg=args[:, 1].astype(np.int32),
            arg_block=args[:, 2].astype(np.int32),
        )

    def use_table(self) -> Uses:
        rows = np.array(self.uses, dtype=np.int64).reshape(-1, 4)
        return Uses(
            instr=rows[:, 0].astype(np.int32),
            kind=rows[:, 1].astype(np.uint8),
            region=rows[:, 2].astype(np.int32),
            definition=rows[:, 3].astype(np.int32),
        )
