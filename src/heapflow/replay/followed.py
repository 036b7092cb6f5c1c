"""Which arguments a function follows on every way to its end.

In:    Knowledge.     Out: positions of parameters, by function.
Who comes back from such a function gave it no NULL: a path on which it is passed goes on with that.
Guarantees: nothing is said of a parameter that some way to a return does not follow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from heapflow.ir.kinds import Op, ValueKind
from heapflow.replay.code import Block, Instr

if TYPE_CHECKING:
    from heapflow.replay.knowledge import Knowledge

_FOLLOWS: Final = frozenset((int(Op.LOAD), int(Op.STORE)))
_CALL, _RET, _GEP = int(Op.CALL), int(Op.RET), int(Op.GEP)
_NOTHING: Final = frozenset[int]()


class Followed:
    """Asked for functions that are passed; answers are kept."""

    def __init__(self, knowledge: Knowledge) -> None:
        self.known = knowledge
        self._of: dict[int, frozenset[int]] = {}

    def parameters(self, func: int) -> frozenset[int]:
        """Positions of parameters that are not NULL if the function comes back."""
        found = self._of.get(func)
        if found is None:
            self._of[func] = _NOTHING  # of functions that call each other nothing is said
            found = self._of[func] = self._find(func)
        return found

    def _find(self, func: int) -> frozenset[int]:
        code = self.known.code(func)
        position = {value: number for number, value in enumerate(code.params)}
        roots = dict(position)  # addresses in what a parameter points to -> its position
        for block in code.blocks.values():
            for instr in block.instrs:
                if instr.op == _GEP and instr.operands[0] in roots:
                    roots[instr.result] = roots[instr.operands[0]]
        where: dict[int, set[int]] = {}
        for block in code.blocks.values():
            for one in self._in_block(block, roots):
                where.setdefault(one, set()).add(block.id)
        return frozenset(
            one for one, blocks in where.items() if not _is_avoided(code.entry, code.blocks, blocks)
        )

    def _in_block(self, block: Block, roots: dict[int, int]) -> set[int]:
        found: set[int] = set()
        for instr in block.instrs:
            if instr.op in _FOLLOWS and instr.operands[0] in roots:
                found.add(roots[instr.operands[0]])
            elif instr.op == _CALL:
                found |= {roots[one] for one in self._followed_by(instr) if one in roots}
        return found

    def _followed_by(self, call: Instr) -> list[int]:
        """Arguments that a callee follows."""
        known, callee = self.known, call.operands[0]
        if known.value_kind[callee] != ValueKind.FUNCTION:
            return []
        func = known.meant(known.value_index[callee])
        if not known.has_body(func):
            return []
        given = call.operands[1:]
        return [given[one] for one in self.parameters(func) if one < len(given)]


def _is_avoided(entry: int, blocks: dict[int, Block], stops: set[int]) -> bool:
    """Whether a way leads from the entry to a return without any of these blocks."""
    seen, stack = {entry}, [entry]
    while stack:
        block = blocks[stack.pop()]
        if block.id in stops:
            continue
        if block.instrs[-1].op == _RET:
            return True
        ahead = {edge.target for edge in block.edges} - seen
        seen |= ahead
        stack += ahead
    return False
