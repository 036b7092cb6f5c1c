"""Pointers that were certainly reached through global variables.

In:    MemorySsa.     Out: a flag per value.
A value is *global-held* if every way in which it can come about starts at a global: the address of a
global, a load through a global-held pointer, a copy or a member of one; parameters if all arguments
are, results if all returned values are. Memory behind such a pointer outlives the function, so a value
stored there is not lost (TSE'14 Assumption 1, carried on through pointers).
Method: greatest fixed point: everything is assumed held, then what has another origin is taken out.
"""

from __future__ import annotations

from heapflow.ir.kinds import Op, ValueKind
from heapflow.memssa.carriers import moved_operands
from heapflow.memssa.ssa import MemorySsa

_CONSTANT = frozenset({ValueKind.NULL, ValueKind.UNDEF, ValueKind.INT})


def find_global_held(ssa: MemorySsa) -> bytearray:
    """1 for every value that certainly comes from global variables."""
    return _Search(ssa).run()


class _Search:
    def __init__(self, ssa: MemorySsa) -> None:
        self.facts, self.memory = ssa.facts, ssa.memory
        self.held = bytearray(b"\1") * len(self.facts.value_kind)
        self.pending: list[int] = []
        self.calls_of = ssa.carriers.results_of
        self.callbacks = {back.func for backs in ssa.acts.callbacks.values() for back in backs}

    def run(self) -> bytearray:
        self._seed()
        while self.pending:
            self._spread(self.pending.pop())
        return self.held

    def _drop(self, value: int) -> None:
        if value >= 0 and self.held[value]:
            self.held[value] = 0
            self.pending.append(value)

    def _seed(self) -> None:
        """Values that have an origin other than a global."""
        facts = self.facts
        for value, kind in enumerate(facts.value_kind):
            if kind == ValueKind.PARAM:
                func = int(facts.program.params.func[facts.value_index[value]])
                if not self.calls_of.get(func) or func in self.callbacks:
                    self._drop(value)
            elif kind == ValueKind.GLOBAL:
                if self.memory.is_borrowed(value):
                    self._drop(value)
            elif kind == ValueKind.INSTR:
                self._seed_instr(value, facts.row_of_value[value])

    def _seed_instr(self, value: int, row: int) -> None:
        facts = self.facts
        op = facts.op[row]
        if op == Op.LOAD:
            return
        if facts.is_call(row):
            callees = self.memory.callees.get(row, ())
            if not callees or not all(facts.has_body(func) for func in callees):
                self._drop(value)
            return
        sources = moved_operands(facts, row)
        if not sources or all(facts.value_kind[v] in _CONSTANT for v in sources):
            self._drop(value)

    def _spread(self, value: int) -> None:
        facts = self.facts
        for row in facts.users(value):
            op = facts.op[row]
            if op == Op.LOAD:
                self._drop(facts.result[row])
            elif op == Op.RET:
                for call in self.calls_of.get(facts.func_of_instr[row], ()):
                    self._drop(facts.result[call])
            elif facts.is_call(row):
                args = facts.operands(row)[1:]
                for func in self.memory.callees.get(row, ()):
                    if facts.has_body(func):
                        for param, arg in zip(facts.params(func), args, strict=False):
                            if arg == value:
                                self._drop(param)
            elif value in moved_operands(facts, row):
                self._drop(facts.result[row])
