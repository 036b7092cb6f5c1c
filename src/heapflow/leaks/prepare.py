"""The detector of a program, with what it asks of earlier phases.

In:    points-to, memory SSA, the value-flow graph, guards.     Out: `Detector`.
"""

from __future__ import annotations

from collections.abc import Mapping

from heapflow.flow.config import LeakConfig
from heapflow.flow.flow import GraphLists
from heapflow.guards.guards import GuardBook
from heapflow.leaks.callreach import CallReach
from heapflow.leaks.detect import Detector
from heapflow.leaks.longlived import find_long_lived
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
    memory, callees = memory_ssa.memory, memory_ssa.accesses.callees
    program, objects = book.context.program, points_to.objects
    stack = {
        obj: int(objects.func[obj])
        for obj in (objects.kind == ObjectKind.STACK).nonzero()[0].tolist()
    }
    stack.update(memory.borrowed)
    long_lived = find_long_lived(memory)
    lists = GraphLists(program, svfg, memory.obj, stack, long_lived, _kept(memory))
    chains = {obj: tuple(points_to.chain(obj)) for obj in range(len(objects))}
    around = Surroundings(program, memory, CallReach(program, callees), long_lived, stack, chains)
    return Detector(lists, book, config, families, callees, around)


def _kept(memory: MemoryFacts) -> frozenset[int]:
    """Objects to which memory holds a pointer."""
    found = 0
    for content in memory.content:
        found |= content
    return frozenset(memory.obj[location] for location in members(found))
