"""Points-to sets and call graph of a program: the phase from beginning to end.

In:    Program, models, PointsToConfig.     Out: PointsTo, CallGraph.
Paper: TSE'14 §3 (pre-analysis); docs/paper-map.md "points-to".
Guarantees (`check_points_to`, `check_call_graph`): see there; what is lost: docs/unsoundness.md.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np

from heapflow.ir.program import Program
from heapflow.ir.table import I64
from heapflow.pointsto.allocators import Allocators
from heapflow.pointsto.callgraph import CallGraph, build_call_graph
from heapflow.pointsto.cells import Cells
from heapflow.pointsto.config import PointsToConfig
from heapflow.pointsto.constraints import Generated, generate_constraints
from heapflow.pointsto.effects import ModelSource
from heapflow.pointsto.layouts import ObjectLayouts
from heapflow.pointsto.objects import ObjectTable
from heapflow.pointsto.offline import reduce_system
from heapflow.pointsto.refine import refine_locals
from heapflow.pointsto.result import ObjectColumns, PointsTo
from heapflow.pointsto.solve import NO_LIMIT, Solution, Told, solve
from heapflow.pointsto.system import ragged
from heapflow.pointsto.tracking import Tracking
from heapflow.support.bitset import member_array


@dataclass(frozen=True)
class Analysis:
    """The results, and what `--stats` needs to explain them."""

    points_to: PointsTo
    calls: CallGraph
    allocators: Allocators
    generated: Generated
    solution: Solution
    numbering: list[int]  # solver variable of each generated variable


def solve_points_to(
    program: Program,
    models: ModelSource,
    config: PointsToConfig | None = None,
    told: Told | None = None,
) -> tuple[PointsTo, CallGraph]:
    """The pre-analysis; `told` hears of every round of the solver."""
    found = analyse_points_to(program, models, config or PointsToConfig(), told)
    return found.points_to, found.calls


def analyse_points_to(
    program: Program, models: ModelSource, config: PointsToConfig, told: Told | None = None
) -> Analysis:
    """The pre-analysis with its intermediate results."""
    generated = generate_constraints(program, models, config)
    reduced, numbering = reduce_system(generated.system)
    solution = solve(
        reduced,
        generated.layouts,
        config.max_targets or NO_LIMIT,
        skip_own=config.skip_own_blocks,
        most_places=config.max_untyped_places or NO_LIMIT,
        steps_each=config.max_steps_each,
        max_repeats=config.max_repeats,
        fewest=config.fewest_targets,
        told=told,
    )
    points_to = _points_to(program, generated, solution, numbering.tolist())
    if config.refine:
        points_to = refine_locals(
            generated.facts, points_to, generated.objects, generated.layouts, config.most_refined
        )
    cut_short = tuple(sorted(generated.facts.limits_hit.items()))
    points_to = replace(points_to, cut_short=cut_short)
    calls = _call_graph(generated, solution)
    return Analysis(points_to, calls, generated.allocators, generated, solution, numbering.tolist())


def _points_to(
    program: Program, generated: Generated, solution: Solution, numbering: list[int]
) -> PointsTo:
    obj = np.array(solution.cells.obj, dtype=np.int32)
    offset = np.array(solution.cells.offset, dtype=np.int64)
    stands_for = _cells_that_stand(solution.cells)
    order = np.lexsort((offset, obj))
    order = order[obj[order] < len(generated.objects.table)]  # not the solver's own
    order = order[stands_for[order] == order]
    new_number = np.full(len(obj), -1, dtype=np.int64)
    new_number[order] = np.arange(len(order))
    new_number = new_number[stands_for]
    pool: dict[int, int] = {0: 0}
    sets: list[list[int]] = [[]]

    def number_of(bits: int) -> int:
        known = pool.get(bits)
        if known is None:
            known = pool[bits] = len(sets)
            sets.append(np.unique(new_number[member_array(bits)]).tolist())
        return known

    # Value -> generated variable -> solver's variable -> set; the last entries are for "none".
    of_var = np.array([*(number_of(bits) for bits in solution.var_set), 0], dtype=np.int32)
    solved = np.array([*numbering, -1], dtype=np.int64)
    of_value = of_var[solved[np.array(generated.var_of_value, dtype=np.int64)]]
    value_set = np.where(generated.tracking == Tracking.TRACKED, of_value, -1).astype(np.int32)
    cell_set = np.array([number_of(bits) for bits in solution.cell_set], dtype=np.int32)
    set_start, set_cell = ragged(sets)
    return PointsTo(
        program=program,
        objects=_columns(generated.objects.table, solution.cells.whole.keys()),
        cell_obj=obj[order],
        cell_offset=offset[order],
        value_set=value_set,
        cell_set=cell_set[order],
        set_start=set_start,
        set_cell=set_cell,
        tracking=generated.tracking,
        counters=_counters(generated, solution, numbering),
    )


def _cells_that_stand(cells: Cells) -> I64:
    """Each cell's own number, or that of the cell for the whole of its object."""
    own = range(len(cells))
    found = [cells.whole.get(obj, cell) for cell, obj in zip(own, cells.obj, strict=True)]
    return np.array(found, dtype=np.int64)


def _columns(table: ObjectTable, one_place: Collection[int]) -> ObjectColumns:
    type_start, types = ragged([list(shape.types) for shape in table.shape])
    chain_start, chain = ragged([list(chain) for chain in table.chain])
    return ObjectColumns(
        kind=np.array(table.kind, dtype=np.uint8),
        value=np.array(table.value, dtype=np.int32),
        instr=np.array(table.instr, dtype=np.int32),
        func=np.array(table.func, dtype=np.int32),
        size=np.array([shape.size for shape in table.shape], dtype=np.int64),
        repeats=np.array(
            [shape.repeats or obj in one_place for obj, shape in enumerate(table.shape)],
            dtype=np.uint8,
        ),
        tracked=np.array(table.tracked, dtype=np.uint8),
        type_start=type_start,
        type=types,
        chain_start=chain_start,
        chain=chain,
    )


def _call_graph(generated: Generated, solution: Solution) -> CallGraph:
    by_value: dict[int, list[int]] = {}
    callbacks: dict[int, list[int]] = {}
    for number, (row, owner) in enumerate(
        zip(generated.call_rows, generated.call_owner, strict=True)
    ):
        if row >= 0:
            by_value[row] = solution.targets[number]
        elif owner >= 0:
            callbacks.setdefault(owner, []).extend(solution.targets[number])
    return build_call_graph(generated.facts, generated.direct_targets, by_value, callbacks)


def _wrong_functions(layouts: ObjectLayouts, cells: Cells) -> int:
    """(filter, function) pairs where a pointer to functions does not point to this one."""
    pointers = {
        number
        for number, targets in enumerate(layouts.targets)
        if any(layouts.is_function(ref) for ref in targets)
    }
    return sum(
        type_filter in pointers and layouts.shapes[cells.shape_of(cells.obj[cell])].function
        for type_filter, cell in cells.dropped_by_filter
    )


def _counters(
    generated: Generated, solution: Solution, numbering: list[int]
) -> tuple[tuple[str, int], ...]:
    """What the filters and limits did, for the closing summary."""
    cells = solution.cells
    functions = _wrong_functions(generated.layouts, cells)
    families = len(generated.layouts.refs.families)
    left_out = int(np.count_nonzero(generated.tracking == Tracking.DATA_POINTER))
    unknown = sum(var >= 0 and numbering[var] in solution.many for var in generated.var_of_value)
    return (
        ("objects without pointers, left out", generated.objects.pointer_free),
        ("values that address plain data, left out", left_out),
        ("(filter, place) pairs cut off by type", len(cells.dropped_by_filter) - functions),
        ("(pointer type, function) pairs cut off by prototype", functions),
        ("structs that are defined nowhere, taken for those cast to them", families),
        ("untyped pointers that become a typed variable at once", generated.typed_receivers),
        ("steps outside of an object, dropped", len(cells.dropped_outside)),
        ("(call, function) pairs discarded by signature", solution.mismatches),
        ("(place, place) pairs that memcpy does not copy between", solution.not_copied),
        ("copies made clone by clone", len(generated.heap.copies)),
        ("calls of allocators by themselves, without a block of their own", solution.own_blocks),
        ("pointers with too many targets, unknown (limit)", unknown),
        ("typed pointers and places that get something unknown (limit)", solution.cut_off),
        ("objects of unknown type taken for one place (limit)", len(cells.whole)),
        ("offsets behind the end of objects of unknown type (limit)", generated.layouts.beyond),
        ("places of arrays that are copied in part (limit)", solution.not_repeated),
        ("times that fewer targets were allowed, to end sooner (limit)", solution.lowered),
        ("heap objects", len(generated.heap.objects)),
        ("heap objects that are clones", generated.heap.clones),
        ("allocators not told apart (limit)", generated.heap.limited),
        ("calls of external functions without a model", generated.opaque_calls),
    )
