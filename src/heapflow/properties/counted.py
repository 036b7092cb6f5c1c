"""Releases that depend on what lies in the released object: counters of references, flags.

In:    a function that is followed, a release in it.     Out: yes or no.
Example: `if (--object->count == 0) free(object);` says nothing about callers, who mostly have a
reference of their own. What the counter is, only an execution that made the object knows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from heapflow.ir.ids import BlockId, InstrId, ValueId
from heapflow.ir.kinds import CALLS, Op, ValueKind
from heapflow.properties.facts import Facts
from heapflow.properties.place import Of, Place, base


class Followed(Protocol):
    """What is needed of the function."""

    facts: Facts
    first: BlockId
    instrs: dict[BlockId, Sequence[InstrId]]
    successors: dict[BlockId, list[BlockId]]
    reads: dict[Place, list[BlockId]] | None  # blocks that decide by an object


def is_counted(function: Followed, release: InstrId, place: Place) -> bool:
    """Whether a way round the release exists, and a branch that reads the object decides."""
    facts = function.facts
    goal = facts.instr_block[release]
    if place[0] not in (Of.ARGUMENT, Of.CONTENT, Of.VALUE):
        return False
    if function.reads is None:
        function.reads = _all_reads(function)
    reading = function.reads.get(place)
    if not reading:
        return False
    avoiding = _avoiding(function, goal)
    return any(
        block != goal and block in avoiding and _dominates(function, block, goal)
        for block in reading
    )


def _avoiding(function: Followed, goal: BlockId) -> set[BlockId]:
    """Blocks from which a way leads out of the function without the goal."""
    before: dict[BlockId, list[BlockId]] = {}
    for block, targets in function.successors.items():
        for target in targets:
            before.setdefault(target, []).append(block)
    queue = [b for b, targets in function.successors.items() if not targets and b != goal]
    found = set(queue)
    for block in queue:
        for previous in before.get(block, ()):
            if previous not in found and previous != goal:
                found.add(previous)
                queue.append(previous)
    return found


def _dominates(function: Followed, block: BlockId, goal: BlockId) -> bool:
    """Whether every way to the goal passes a block."""
    if block == function.first:
        return True
    seen, stack = {function.first}, [function.first]
    while stack:
        for target in function.successors[stack.pop()]:
            if target == goal:
                return False
            if target != block and target not in seen:
                seen.add(target)
                stack.append(target)
    return True


def _all_reads(function: Followed) -> dict[Place, list[BlockId]]:
    """By object: the blocks that decide by a number that is computed from what lies in it."""
    facts, found = function.facts, dict[Place, list[BlockId]]()
    for block, targets in function.successors.items():
        operands = facts.operands(function.instrs[block][-1])
        if len(targets) > 1 and operands:
            for place in _read_by(facts, operands[0]):
                found.setdefault(place, []).append(block)
    return found


def _read_by(facts: Facts, value: ValueId) -> set[Place]:
    """Objects that a number is computed from, within a few computations."""
    found, seen, level = set[Place](), {value}, [value]
    for _ in range(facts.config.deepest_branch):
        inner: list[ValueId] = []
        for one in level:
            if facts.value_kind[one] != ValueKind.INSTR:
                continue
            instr = facts.value_index[one]
            op, operands = facts.op[instr], facts.operands(instr)
            if op in (Op.LOAD, Op.ATOMIC_RMW, Op.CMPXCHG):
                found.add(base(facts.place(operands[0])))
            elif op in CALLS:
                found.update(base(facts.place(argument)) for argument in operands[1:])
            elif op != Op.ICMP or all(facts.value_kind[o] != ValueKind.NULL for o in operands):
                # a comparison with NULL says that a pointer is there or not
                inner += [operand for operand in operands if operand not in seen]
                seen.update(operands)
        level = inner
    if level:
        facts.limits_hit["computations before a branch"] += 1
    return found
