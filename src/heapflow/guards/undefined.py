"""Variables that nobody sets: which tests of them are about the same one.

In:    a function's control flow.     Out: blocks whose test is about a variable of its own.
SROA leaves one value, `undef`, for all locals of a type that are read before anything is assigned to
them; their names are gone. Tests of `undef` are taken to be about one variable, so that what they say
fits together (`if (n > 0) …; else if (n <= 0) …`). That is wrong if then some code could never run:

    switch (from) { case 4: case 5: switch (to) { case 4: case 5: break; default: return; } }

With `from` and `to` as one, the `return` would be dead; nobody writes that, so they are two.
Not modelled: computations with `undef`, and what joins in a φ.
"""

from __future__ import annotations

from collections.abc import Callable

from heapflow.guards.cfg import FunctionCfg
from heapflow.guards.context import GuardContext
from heapflow.ir.ids import NO_BLOCK, BlockId, EdgeId, ValueId
from heapflow.ir.kinds import CmpPredicate, EdgeKind, Op, ValueKind
from heapflow.logic.compare import decide
from heapflow.logic.term import Int

_Taken = Callable[[int], bool]


def tests_of_their_own(context: GuardContext, cfg: FunctionCfg) -> frozenset[int]:
    """Blocks that end with a test of an unset variable that no other test is about."""
    tests: dict[BlockId, _Test] = {}
    for block in cfg.order:
        found = _read(context, cfg, block)
        if found is not None:
            tests[block] = found
    if len(tests) < 2:
        return frozenset()
    apart: set[int] = set()
    for block in cfg.order:  # a test comes after those that lead to it
        if block in tests and _leaves_dead_code(context, cfg, tests, block, apart):
            apart.add(block)
    return frozenset(apart)


class _Test:
    """A branch on `undef`: which numbers take which edge."""

    def __init__(self, value: ValueId) -> None:
        self.value = value
        self.taken: dict[int, _Taken] = {}
        self.constants: set[int] = set()


def _read(context: GuardContext, cfg: FunctionCfg, block: BlockId) -> _Test | None:
    edges = cfg.out_edges[block]
    kinds = [context.code.edge_kind[edge] for edge in edges]
    if len(edges) < 2:
        return None
    condition = context.code.edge_condition[edges[0]]
    if EdgeKind.IF_TRUE in kinds:
        return _read_comparison(context, block, condition, edges)
    if EdgeKind.DEFAULT not in kinds or context.code.value_kind[condition] != ValueKind.UNDEF:
        return None
    test = _Test(condition)
    cases = [e for e in edges if context.code.edge_kind[e] == EdgeKind.CASE]
    test.constants = {context.code.edge_number[edge] for edge in cases}
    for edge in edges:
        number = context.code.edge_number[edge]
        if context.code.edge_kind[edge] == EdgeKind.CASE:
            test.taken[edge] = lambda n, number=number: n == number  # type: ignore[misc]
        else:
            test.taken[edge] = lambda n: n not in test.constants
    return test


def _read_comparison(
    context: GuardContext, block: BlockId, condition: ValueId, edges: list[EdgeId]
) -> _Test | None:
    instr = context.code.instr_of(condition)
    if instr < 0 or context.code.op[instr] != Op.ICMP or context.code.instr_block[instr] != block:
        return None
    left, right = context.code.operands(instr)
    kinds = context.code.value_kind
    if kinds[left] != ValueKind.UNDEF or kinds[right] not in (ValueKind.INT, ValueKind.NULL):
        return None
    predicate = CmpPredicate(context.code.aux[instr])
    number = context.code.value_number[right] if kinds[right] == ValueKind.INT else 0
    test = _Test(left)
    test.constants = {number}

    def holds(n: int) -> bool:
        return bool(decide(predicate, Int(n), Int(number)))

    for edge in edges:
        yes = context.code.edge_kind[edge] == EdgeKind.IF_TRUE
        test.taken[edge] = lambda n, yes=yes: holds(n) == yes  # type: ignore[misc]
    return test


def _leaves_dead_code(
    context: GuardContext,
    cfg: FunctionCfg,
    tests: dict[BlockId, _Test],
    block: BlockId,
    apart: set[int],
) -> bool:
    """Whether an edge into code of its own contradicts the tests that lead to the block."""
    test = tests[block]
    numbers = {n + d for t in tests.values() for n in t.constants for d in (-1, 0, 1)}
    child, above = block, cfg.above.get(block, NO_BLOCK)
    while above >= 0 and above != child:
        other = tests.get(above)
        if other is not None and other.value == test.value and above not in apart:
            numbers &= _numbers_into(context, cfg, other, above, child, numbers)
        child, above = above, cfg.above.get(above, NO_BLOCK)
    return any(
        not _numbers_into(context, cfg, test, block, target, numbers)
        for target in {context.code.edge_target[edge] for edge in test.taken}
        if target != block
    )


def _numbers_into(
    context: GuardContext,
    cfg: FunctionCfg,
    test: _Test,
    block: BlockId,
    target: BlockId,
    numbers: set[int],
) -> set[int]:
    """Those with which the test leads to the target; all, if there are other ways to it."""
    edges = cfg.in_edges.get(target, [])
    if not edges or any(edge not in test.taken for edge in edges):
        return numbers
    return {n for n in numbers if any(test.taken[edge](n) for edge in edges)}
