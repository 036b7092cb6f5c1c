"""Pointers that were followed are not NULL.

    con = connection_create(…);  read(con->sock);  if (con) connection_close(con);

A run on which the pointer is NULL ends at `con->sock`. The reach condition of a load or store through a
pointer so excludes that the pointer is NULL. This is no part of reach conditions; it is added to a
condition that compares the pointer, and to what is known of a function's result.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from heapflow.guards.bdd import Guard
from heapflow.guards.codes import OP_LOAD, OP_STORE
from heapflow.guards.terms import Term, constant_of
from heapflow.ir.kinds import CmpPredicate

if TYPE_CHECKING:
    from heapflow.guards.function import FunctionGuards

_MOST_NODES: Final = 300  # of all that is added to a condition
_POINTER: Final = ("val", "at", "load")


class Followed:
    """Where one function follows which pointers."""

    def __init__(self, guards: FunctionGuards) -> None:
        self.guards, self.context, self.space = guards, guards.context, guards.context.space
        self._by_value: dict[int, list[int]] | None = None  # loads and stores, by pointer
        self._by_term: dict[Term, list[int]] | None = None

    def when(self, value: int) -> Guard:
        """The condition under which a pointer is followed."""
        return self._reached(self._values().get(value, ()))

    def _when_term(self, term: Term) -> Guard:
        if self._by_term is None:
            self._by_term = {}
            for value, instrs in self._values().items():
                self._by_term.setdefault(self.guards.term(value), []).extend(instrs)
        return self._reached(self._by_term.get(term, ()))

    def _reached(self, instrs: Iterable[int]) -> Guard:
        found = self.space.false
        for instr in instrs:
            found = found | self.guards.reach_at(instr)
            if self.space.size(found) > _MOST_NODES:
                break
        return found

    def facts(self, guard: Guard) -> Guard:
        """What follows for the pointers that a condition compares with NULL."""
        found = self.space.true
        for variable in sorted(self.space.support(guard)):
            atom = self.context.atoms[variable]
            if atom.predicate != CmpPredicate.EQ or constant_of(atom.right) != 0:
                continue
            if atom.left[0] in _POINTER and not self._is_resized(atom.left):
                found = found & ~(self._when_term(atom.left) & self.space.literal(variable))
            if self.space.size(found) > _MOST_NODES:
                return self.space.true
        return found

    def _is_resized(self, term: Term) -> bool:
        """`p = realloc(p, n); p[0] = …`: the old block is lost before NULL is followed."""
        func = self.context.external_maker(term)
        return func >= 0 and self.context.externals.of(func).resizes

    def _values(self) -> dict[int, list[int]]:
        if self._by_value is None:
            context = self.context
            self._by_value = {}
            for block in self.guards.cfg.order:
                for instr in range(context.instr_start[block], context.instr_start[block + 1]):
                    if context.op[instr] in (OP_LOAD, OP_STORE):
                        base, _ = self.guards.root(context.operands(instr)[0])
                        if base[0] == "val" and isinstance(base[1], int):
                            self._by_value.setdefault(base[1], []).append(instr)
        return self._by_value
