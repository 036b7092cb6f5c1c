"""Which arguments a function follows on every way to its end.

In:    Knowledge.     Out: positions of parameters, by function.
Who comes back from such a function gave it no NULL: a path on which it is passed goes on with that.
It works on the tables: what is only passed is not decoded.
Guarantees: nothing is said of a parameter that some way to a return does not follow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from heapflow.ir.kinds import EdgeKind, Op, ValueKind

if TYPE_CHECKING:
    from heapflow.replay.knowledge import Knowledge

_FOLLOWS: Final = frozenset((int(Op.LOAD), int(Op.STORE)))
_CALL, _RET, _GEP = int(Op.CALL), int(Op.RET), int(Op.GEP)
_UNWIND: Final = int(EdgeKind.UNWIND)
_NOTHING: Final = frozenset[int]()


class Followed:
    """Asked for functions that are passed; answers are kept."""

    def __init__(self, knowledge: Knowledge) -> None:
        self.known = knowledge
        self._of: dict[int, frozenset[int]] = {}

    def parameters(self, func: int) -> frozenset[int]:
        """Positions of parameters that are not NULL if the function comes back."""
        found = self._of.get(func)
        return self._find_callees_first(func) if found is None else found

    def _find_callees_first(self, func: int) -> frozenset[int]:
        """Of functions that call each other nothing is said."""
        self._of[func] = _NOTHING
        path = [(func, iter(self._callees(func)))]
        while path:
            one, left = path[-1]
            ahead = next((callee for callee in left if callee not in self._of), -1)
            if ahead < 0:
                path.pop()
                self._of[one] = self._find(one)
            else:
                self._of[ahead] = _NOTHING
                path.append((ahead, iter(self._callees(ahead))))
        return self._of[func]

    def _callees(self, func: int) -> list[int]:
        known = self.known
        calls = (row for row in known.program.instr_range(func) if known.op[row] == _CALL)
        return [callee for call in calls if (callee := self._callee(call)) >= 0]

    def _callee(self, call: int) -> int:
        """The function with a body that a call names, or -1."""
        known = self.known
        named = known.operand[known.operand_start[call]]
        if known.value_kind[named] != ValueKind.FUNCTION:
            return -1
        func = known.meant(known.value_index[named])
        return func if known.has_body(func) else -1

    def _find(self, func: int) -> frozenset[int]:
        known = self.known
        # Addresses in what a parameter points to -> its position.
        roots = {value: number for number, value in enumerate(known.parameters(func))}
        rows = known.program.instr_range(func)
        for row in rows:
            if known.op[row] == _GEP and known.operand[known.operand_start[row]] in roots:
                roots[known.result[row]] = roots[known.operand[known.operand_start[row]]]
        where: dict[int, set[int]] = {}
        for row in rows:
            for one in self._followed_at(row, roots):
                where.setdefault(one, set()).add(known.instr_block[row])
        return frozenset(one for one, blocks in where.items() if not self._is_avoided(func, blocks))

    def _followed_at(self, row: int, roots: dict[int, int]) -> list[int]:
        """Positions of the parameters that one instruction follows."""
        known = self.known
        if known.op[row] in _FOLLOWS:
            address = known.operand[known.operand_start[row]]
            return [roots[address]] if address in roots else []
        if known.op[row] == _CALL:
            return [roots[one] for one in self._followed_by(row) if one in roots]
        return []

    def _followed_by(self, call: int) -> list[int]:
        """Arguments that a callee follows."""
        func = self._callee(call)
        if func < 0:
            return []
        given = self.known.operands(call)[1:]
        return [given[one] for one in self.parameters(func) if one < len(given)]

    def _is_avoided(self, func: int, stops: set[int]) -> bool:
        """Whether a way leads from the entry to a return without any of these blocks."""
        program, ops = self.known.program, self.known.op
        blocks = program.blocks
        entry = int(program.functions.block_start[func])
        seen, stack = {entry}, [entry]
        while stack:
            block = stack.pop()
            if block in stops:
                continue
            if ops[int(blocks.instr_start[block + 1]) - 1] == _RET:
                return True
            edges = slice(int(blocks.edge_start[block]), int(blocks.edge_start[block + 1]))
            kinds, targets = blocks.edge_kind[edges].tolist(), blocks.edge_target[edges].tolist()
            pairs = zip(kinds, targets, strict=True)
            ahead = {target for kind, target in pairs if kind != _UNWIND} - seen
            seen |= ahead
            stack += ahead
        return False
