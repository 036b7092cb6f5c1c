"""Calls that take hold of what they are given (locks), in functions that let go of it as well.

In:    Facts.     Out: functions with such a call, to be executed.
A function that only locks does so for its callers: it is not looked at, nor is one after which somebody
else lets go of such a lock (`handing`).
Not modelled: functions that let go of it only through a callee.
"""

from __future__ import annotations

from collections.abc import Iterator

from heapflow.ir.ids import FuncId, InstrId
from heapflow.ir.kinds import CALLS, Op, ValueKind
from heapflow.models.model import AccessPath, Arg, Drop, Hold
from heapflow.properties.facts import Facts
from heapflow.properties.handing import Handing, Kind, Kinds
from heapflow.properties.place import Of, base

_CALLS = frozenset(int(op) for op in CALLS)


def find_holds(facts: Facts) -> Iterator[tuple[FuncId, tuple[InstrId, ...]]]:
    """The function, and the call as a chain of its own, in the order of the program."""
    found: list[tuple[FuncId, InstrId]] = []
    holds: dict[InstrId, Kinds] = {}
    drops: dict[InstrId, Kinds] = {}
    for func in map(FuncId, range(len(facts.program.functions))):
        if not facts.has_body(func):
            continue
        held: list[tuple[InstrId, str]] = []
        dropped: set[str] = set()
        for instr in facts.instrs_of(func):
            for effect in _effects(facts, instr) if facts.op[instr] in _CALLS else ():
                kind = _kind(facts, instr, effect.target)
                if isinstance(effect, Hold):
                    held.append((instr, effect.family))
                    holds[instr] = holds.get(instr, frozenset()) | kind
                else:
                    dropped.add(effect.family)
                    drops[instr] = drops.get(instr, frozenset()) | kind
        for instr, family in held:
            machine = facts.machines.of(family)
            if family in dropped and machine is not None and machine.lost:
                found.append((func, instr))
    handing = Handing(facts, holds, drops) if found else None
    for func, instr in found:
        assert handing is not None
        if not any(handing.is_handed_over(func, kind) for kind in holds[instr]):
            yield func, (instr,)


def _effects(facts: Facts, instr: InstrId) -> Iterator[Hold | Drop]:
    for callee in facts.targets(instr):
        if not facts.has_body(callee):
            model = facts.model(callee, len(facts.operands(instr)) - 1)
            for effect in model.effects if model is not None else ():
                if isinstance(effect, Hold | Drop):
                    yield effect


def _kind(facts: Facts, call: InstrId, path: AccessPath) -> frozenset[Kind]:
    """The member or the variable that a call gets the address of; nothing if it is neither."""
    arguments = facts.operands(call)[1:]
    if not isinstance(path.root, Arg) or path.steps or path.root.index > len(arguments):
        return frozenset()
    value = arguments[path.root.index - 1]
    place = facts.place(value)
    if base(place)[0] == Of.GLOBAL:
        return frozenset({("variable", base(place)[1], place[2] if place[0] == Of.BEHIND else 0)})
    if facts.value_kind[value] != ValueKind.INSTR:
        return frozenset()
    instr = facts.value_index[value]
    if facts.op[instr] != Op.GEP or len(facts.operands(instr)) > 1:
        return frozenset()
    struct = int(facts.program.instrs.aux_type[instr])
    return frozenset({("member", struct, facts.aux[instr] + facts.aux2[instr])})
