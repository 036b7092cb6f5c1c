"""Whether the last pointer to a lost object was replaced on the losing path, and where.

Two places can hold it: a variable (SSA values that debug information binds to it) and memory (a store
through some address). The object is overwritten if a later store or binding on the path puts something
else there, after the last place that took the object up.
"""

from __future__ import annotations

from dataclasses import dataclass

from heapflow.ir.kinds import BindingKind, Op
from heapflow.ir.program import Program
from heapflow.leaks.detect import Verdict
from heapflow.leaks.lists import GraphLists


@dataclass(frozen=True, slots=True)
class Overwrite:
    """The instruction that replaces the pointer."""

    instr: int


def find_overwrite(
    program: Program, lists: GraphLists, verdict: Verdict, blocks: list[int]
) -> Overwrite | None:
    """The last replacement on the path, if nothing took the object up after it."""
    carriers = {
        lists.value[node]
        for node, held in verdict.flow.reached
        if held < 0 and lists.is_value(node)
    }
    order = _instructions(program, blocks)
    holders: set[object] = set()  # variables and addresses that hold the object now
    found: Overwrite | None = None
    bindings = _bindings_by_instr(program, verdict.source.func)
    started = False
    for instr in order:
        for variable, value in bindings.get(instr, ()):
            if value in carriers:
                holders.add(("variable", variable))
                found = None
            elif ("variable", variable) in holders:
                holders.discard(("variable", variable))
                found = Overwrite(instr) if not holders and started else found
        started = started or instr == verdict.source.site
        if program.instrs.op[instr] != Op.STORE:
            continue
        pointer, stored = program.operands(instr)
        address = ("memory", _address(program, pointer))
        if stored in carriers:
            holders.add(address)
            found = None
        elif address in holders:
            holders.discard(address)
            found = Overwrite(instr) if not holders and started else found
    return found if found is not None and started else None


def _instructions(program: Program, blocks: list[int]) -> list[int]:
    starts = program.blocks.instr_start
    return [
        instr for block in blocks for instr in range(int(starts[block]), int(starts[block + 1]))
    ]


def _bindings_by_instr(program: Program, func: int) -> dict[int, list[tuple[int, int]]]:
    found: dict[int, list[tuple[int, int]]] = {}
    bindings, instrs = program.bindings, program.instr_range(func)
    inside = (bindings.instr >= instrs.start) & (bindings.instr < instrs.stop)
    for row in inside.nonzero()[0].tolist():
        if bindings.kind[row] == BindingKind.VALUE and bindings.offset[row] == 0:
            pair = (int(bindings.variable[row]), int(bindings.value[row]))
            found.setdefault(int(bindings.instr[row]), []).append(pair)
    return found


def _address(program: Program, pointer: int) -> tuple[int, int]:
    """An SSA value and a constant distance from it."""
    offset = 0
    values, instrs = program.values, program.instrs
    for _ in range(16):
        instr = int(values.index[pointer])
        if values.kind[pointer] != 0 or instrs.op[instr] != Op.GEP:
            break
        operands = program.operands(instr)
        if len(operands) > 1:
            break
        offset += int(instrs.aux[instr] + instrs.aux2[instr])
        pointer = operands[0]
    return pointer, offset
