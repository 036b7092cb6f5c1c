"""Stage 1: from a program to objects that may be lost.

In:    what is known of a program.     Out: `Stage1`: candidates, and what later stages ask for.
Points-to sets, memory SSA and the detector are given up on the way out: execution needs the room.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import cast

from heapflow.checks import check_stage1, check_tables
from heapflow.config import Config
from heapflow.flow.flow import GraphLists
from heapflow.guards.guards import GuardBook
from heapflow.inside import Inside
from heapflow.ir.ids import FuncId, InstrId
from heapflow.leaks.leaks import Detection, prepare_detector
from heapflow.memssa.borrowed import borrowed_variables
from heapflow.memssa.build import build_memory_ssa
from heapflow.memssa.ssa import MemorySsa
from heapflow.ownership.ownership import Unseen, count_unseen
from heapflow.pointsto.analyse import solve_points_to
from heapflow.pointsto.callgraph import CallGraph
from heapflow.pointsto.result import PointsTo
from heapflow.policies.inforce import Policies
from heapflow.policies.table import in_force
from heapflow.stages.counts import count_limits, stopped_by
from heapflow.stages.known import Known
from heapflow.support.run import Run
from heapflow.svfg.build import build_svfg
from heapflow.svfg.graph import Svfg


@dataclass(frozen=True, slots=True)
class Stage1:
    """What the Boolean stage found, and what it leaves to the others."""

    detection: Detection
    calls: CallGraph
    book: GuardBook
    lists: GraphLists
    own: Mapping[int, int]  # variables that only their function gets at
    unseen: Unseen
    policies: Policies
    given_up: tuple[tuple[str, int], ...]  # by points-to
    stopped: str  # by which limit of the run, if it was


def find_candidates(known: Known, config: Config, run: Run, inside: Inside | None) -> Stage1:
    """Objects that are lost on some path, as far as conditions tell."""
    program, models = known.program, known.models
    with run.phase("points-to"):
        points_to, calls = solve_points_to(program, models, config.pointsto, _rounds(run))
        for what, count in (*points_to.limits_hit, *points_to.cut_short):
            run.hit_limit(f"points-to: {what}", count)
    with run.phase("memory SSA"):
        memory_ssa = build_memory_ssa(points_to, calls, models, config.memssa, run.step)
    with run.phase("value flow"):
        svfg = build_svfg(memory_ssa, lambda done, of: run.step(done, of, unit="steps"))
    if config.check_phases:
        with run.phase("checks"):
            check_tables(points_to, calls, memory_ssa, svfg)
    with run.phase("leaks"), run.limits.at_checks_only():
        return _detect(known, points_to, calls, memory_ssa, svfg, config, run, inside)


def _detect(
    known: Known,
    points_to: PointsTo,
    calls: CallGraph,
    memory_ssa: MemorySsa,
    svfg: Svfg,
    config: Config,
    run: Run,
    inside: Inside | None,
) -> Stage1:
    policies, models = known.policies, known.models
    callees, hits = memory_ssa.accesses.callees, memory_ssa.memory.limits_hit
    targets = cast("dict[InstrId, tuple[FuncId, ...]]", callees)
    book = GuardBook(known.program, config.guards, models, targets, policies)
    detector = prepare_detector(points_to, memory_ssa, svfg, book, models.families, config.leaks)
    if inside is not None:
        detector.hear = inside.verdicts.append
    detection = detector.run(run.step, run.limits.check)
    if inside is not None:
        inside.followed(memory_ssa, svfg, book)
    for name, count in in_force(policies):
        run.count(f"policy {name}: times that it acted", count)
    stopped = stopped_by(run)
    own = borrowed_variables(known.program, callees, config.memssa, hits)
    count_limits(run, "memory", hits)
    if config.check_phases:
        check_stage1(book, detection)
    # What is not asked again: execution needs the room.
    book.forget_call_sites()
    detector.lists.forget()
    unseen = count_unseen(svfg, config.beliefs)
    if unseen.left_out:
        run.hit_limit("beliefs: unknown functions that are counted", unseen.left_out)
    return Stage1(
        detection,
        calls,
        book,
        detector.lists,
        own,
        unseen,
        policies,
        points_to.limits_hit,
        stopped,
    )


def _rounds(run: Run) -> Callable[[int, int], None]:
    """Tell of the rounds of the points-to solver; how many there will be is not known."""
    return lambda rounds, size: run.step(rounds, 0, f"{size} variables and places", "round")
