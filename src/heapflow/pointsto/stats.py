"""`--stats` of the points-to phase: how large the sets are, which collect most, and what feeds them."""

from __future__ import annotations

from collections import Counter

import numpy as np

from heapflow.pointsto.analyse import Analysis
from heapflow.pointsto.codes import ValueKind

SHOWN = 10
FEEDERS = 3


def points_to_stats(analysis: Analysis) -> str:
    """Lines of figures, stable for a given program."""
    sizes = analysis.points_to.set_sizes()
    lines = ["points-to sets of values that point somewhere"]
    if len(sizes):
        median, p99 = np.percentile(sizes, [50, 99])
        lines.append(
            f"  {len(sizes)} sets: mean {sizes.mean():.2f}, median {median:.0f}, "
            f"99th percentile {p99:.0f}, maximum {sizes.max()}"
        )
    calls = analysis.calls
    by_value = int(np.count_nonzero(calls.indirect))
    unresolved = len(calls.unresolved())
    lines.append(f"  calls by value: {by_value - unresolved} resolved, {unresolved} unresolved")
    lines += [f"  {what}: {count}" for what, count in analysis.points_to.counters]
    lines.append(f"the {SHOWN} values that collect most, and what feeds them")
    lines += _largest(analysis)
    return "".join(line + "\n" for line in lines)


def _largest(analysis: Analysis) -> list[str]:
    namer = _Namer(analysis)
    sizes = Counter(
        {var: bits.bit_count() for var, bits in enumerate(analysis.solution.var_set) if bits}
    )
    named = [(count, var) for var, count in sizes.items() if var in namer.values]
    named.sort(key=lambda pair: (-pair[0], namer.name(pair[1])))
    lines: list[str] = []
    for count, var in named[:SHOWN]:
        lines.append(f"  {count} {namer.name(var)}")
        feeders = analysis.solution.feeders.get(var, [])
        feeders.sort(key=lambda node: (-namer.size(node), namer.name(node)))
        lines += [f"      {namer.size(node)} from {namer.name(node)}" for node in feeders[:FEEDERS]]
    return lines


class _Namer:
    """Names of solver nodes: the first value that a variable stands for, or the cell."""

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis
        self.first_cell = len(analysis.solution.var_set)
        self.values: dict[int, int] = {}
        for value, var in enumerate(analysis.generated.var_of_value):
            solved = analysis.numbering[var] if var >= 0 else -1
            if solved >= 0:
                self.values.setdefault(solved, value)

    def size(self, node: int) -> int:
        solution = self.analysis.solution
        if node < self.first_cell:
            return solution.var_set[node].bit_count()
        return solution.cell_set[node - self.first_cell].bit_count()

    def name(self, node: int) -> str:
        points_to, solution = self.analysis.points_to, self.analysis.solution
        if node >= self.first_cell:
            cell = node - self.first_cell
            if solution.cells.obj[cell] >= len(points_to.objects):
                return "(copies of memory)"
            name = points_to.object_name(solution.cells.obj[cell])
            return f"*{name}+{solution.cells.offset[cell]}"
        if node not in self.values:
            return "(a result or copy without a name)"
        return self._value_name(self.values[node])

    def _value_name(self, value: int) -> str:
        facts, program = self.analysis.generated.facts, self.analysis.points_to.program
        name = self.analysis.points_to.variable_name(value) or "a temporary"
        row = facts.row_of_value[value]
        if 0 <= row < facts.instr_count:
            file, line, _ = program.position(row)
            return f"{name} in {program.func_name(facts.func_of_instr[row])} ({file}:{line})"
        if facts.value_kind[value] == ValueKind.PARAM:
            func = int(program.params.func[facts.value_index[value]])
            return f"parameter {name} of {program.func_name(func)}"
        return name
