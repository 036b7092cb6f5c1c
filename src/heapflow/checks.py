"""Check what the phases guarantee of their tables, on a real run (`--check-phases`).

In:    the tables of a run.     Out: nothing; an InternalError names the first guarantee that is broken.
"""

from __future__ import annotations

from heapflow.ir.check import check_program
from heapflow.memssa.check import check_memory_ssa
from heapflow.memssa.ssa import MemorySsa
from heapflow.pointsto.callgraph import CallGraph, check_call_graph
from heapflow.pointsto.result import PointsTo, check_points_to
from heapflow.support.errors import InternalError
from heapflow.svfg.check import check_svfg
from heapflow.svfg.graph import Svfg


def check_phases(points_to: PointsTo, calls: CallGraph, ssa: MemorySsa, svfg: Svfg) -> None:
    """All checks of all phases that have tables."""
    broken = check_program(points_to.program)
    if broken:
        raise InternalError(f"program: {broken[0]}")
    check_points_to(points_to)
    check_call_graph(calls)
    check_memory_ssa(ssa)
    check_svfg(ssa, svfg)
