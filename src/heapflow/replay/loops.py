"""Loops that are passed: what their turns leave behind is unknown, and one more turn leads out.

In:    Knowledge, a function, the first block of a loop.     Out: `Loop`, if its turns can be passed.
Most loops have nothing to do with the block of a search: options that are read, a table that is filled.
What a loop may write, and what its first block's φs are, is forgotten where it begins; then the turn
follows in which it is left, or in which the allocation lies. If a decision that matters rests on what
was forgotten, the loop is executed from its beginning the next time, as a callee is entered
(`Executor.call_of`). While the block is there, only loops are passed that cannot release it, store
it or hand it on, and what leads to it stays: turns in which it is lost are another path.
Guarantees: every state with which a turn may begin is among those that a passed loop stands for, as
            far as footprints are right; a turn that comes to the loop's beginning again adds none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from heapflow.ir.kinds import CHOICES, COPIES, FuncFlag, Op, ValueKind
from heapflow.models.model import ReturnsTwice
from heapflow.replay.footprint import is_harmless

if TYPE_CHECKING:
    from heapflow.replay.code import Code
    from heapflow.replay.footprint import Footprint
    from heapflow.replay.instr import Instr
    from heapflow.replay.knowledge import Knowledge
    from heapflow.replay.touches import Touches

_NAMED: Final = frozenset((int(ValueKind.INSTR), int(ValueKind.PARAM)))
_ENDS: Final = frozenset((int(Op.BR), int(Op.SWITCH)))
_ALLOCA: Final = int(Op.ALLOCA)
_CALL: Final = int(Op.CALL)
_POINTER: Final = 64  # bits
_STORE: Final = int(Op.STORE)
_CARRIES: Final = frozenset(map(int, CHOICES | COPIES | {Op.GEP}))
_LOOKS: Final = frozenset(map(int, (Op.LOAD, Op.STORE, Op.ICMP)))


@dataclass(frozen=True, slots=True)
class Loop:
    """One that can be passed."""

    key: Instr  # the end of its first block stands for it, as a call stands for a callee
    given: tuple[int, ...]  # values from outside that it uses, and its first block's φs
    footprint: Footprint
    touches: Touches
    uses: dict[int, list[Instr]]  # of values, by instructions inside
    spared: dict[int, bool]  # values that are only looked at inside (`only_looks`)


def loop_at(knowledge: Knowledge, code: Code, header: int) -> Loop | None:
    """The loop that begins with a block; None: there is none, or none that can be passed."""
    if not any(target == header for _, target in code.back_edges):
        return None
    inside = code.inside(header)
    key, phis = code.blocks[header].instrs[-1], code.blocks[header].phis
    if key.op not in _ENDS or not all(phi.width for phi in phis) or code.entry in inside:
        return None
    for block in code.blocks.values():
        ways_in = {edge.target for edge in block.edges} & inside
        if block.id not in inside and ways_in - {header}:
            return None
    instrs = [one for ident in sorted(inside) for one in _instrs(code, ident)]
    made = {one.result for one in instrs}
    used = {value for one in instrs if one not in phis for value in one.operands}
    kinds = knowledge.value_kind
    begins = {phi.result for phi in phis}  # what they are before the first turn
    given = sorted({value for value in used - made if kinds[value] in _NAMED} | begins)
    parts = [_rows(knowledge, ident) for ident in sorted(inside)]
    touches = knowledge.touches_of_part(parts)
    if touches.unwinds or any(
        one.op == _ALLOCA or _returns_twice(knowledge, one) for one in instrs
    ):
        return None
    rows = [one.id for one in instrs]
    again = {phi.result: _from_inside(phi, inside) for phi in phis}
    footprint = knowledge.footprints().of_part(rows, given, again)
    uses: dict[int, list[Instr]] = {}
    for one in instrs:
        for operand in dict.fromkeys(one.operands):
            if kinds[operand] in _NAMED:
                uses.setdefault(operand, []).append(one)
    return Loop(key, tuple(given), footprint, touches, uses, {})


def only_looks(knowledge: Knowledge, loop: Loop, value: int) -> bool:
    """Whether a loop neither releases nor stores nor hands on what a value leads to: it reads and
    writes there, compares it, and gives it to functions that do no more."""
    known = loop.spared.get(value)
    if known is None:
        known = loop.spared[value] = _only_looks(knowledge, loop, value)
    return known


def _only_looks(knowledge: Knowledge, loop: Loop, value: int) -> bool:
    seen, stack = {value}, [value]
    while stack:
        name = stack.pop()
        for use in loop.uses.get(name, ()):
            if use.op == _STORE and name in use.operands[1:]:
                return False
            if use.op in _CARRIES:
                if use.result not in seen:
                    seen.add(use.result)
                    stack.append(use.result)
            elif use.op == _CALL:
                if not _call_looks(knowledge, use, name):
                    return False
            elif use.op not in _LOOKS:
                return False
    return True


def _call_looks(knowledge: Knowledge, call: Instr, name: int) -> bool:
    """Whether a call does nothing with an argument that a model or the callee's code leaves open."""
    callee = call.operands[0]
    if knowledge.value_kind[callee] != ValueKind.FUNCTION:
        return False
    func = knowledge.meant(knowledge.value_index[callee])
    if knowledge.has_body(func):
        is_number = call.result < 0 or 0 < call.width < _POINTER
        return is_number and knowledge.touches(func).only_looks
    if knowledge.func_flags[func] & FuncFlag.INTRINSIC:
        return True
    model = knowledge.model(func)
    return model is not None and not model.is_belief and all(map(is_harmless, model.effects))


def _from_inside(phi: Instr, inside: set[int]) -> list[int]:
    """What a φ becomes in further turns."""
    pairs = zip(phi.operands, phi.blocks, strict=True)
    return [operand for operand, block in pairs if block in inside]


def _returns_twice(knowledge: Knowledge, call: Instr) -> bool:
    """setjmp: a jump leads back into the loop."""
    callee = call.operands[0] if call.op == _CALL else -1
    if callee < 0 or knowledge.value_kind[callee] != ValueKind.FUNCTION:
        return False
    model = knowledge.model(knowledge.value_index[callee])
    return model is not None and any(isinstance(one, ReturnsTwice) for one in model.effects)


def _instrs(code: Code, block: int) -> list[Instr]:
    return [*code.blocks[block].phis, *code.blocks[block].instrs]


def _rows(knowledge: Knowledge, block: int) -> range:
    starts = knowledge.program.blocks.instr_start
    return range(int(starts[block]), int(starts[block + 1]))
