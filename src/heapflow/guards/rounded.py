"""What was too large to be carried is looked up for one finished condition.

    switch (c) { case 1: … case 20: w = make(); … }     if (w == NULL) keep(s);      w is NULL in case 1

In:    one function's guards, a complete condition.     Out: what the opaque values in it were made of.
A φ with many cases is opaque, and so is a branch whose condition is large: both go into everything that
follows. In a condition that is to be decided, each stands once; there its definition is put beside it:
if a comparison holds, control came over an edge for whose value it holds, and if not, over another.
Guarantees: holds also where the conditions of edges were rounded and overlap, and where control does
not come by.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from heapflow.guards.bdd import Guard
from heapflow.guards.context import Atom
from heapflow.guards.terms import Term
from heapflow.guards.theory import constant_constraints
from heapflow.ir.kinds import Op

if TYPE_CHECKING:
    from heapflow.guards.function import FunctionGuards

_MOST_NODES: Final = 2000  # of a condition with its definitions
_ROUNDS: Final = 3  # opaque values that are made of opaque values
Way = tuple[
    Guard, Guard
]  # the condition of an edge to a φ, and of the comparison for what it brings


class Rounded:
    """Definitions of one function's opaque conditions, made when first asked for."""

    def __init__(self, guards: FunctionGuards) -> None:
        self.guards, self.context, self.space = guards, guards.context, guards.context.space
        self._ways: dict[int, list[Way]] = {}

    def facts(self, guard: Guard) -> Guard:
        """The condition with what its opaque variables were made of, as far as that is small."""
        space, done = self.space, set[int]()
        for _ in range(_ROUNDS):
            variables = sorted(space.support(guard) - done, reverse=True)
            done.update(variables)
            opaque = [variable for variable in variables if self._ways_of(variable)]
            for variable in opaque:
                guard = self._defined(guard, variable)
                if space.is_false(guard):
                    return guard
            if not opaque:
                break
        return guard

    def _defined(self, guard: Guard, variable: int) -> Guard:
        """The condition where control came over one of the edges, or does not come by at all.

        Way by way: all ways together are what was too large.
        """
        space, literal, ways = self.space, self.space.literal(variable), self._ways_of(variable)
        mentioned = space.support(guard).union(*(space.support(taken) for taken, _ in ways))
        known = guard & constant_constraints(self.context, mentioned)
        if space.size(known) > _MOST_NODES:
            return guard
        found, elsewhere = space.false, known
        for taken, holds in ways:
            here = known & taken
            if not space.is_false(here):
                found = found | (here & ~(literal ^ holds))
                elsewhere = elsewhere & ~taken
            if max(space.size(found), space.size(elsewhere)) > _MOST_NODES:
                return guard
        return found | elsewhere

    def _ways_of(self, variable: int) -> list[Way]:
        """How control comes to the φ that a variable is about; nothing if it is about no such φ."""
        known = self._ways.get(variable)
        if known is None:
            self._ways[variable] = []  # should it lead back here
            known = self._ways[variable] = self._find_ways(self.context.atoms[variable])
        return known

    def _find_ways(self, atom: Atom) -> list[Way]:
        for value, other in _opaque(atom):
            if ways := self._ways_to(value, atom, other):
                return ways
        return []

    def _ways_to(self, value: int, atom: Atom, other: Term) -> list[Way]:
        context, instr = self.context, self.context.instr_of(value)
        if instr < 0 or context.op[instr] != Op.PHI:
            return []
        block = context.instr_block[instr]
        if context.block_func[block] != self.guards.func or block in self.guards.loop_at:
            return []
        first, found = context.operand_start[instr], []
        for position, operand in enumerate(context.operands(instr)):
            taken = self._taken(context.operand_block[first + position], block)
            if not self.space.is_false(taken):
                found.append((taken, self._holds(atom, other, operand, block)))
        return found

    def _taken(self, source: int, block: int) -> Guard:
        found = self.space.false
        for edge in self.guards.cfg.in_edges.get(block, ()):
            if self.guards.edge_source[edge] == source:
                found = found | self.guards.edge_guard.get(edge, self.space.false)
        return found

    def _holds(self, atom: Atom, other: Term, operand: int, block: int) -> Guard:
        """The atom, were the value this operand of its φ."""
        if atom.predicate is None:
            return self.guards.condition(operand)
        found = self.space.false
        for guard, term in self.guards.values.cases_in(operand, block):
            sides = (term, other) if atom.right == other else (other, term)
            found = found | (guard & self.context.comparison(atom.predicate, *sides))
        return found


def _opaque(atom: Atom) -> list[tuple[int, Term]]:
    """The values that an atom is about, each with what it is compared to."""
    if atom.predicate is None:
        match atom.left:
            case ("choice", "condition", int() as value):
                return [(value, ())]
        return []
    found: list[tuple[int, Term]] = []
    for side, other in ((atom.left, atom.right), (atom.right, atom.left)):
        match side:
            case ("val", int() as value):
                found.append((value, other))
    return found
