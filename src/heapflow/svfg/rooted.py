"""Which parameter a pointer was reached through.

In:    MemorySsa.     Out: a root per value: GLOBAL, a parameter's value id, or MIXED.
A value is *rooted* at parameter p if every way in which it comes about starts at p: p itself, a member
of what p points to, a load through a pointer that is rooted at p. If p's argument was reached through a
global variable, then so was everything rooted at p: whether a store in a helper such as
`list_add(head, item)` puts its value into global memory can then be decided at each call.
Method: greatest fixed point over UNKNOWN > GLOBAL > parameter > MIXED, within functions; results of
       calls take the root of the argument that the callee's result is rooted at.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from heapflow.ir.kinds import Op, ValueKind
from heapflow.memssa.carriers import moved_operands
from heapflow.memssa.ssa import MemorySsa

UNKNOWN, GLOBAL, MIXED = -3, -2, -1
_NEUTRAL = frozenset({ValueKind.NULL, ValueKind.UNDEF, ValueKind.INT})


def find_roots(ssa: MemorySsa) -> list[int]:
    """The root of every value."""
    return _Search(ssa).run()


class _Search:
    def __init__(self, ssa: MemorySsa) -> None:
        self.facts, self.memory = ssa.facts, ssa.memory
        self.calls_of = ssa.carriers.results_of
        self.returned: dict[int, list[int]] = {}
        self.root = [UNKNOWN] * len(self.facts.value_kind)
        for row in range(self.facts.instr_count):
            if self.facts.op[row] == Op.RET and self.facts.operands(row):
                func = self.facts.func_of_instr[row]
                self.returned.setdefault(func, []).append(self.facts.operands(row)[0])

    def run(self) -> list[int]:
        facts, root = self.facts, self.root
        pending: list[int] = []
        for value, kind in enumerate(facts.value_kind):
            if kind == ValueKind.PARAM:
                root[value] = value
            elif kind in (ValueKind.GLOBAL, ValueKind.FUNCTION, ValueKind.CONST_EXPR):
                root[value] = MIXED if self.memory.is_borrowed(value) else GLOBAL
            elif kind != ValueKind.INSTR and kind not in _NEUTRAL:
                root[value] = MIXED
            elif kind == ValueKind.INSTR and self._is_pointer(value):
                pending.append(value)
        waiting = set(pending)
        while pending:
            value = pending.pop()
            waiting.discard(value)
            new = self._evaluate(facts.row_of_value[value])
            if new != root[value]:
                root[value] = new
                for other in self._dependents(value):
                    # Nothing lies below MIXED: it stays.
                    if root[other] != MIXED and other not in waiting:
                        waiting.add(other)
                        pending.append(other)
        return root

    def _is_pointer(self, value: int) -> bool:
        return self.memory.may_carry[value]

    def _evaluate(self, row: int) -> int:
        facts = self.facts
        if facts.op[row] == Op.LOAD:
            return self.root[facts.operand[facts.start[row]]]
        if facts.is_call(row):
            return self._result(row)
        sources = moved_operands(facts, row)
        return self._meet(self.root[source] for source in sources) if sources else MIXED

    def _result(self, row: int) -> int:
        callees = self.memory.callees.get(row, ())
        if not any(self.returned.get(func) for func in callees):
            return MIXED
        return self._meet(self._returned_by(callees, self.facts.operands(row)[1:]))

    def _returned_by(self, callees: Iterable[int], args: Sequence[int]) -> Iterator[int]:
        for func in callees:
            if not self.facts.has_body(func):
                yield MIXED
            params = self.facts.params(func)
            for value in self.returned.get(func, ()):
                inner = self.root[value]
                if inner >= 0:
                    position = params.index(inner)
                    inner = self.root[args[position]] if position < len(args) else MIXED
                yield inner

    def _meet(self, roots: Iterable[int]) -> int:
        """If a parameter is global, so is what was reached through it: GLOBAL is above parameters."""
        result = UNKNOWN
        for root in roots:
            if root == MIXED:
                return MIXED
            if result in (UNKNOWN, GLOBAL):
                result = root if root != UNKNOWN else result
            elif root >= 0 and root != result:
                return MIXED
        return result

    def _dependents(self, value: int) -> list[int]:
        facts, found = self.facts, []
        for row in facts.users(value):
            if row >= facts.instr_count:
                continue
            if facts.op[row] == Op.RET:
                calls = self.calls_of.get(facts.func_of_instr[row], ())
                found += [facts.result[call] for call in calls]
            else:
                found.append(facts.result[row])
        return [v for v in found if v >= 0 and self._is_pointer(v)]
