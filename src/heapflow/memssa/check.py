"""What must hold of memory SSA.

`check_memory_ssa` raises InternalError with the first law that is broken.
"""

from __future__ import annotations

import numpy as np

from heapflow.ir.kinds import Op
from heapflow.memssa.accesses import EventKind
from heapflow.memssa.config import MemoryModel
from heapflow.memssa.dominance import block_dominators
from heapflow.memssa.modref import event_sets
from heapflow.memssa.ssa import DefKind, MemorySsa, UseKind
from heapflow.support.dominators import Dominators
from heapflow.support.errors import InternalError


def check_memory_ssa(ssa: MemorySsa) -> None:
    """Mod-Ref, regions, annotations and the laws of SSA form."""
    check_carriers(ssa)
    check_modref(ssa)
    check_regions(ssa)
    check_versions(ssa)


def _require(holds: object, what: str) -> None:
    if not holds:
        raise InternalError(f"memory SSA: {what}")


def check_carriers(ssa: MemorySsa) -> None:
    """Closed: what a carrying value is copied to carries; what is stored is held."""
    facts, carries = ssa.facts, ssa.carriers.values
    for row in range(facts.instr_count):
        if facts.op[row] == Op.PHI and ssa.memory.may_carry[facts.result[row]]:
            into = any(carries[operand] for operand in facts.operands(row))
            _require(not into or carries[facts.result[row]], "a φ of a carrying value carries")
    for events in ssa.accesses.by_func.values():
        for event in events:
            for places in event.reads + event.writes:
                _require(not places & ~ssa.carriers.held, "accesses only touch held locations")


def check_modref(ssa: MemorySsa) -> None:
    """[Fig. 3] U_f and D_f contain what each rule demands; locals do not leave their function."""
    modref = ssa.modref
    loaded = ssa.classes.translate(ssa.accesses.loaded)
    for func, events in ssa.accesses.by_func.items():
        kept = modref.visible[func] & ~modref.local[func]
        for event in events:
            reads, writes = event_sets(event, ssa.classes)
            if event.kind == EventKind.CALL:
                used, defined = modref.at_call[event.instr]
                reads, writes = reads | used, writes | defined
            _require(not reads & kept & ~modref.uses[func], f"U of function {func} is closed")
            _require(
                not writes & loaded & kept & ~modref.defs[func], f"D of function {func} is closed"
            )
        escaped = (modref.uses[func] | modref.defs[func]) & modref.local[func]
        _require(not escaped, f"locals of function {func} stay in it")


def check_regions(ssa: MemorySsa) -> None:
    """No region contains another; every access of a function is covered by its regions."""
    for func, events in ssa.accesses.by_func.items():
        first, last = int(ssa.regions.start[func]), int(ssa.regions.start[func + 1])
        regions = ssa.regions.classes[first:last]
        covered = 0
        for number, region in enumerate(regions):
            covered |= region
            inside = any(region & other == region for i, other in enumerate(regions) if i != number)
            _require(not inside, f"no region of function {func} contains another")
        for event in events:
            reads, writes = event_sets(event, ssa.classes)
            _require(not (reads | writes) & ~covered, f"accesses of function {func} are covered")
    if ssa.config.memory_model == MemoryModel.DISTINCT:
        single = all(region.bit_count() == 1 for region in ssa.regions.classes)
        _require(single, "distinct: every region is one location")


def check_versions(ssa: MemorySsa) -> None:
    """One definition per version, uses dominated, a φ argument per reachable predecessor."""
    defs = ssa.defs
    names = defs.region.astype(np.int64) << 32 | defs.version
    _require(len(np.unique(names)) == len(names), "one definition per version")
    _require(np.all(ssa.uses.definition >= 0), "uses have a definition")
    same = defs.region[ssa.uses.definition] == ssa.uses.region
    _require(np.all(same), "a use and its definition are of one region")
    func_of_def = ssa.regions.func[defs.region]
    for func in np.unique(func_of_def).tolist():
        _check_function(ssa, func, np.flatnonzero(func_of_def == func).tolist())


def _check_function(ssa: MemorySsa, func: int, numbers: list[int]) -> None:
    defs = ssa.defs
    first = int(ssa.program.functions.block_start[func])
    dominators, predecessors = block_dominators(ssa.program, func)
    for number in numbers:
        block = int(defs.block[number]) - first
        old = int(defs.old[number])
        if old >= 0:
            _require(
                _before(ssa, dominators, old, block, int(defs.instr[number]), first),
                "a χ updates a version that dominates it",
            )
        if defs.kind[number] != DefKind.PHI:
            continue
        args = range(int(defs.arg_start[number]), int(defs.arg_start[number + 1]))
        blocks = sorted(int(defs.arg_block[i]) - first for i in args)
        reachable = sorted(p for p in predecessors[block] if dominators.first[p] >= 0)
        _require(blocks == reachable, "a φ has one argument per reachable predecessor")
        for i in args:
            if defs.arg[i] >= 0:
                at = int(defs.arg_block[i]) - first
                origin = int(defs.block[defs.arg[i]]) - first
                _require(dominators.dominates(origin, at), "φ arguments dominate their edge")
    in_func = np.isin(ssa.uses.definition, numbers)
    for use in np.flatnonzero(in_func).tolist():
        instr = int(ssa.uses.instr[use])
        block = int(ssa.program.instrs.block[instr]) - first
        known = _before(ssa, dominators, int(ssa.uses.definition[use]), block, instr, first)
        _require(known, f"{UseKind(ssa.uses.kind[use]).name}: definition dominates use")


def _before(
    ssa: MemorySsa, dominators: Dominators, definition: int, block: int, instr: int, first: int
) -> bool:
    """Whether a definition comes before an instruction on every path to it."""
    origin = int(ssa.defs.block[definition]) - first
    if origin != block:
        return dominators.dominates(origin, block)
    return int(ssa.defs.instr[definition]) < instr
