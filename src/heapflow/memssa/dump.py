"""Memory SSA as text: regions, then every annotated instruction, in program order."""

from __future__ import annotations

from collections.abc import Iterator

from heapflow.ir.kinds import Op
from heapflow.memssa.ssa import DefKind, MemorySsa
from heapflow.support.bitset import members

_SHOWN = 6  # locations of a region that are named
_WORDS = {Op.LOAD: "load", Op.STORE: "store", Op.RET: "return"}


def dump_memory_ssa(ssa: MemorySsa) -> str:
    """Functions in program order; numbers do not depend on anything outside of the function."""
    uses, defs = _by_func(ssa)
    lines: list[str] = []
    for func in range(len(ssa.program.functions)):
        first, last = int(ssa.regions.start[func]), int(ssa.regions.start[func + 1])
        if first < last:
            lines += _function(ssa, func, range(first, last), uses[func], defs[func])
    return "".join(line + "\n" for line in lines)


def region_name(ssa: MemorySsa, region: int) -> str:
    """R1, R2, … within a function."""
    return f"R{region - int(ssa.regions.start[ssa.regions.func[region]]) + 1}"


def version_name(ssa: MemorySsa, definition: int) -> str:
    """R2_0 and the like; an undefined local is R2_?."""
    if definition < 0:
        return "undefined"
    return f"{region_name(ssa, int(ssa.defs.region[definition]))}_{ssa.defs.version[definition]}"


def region_text(ssa: MemorySsa, region: int, shown: int = _SHOWN) -> str:
    """The locations of a region by name."""
    names: list[str] = []
    for number in members(ssa.regions.classes[region]):
        classes = ssa.classes
        more = f" and {classes.size[number] - 1} alike" if classes.size[number] > 1 else ""
        names.append(ssa.memory.name(classes.first[number]) + more)
    names.sort()
    rest = [f"… {len(names) - shown} more"] if len(names) > shown else []
    return "{" + ", ".join(names[:shown] + rest) + "}"


def _by_func(ssa: MemorySsa) -> tuple[list[list[int]], list[list[int]]]:
    count = len(ssa.program.functions)
    uses: list[list[int]] = [[] for _ in range(count)]
    defs: list[list[int]] = [[] for _ in range(count)]
    func_of = ssa.regions.func
    for number, func in enumerate(func_of[ssa.uses.region].tolist()):
        uses[func].append(number)
    for number, func in enumerate(func_of[ssa.defs.region].tolist()):
        defs[func].append(number)
    return uses, defs


def _function(
    ssa: MemorySsa, func: int, regions: range, uses: list[int], defs: list[int]
) -> Iterator[str]:
    yield f"function {ssa.program.func_name(func)}"
    for region in regions:
        kind = "local" if ssa.regions.local[region] else "nonlocal"
        yield f"  {region_name(ssa, region)} {kind} {region_text(ssa, region)}"
    for definition in defs:
        if ssa.defs.kind[definition] == DefKind.ENTRY:
            yield f"  {version_name(ssa, definition)} = entry"
    rows: dict[int, list[str]] = {}
    first = int(ssa.program.functions.block_start[func])
    for definition in sorted(defs, key=lambda d: int(ssa.defs.region[d])):
        if ssa.defs.kind[definition] == DefKind.PHI:
            block = int(ssa.defs.block[definition])
            start = int(ssa.program.blocks.instr_start[block])
            rows.setdefault(2 * start - 1, []).append(_phi(ssa, definition, first))
    for use in uses:
        instr = int(ssa.uses.instr[use])
        mu = f"μ({version_name(ssa, int(ssa.uses.definition[use]))})"
        rows.setdefault(2 * instr, []).append(mu)
    for definition in defs:
        instr = int(ssa.defs.instr[definition])
        if instr >= 0:
            old = _old_name(ssa, definition)
            strong = " strong" if ssa.defs.strong[definition] else ""
            chi = f"{version_name(ssa, definition)} = χ({old}){strong}"
            rows.setdefault(2 * instr, []).append(chi)
    for key in sorted(rows):
        if key % 2:
            yield from rows[key]
        else:
            yield f"  {_where(ssa, key // 2)}: " + ", ".join(rows[key])
    yield ""


def _old_name(ssa: MemorySsa, definition: int) -> str:
    """The version that a χ updates; version 0 has no row of its own where nobody needs it."""
    old, region = int(ssa.defs.old[definition]), int(ssa.defs.region[definition])
    if old < 0 and not ssa.regions.local[region]:
        return f"{region_name(ssa, region)}_0"
    return version_name(ssa, old)


def _phi(ssa: MemorySsa, definition: int, first_block: int) -> str:
    start = ssa.defs.arg_start
    args = [
        f"{version_name(ssa, int(ssa.defs.arg[i]))} from b{int(ssa.defs.arg_block[i]) - first_block}"
        for i in range(int(start[definition]), int(start[definition + 1]))
    ]
    block = int(ssa.defs.block[definition]) - first_block
    return f"  b{block}: {version_name(ssa, definition)} = φ({', '.join(sorted(args))})"


def _where(ssa: MemorySsa, instr: int) -> str:
    """Line and statement of an instruction."""
    facts = ssa.facts
    line = ssa.program.position(instr)[1]
    if facts.is_call(instr):
        callees = sorted(ssa.program.func_name(f) for f in ssa.memory.callees.get(instr, ()))
        return f"line {line} call {', '.join(callees) or '?'}"
    return f"line {line} {_WORDS.get(Op(facts.op[instr]), 'exchange')}"
