"""The detector of a program, with what it asks of earlier phases.

In:    points-to, memory SSA, the value-flow graph, guards.     Out: `Detector`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from heapflow.flow.config import LeakConfig
from heapflow.flow.flow import GraphLists
from heapflow.guards.guards import GuardBook
from heapflow.ir.ids import FuncId, InstrId, ObjectId
from heapflow.leaks.callreach import CallReach
from heapflow.leaks.detect import Detector
from heapflow.leaks.longlived import find_long_lived, object_of
from heapflow.leaks.surroundings import Surroundings
from heapflow.memssa.facts import MemoryFacts
from heapflow.memssa.ssa import MemorySsa
from heapflow.models.model import Family
from heapflow.pointsto.objects import ObjectKind
from heapflow.pointsto.result import PointsTo
from heapflow.support.bitset import members
from heapflow.svfg.graph import Svfg


def prepare_detector(
    points_to: PointsTo,
    memory_ssa: MemorySsa,
    svfg: Svfg,
    book: GuardBook,
    families: Mapping[str, Family],
    config: LeakConfig,
) -> Detector:
    """Everything is found, nothing followed yet."""
    memory = memory_ssa.memory
    callees = cast("dict[InstrId, tuple[FuncId, ...]]", memory_ssa.accesses.callees)
    program, objects = book.context.program, points_to.objects
    stack: dict[ObjectId, FuncId] = {
        obj: FuncId(int(objects.func[obj]))
        for obj in (objects.kind == ObjectKind.STACK).nonzero()[0].tolist()
    }
    stack.update(cast("dict[ObjectId, FuncId]", memory.borrowed))
    long_lived = find_long_lived(memory)
    lists = GraphLists(program, svfg, object_of(memory), stack, long_lived, _kept(memory))
    chains = {
        obj: tuple(map(InstrId, points_to.chain(obj))) for obj in map(ObjectId, range(len(objects)))
    }
    around = Surroundings(program, memory, CallReach(program, callees), long_lived, stack, chains)
    return Detector(lists, book, config, families, callees, around)


def _kept(memory: MemoryFacts) -> frozenset[ObjectId]:
    """Objects to which memory holds a pointer."""
    found = 0
    for content in memory.content:
        found |= content
    of = object_of(memory)
    return frozenset(of[location] for location in members(found))
