"""Check what the phases guarantee, on a real run (`--check-phases`).

In:    what the phases computed.     Out: nothing; an InternalError names the first that is broken.
"""

from __future__ import annotations

from heapflow.guards.check import check_guards
from heapflow.guards.guards import GuardBook
from heapflow.ir.check import check_program
from heapflow.leaks.check import check_verdicts
from heapflow.leaks.leaks import Detection
from heapflow.memssa.check import check_memory_ssa
from heapflow.memssa.ssa import MemorySsa
from heapflow.pointsto.callgraph import CallGraph, check_call_graph
from heapflow.pointsto.result import PointsTo, check_points_to
from heapflow.support.errors import InternalError
from heapflow.svfg.check import check_svfg
from heapflow.svfg.graph import Svfg


def check_tables(points_to: PointsTo, calls: CallGraph, ssa: MemorySsa, svfg: Svfg) -> None:
    """The phases up to the value-flow graph."""
    broken = check_program(points_to.program)
    if broken:
        raise InternalError(f"program: {broken[0]}")
    check_points_to(points_to)
    check_call_graph(calls)
    check_memory_ssa(ssa)
    check_svfg(ssa, svfg)


def check_stage1(book: GuardBook, detection: Detection) -> None:
    """Conditions, and what they say of objects."""
    check_guards(book)
    check_verdicts(detection, book.context)
