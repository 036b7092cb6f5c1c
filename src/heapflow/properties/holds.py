"""Calls that take hold of what they are given (locks), in functions that let go of it as well.

In:    Facts.     Out: functions with such a call, to be executed.
A function that only locks does so for its callers: it is not looked at.
Not modelled: functions that let go of it only through a callee.
"""

from __future__ import annotations

from collections.abc import Iterator

from heapflow.ir.kinds import CALLS
from heapflow.models.model import Drop, Hold
from heapflow.properties.facts import Facts

_CALLS = frozenset(int(op) for op in CALLS)


def find_holds(facts: Facts) -> Iterator[tuple[int, tuple[int, ...]]]:
    """The function, and the call as a chain of its own, in the order of the program."""
    for func in range(len(facts.program.functions)):
        if not facts.has_body(func):
            continue
        holds: list[tuple[int, str]] = []
        dropped: set[str] = set()
        for instr in facts.program.instr_range(func):
            if facts.op[instr] in _CALLS:
                for effect in _effects(facts, instr):
                    if isinstance(effect, Hold):
                        holds.append((instr, effect.family))
                    elif isinstance(effect, Drop):
                        dropped.add(effect.family)
        for instr, family in holds:
            machine = facts.machines.of(family)
            if family in dropped and machine is not None and machine.lost:
                yield func, (instr,)


def _effects(facts: Facts, instr: int) -> Iterator[object]:
    for callee in facts.targets(instr):
        if not facts.has_body(callee):
            model = facts.model(callee, len(facts.operands(instr)) - 1)
            yield from model.effects if model is not None else ()
