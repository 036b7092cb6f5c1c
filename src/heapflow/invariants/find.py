"""What the program keeps true of its own fields, globals and parameters.

In:    Program, CallGraph, models.     Out: `Invariants`: for loads and parameters, the few constants or
       the signs that their value can have.
Example: `s->mode` is stored by three functions, as 1, 2 or 4, and every maker of an `s` sets it:
       whoever loads it gets one of these.
A member counts by its type: all objects of a struct are one. What may be written by others is given up
(`escapes`); what a cleared object holds before it is set is seen by its maker only (`makers`); the rest
is one conditional propagation of constants and signs over the whole program (`solve`).
Guarantees (`check_solution`): every store that is reached stores what is said of its cell; the
       same for the arguments of every call that is known.
Not modelled: docs/unsoundness.md, `fields-keep`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from heapflow.invariants.abstract import ANY, POSITIVE, ZERO, Abstract, text_of
from heapflow.invariants.calls import Calls, ModelTable
from heapflow.invariants.cells import Cells
from heapflow.invariants.check import check_solution
from heapflow.invariants.config import InvariantConfig
from heapflow.invariants.escapes import Escapes
from heapflow.invariants.makers import Makers
from heapflow.invariants.pointees import Pointees
from heapflow.invariants.solve import Solution
from heapflow.ir.kinds import CALLS, Op, TypeKind
from heapflow.ir.program import Program
from heapflow.ownership.ownership import Layouts
from heapflow.pointsto.callgraph import CallGraph
from heapflow.pointsto.facts import Facts

_CALLS = frozenset(map(int, CALLS))


@dataclass(frozen=True, slots=True)
class Invariants:
    """What is known; anything that is not mentioned may be anything."""

    loads: dict[int, Abstract] = field(default_factory=dict)  # by instruction
    params: dict[tuple[int, int], Abstract] = field(default_factory=dict)  # function, position
    # Numbers that calls of functions with a body return unless an allocation fails, by instruction.
    results: dict[int, Abstract] = field(default_factory=dict)
    # Loads of which it holds only once the object's maker has finished.
    after_making: frozenset[int] = frozenset()
    cells: tuple[tuple[str, Abstract], ...] = ()  # for people, by name
    limits_hit: Counter[str] = field(default_factory=Counter)

    def dump(self) -> str:
        """What is said of members and globals, a line each, by name."""
        return "".join(f"{name}: {text_of(said)}\n" for name, said in self.cells)


def find_invariants(
    program: Program,
    calls: CallGraph,
    models: ModelTable,
    config: InvariantConfig,
    with_fields: bool = True,
    check: bool = False,
) -> Invariants:
    """All that the program keeps true; without fields, what follows for parameters alone."""
    facts = Facts(program)
    cells = Cells(facts, Layouts(program))
    pointees = Pointees(cells, config)
    called = Calls(cells, calls, models)
    if not with_fields:
        return _said(called, 0, Solution(cells, called, set(), 0, config, with_cells=False))
    escapes = Escapes(cells, pointees, called, config)
    makers = Makers(cells, pointees, called, config)
    solution = Solution(cells, called, escapes.dead, makers.zero, config, sorted(escapes.templates))
    if check and not solution.gave_up:
        check_solution(solution)
    found = _said(called, makers.cleared & ~makers.zero, solution)
    if makers.cut_off:
        found.limits_hit["makers that are not followed to their end"] += makers.cut_off
    if solution.cut_off:
        found.limits_hit["functions that empty globals, followed by too much"] += solution.cut_off
    if solution.ways.cut_off:
        found.limits_hit["ways out of one function"] += solution.ways.cut_off
    found.limits_hit.update(facts.limits_hit)
    return found


def _said(called: Calls, waived: int, solution: Solution) -> Invariants:
    """`waived`: cells that are zero for a while, which only the maker sees."""
    if solution.gave_up:
        return Invariants(limits_hit=Counter({"visits of instructions": 1}))
    cells, facts = called.cells, called.facts
    loads: dict[int, Abstract] = {}
    after: set[int] = set()
    for row in range(facts.instr_count):
        if facts.op[row] != Op.LOAD:
            continue
        cell = cells.of_value.get(facts.operand[facts.start[row]])
        if cell is None or solution.content_at(row, cell) in (ANY, frozenset()):
            continue
        found = solution.value(facts.result[row])
        nothing = (ANY, ZERO | POSITIVE) if cells.pointer_like[cell] else (ANY,)
        if found and found not in nothing:
            loads[row] = found
            if waived >> cell & 1:
                after.add(row)
    params = {
        (func, position): solution.value(value)
        for func in range(len(facts.func_flags))
        if facts.has_body(func) and not solution.open[func]
        for position, value in enumerate(facts.params(func))
        if solution.value(value) not in (ANY, frozenset())
    }
    results = {
        row: solution.value(facts.result[row])
        for row in range(facts.instr_count)
        if facts.op[row] in _CALLS and facts.result[row] >= 0
        if facts.type_kind[facts.type[row]] == TypeKind.INT
        if (targets := called.targets(row)) and all(map(facts.has_body, targets))
        if solution.value(facts.result[row]) not in (ANY, frozenset())
    }
    # Several may have one name (statics of two files): these stay in the order of their cells.
    named = sorted(
        (
            (cells.name(cell), content)
            for cell, content in enumerate(solution.content)
            if content and content != ANY
        ),
        key=lambda one: one[0],
    )
    return Invariants(loads, params, results, frozenset(after), tuple(named))
