"""Stores into memory that a caller's argument leads to: global memory at some calls, not at others.

In:    MemorySsa, roots, flags of global-held values.     Out: escapes at calls; stores dealt with here.
Example: `list_add(&registry, item)` with a global `registry` escapes `item` at this call;
         `list_add(&local, item)` does not, although the store inside is one and the same.
Method: a *deposit* (f, p, j) says that f stores its parameter j into memory reached through its
       parameter p. It starts at stores and climbs to callers that pass their own parameters on.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from heapflow.ir.kinds import Op, ValueKind
from heapflow.memssa.facts import LocationKind
from heapflow.memssa.ssa import MemorySsa
from heapflow.svfg.graph import EscapeKind
from heapflow.svfg.rooted import GLOBAL, MIXED, find_roots

_WRITERS = frozenset({Op.STORE, Op.CMPXCHG, Op.ATOMIC_RMW})


@dataclass
class Deposits:
    """What was found: stores that are decided at the calls, and the escapes there."""

    decided: set[int] = field(default_factory=set)  # store instructions
    escapes: list[tuple[int, int, EscapeKind]] = field(default_factory=list)  # value, call, why


def find_deposits(ssa: MemorySsa, held: bytearray) -> Deposits:
    """Climb from every store of a parameter into memory behind another parameter."""
    search = _Search(ssa, held)
    facts = ssa.facts
    for row in range(facts.instr_count):
        if facts.op[row] in _WRITERS:
            search.store(row)
    search.climb()
    return search.found


class _Search:
    def __init__(self, ssa: MemorySsa, held: bytearray) -> None:
        self.ssa, self.facts, self.held = ssa, ssa.facts, held
        self.roots = find_roots(ssa)
        self.calls_of = ssa.carriers.results_of
        self.globals = ssa.memory.mask(LocationKind.GLOBAL)
        self.found = Deposits()
        self.seen: set[tuple[int, int, int]] = set()
        self.pending: list[tuple[int, int, int]] = []

    def store(self, row: int) -> None:
        operands = self.facts.operands(row)
        address, value = operands[0], operands[-1]
        root = self.roots[address]
        if root < 0 or not self.ssa.carriers.values[value] or self.held[address]:
            return
        params = self._params_of(value)
        if params is None:
            return
        func = self.facts.func_of_instr[row]
        if not self.calls_of.get(func):
            return
        self.found.decided.add(row)
        for param in params:
            self._deposit(func, root, param)

    def _params_of(self, value: int) -> list[int] | None:
        """The parameters that a value is a copy of; None if it may be anything else."""
        origins = [origin for origin, _ in self.facts.origins(value)]
        kinds = self.facts.value_kind
        others = [o for o in origins if kinds[o] not in (ValueKind.PARAM, ValueKind.NULL)]
        return None if others else [o for o in origins if kinds[o] == ValueKind.PARAM]

    def _deposit(self, func: int, place: int, param: int) -> None:
        params = self.facts.params(func)
        key = (func, params.index(place), params.index(param))
        if key not in self.seen:
            self.seen.add(key)
            self.pending.append(key)

    def climb(self) -> None:
        while self.pending:
            func, place, item = self.pending.pop()
            for call in self.calls_of.get(func, ()):
                args = self.facts.operands(call)[1:]
                if max(place, item) < len(args):
                    self._call(call, args[place], args[item])

    def _call(self, call: int, place: int, item: int) -> None:
        if not self.ssa.carriers.values[item]:
            return
        root = self.roots[place]
        if self.held[place] or root == GLOBAL:
            self.found.escapes.append((item, call, EscapeKind.GLOBAL_MEMORY))
            return
        params = self._params_of(item) if root >= 0 else None
        caller = self.facts.func_of_instr[call]
        if params is not None and self.calls_of.get(caller):
            for param in params:
                self._deposit(caller, root, param)
            return
        if root == MIXED or root >= 0:
            reached = self.ssa.memory.value_set[place]
            if reached & self.globals:
                self.found.escapes.append((item, call, EscapeKind.MAYBE_GLOBAL))
