"""Constants that functions return, and the branches of callers that ask for them.

    if (set_up(n) == 0) use(buffer);        set_up returns 1 where it filled the buffer, else -1

In:    Facts.     Out: where each constant is returned from; which of them lead over which branch.
Not modelled: results that go through memory or arithmetic before they are tested.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from heapflow.ir.compare import compare_numbers
from heapflow.ir.kinds import MIRRORED, CmpPredicate, EdgeKind, Op, ValueKind
from heapflow.memssa.config import MemorySsaConfig
from heapflow.pointsto.facts import Facts

_INT = int(ValueKind.INT)


def returning_blocks(
    facts: Facts, func: int, config: MemorySsaConfig, limits_hit: Counter[str]
) -> dict[int, list[int]] | None:
    """By constant, the blocks after which a function returns it; None: it also returns others."""
    program = facts.program
    first, last = (int(program.functions.block_start[func + i]) for i in (0, 1))
    starts = program.blocks.instr_start
    found: dict[int, list[int]] = {}
    for block in range(first, last):
        row = int(starts[block + 1]) - 1
        if row < int(starts[block]) or facts.op[row] != Op.RET:
            continue
        operands = facts.operands(row)
        if not operands:
            return None
        for value, source in _choices(facts, operands[0], block):
            if facts.value_kind[value] != _INT:
                return None
            found.setdefault(int(program.values.number[value]), []).append(source)
    if len(found) > config.most_codes:
        limits_hit["constants that a function returns"] += 1
        return None
    return found or None


def _choices(facts: Facts, value: int, block: int) -> list[tuple[int, int]]:
    """What a value is at the end of a block: a φ of that block is what the block before chose."""
    program, row = facts.program, facts.row_of_value[value]
    if row < 0 or row >= facts.instr_count or facts.op[row] != Op.PHI:
        return [(value, block)]
    if int(program.instrs.block[row]) != block:
        return [(value, block)]
    start = facts.start[row]
    sources = program.instrs.operand_block
    return [
        (operand, int(sources[start + position]))
        for position, operand in enumerate(facts.operands(row))
    ]


def codes_over_edges(
    facts: Facts, block: int, codes_of: Mapping[int, tuple[int, ...]]
) -> list[tuple[int, tuple[int, ...]]] | None:
    """For the edges of a block that tests a call's result: (call, constants that take it).

    `codes_of`: the constants that calls may give. None if the block tests no such result.
    """
    blocks = facts.program.blocks
    first, last = int(blocks.edge_start[block]), int(blocks.edge_start[block + 1])
    if last - first < 2:
        return None
    condition = int(blocks.edge_condition[first])
    if condition < 0:
        return None
    kinds = blocks.edge_kind[first:last].tolist()
    row = facts.row_of_value[condition]
    predicate, number = CmpPredicate.NE, 0
    if EdgeKind.DEFAULT not in kinds and row >= 0 and facts.op[row] == Op.ICMP:
        condition, other = facts.operands(row)
        predicate = CmpPredicate(facts.aux[row])
        if facts.value_kind[condition] == _INT:  # `-1 == f()`
            condition, other, predicate = other, condition, MIRRORED[predicate]
        if facts.value_kind[other] != _INT:
            return None
        number = int(facts.program.values.number[other])
        row = facts.row_of_value[condition]
    codes = codes_of.get(row) if row >= 0 else None
    if codes is None:
        return None
    cases = blocks.edge_number[first:last].tolist()
    taken: list[tuple[int, tuple[int, ...]]] = []
    for kind, case in zip(kinds, cases, strict=True):
        if kind == EdgeKind.CASE:
            fitting = tuple(code for code in codes if code == case)
        elif kind == EdgeKind.DEFAULT:
            named = {c for c, k in zip(cases, kinds, strict=True) if k == EdgeKind.CASE}
            fitting = tuple(code for code in codes if code not in named)
        else:
            wanted = kind == EdgeKind.IF_TRUE
            fitting = tuple(c for c in codes if compare_numbers(predicate, c, number) == wanted)
        taken.append((row, fitting))
    return taken
