"""Conditions of an earlier turn of a loop, under names of their own.

Two turns of a loop test the same SSA values, but the values differ. A condition of the earlier turn is
renamed wherever it speaks of a value that the loop computes. What the header's φs are in the later turn
is what the latch passed on in the earlier one: `i` is then `i' + 1`, which links both conditions.
"""

from __future__ import annotations

from itertools import product
from typing import assert_never

from heapflow.guards.guards import FunctionGuards, Loop
from heapflow.ir.codes import OP_PHI, VALUE_INSTR
from heapflow.ir.ids import BlockId, ValueId
from heapflow.ir.kinds import CmpPredicate
from heapflow.logic.atoms import Choice, ChoiceOf, Compared
from heapflow.logic.space import Guard
from heapflow.logic.term import At, Later, Met, Term, Turn, Val
from heapflow.logic.walk import parts_of, rebuilt


class EarlierTurn:
    """Names for one turn before the current one; `number` tells several of them apart."""

    def __init__(self, guards: FunctionGuards, loop: Loop, number: int) -> None:
        self.guards, self.loop, self.number = guards, loop, number
        self.context, self.space = guards.context, guards.context.space
        self._renamed: dict[int, Guard] = {}

    def rename(self, guard: Guard) -> Guard:
        """The condition, about the earlier turn."""
        table = {variable: self._variable(variable) for variable in self.space.support(guard)}
        return self.space.substitute(guard, table)

    def links(self, guard: Guard) -> Guard:
        """What the earlier turn says of the current one's conditions that occur in `guard`."""
        found = self.space.true
        for variable in sorted(self.space.support(guard)):
            atom = self.context.variables.atoms[variable]
            if isinstance(atom, Choice):
                continue
            if self.space.size(found) > self.context.limits.most_turn_nodes:
                self.context.limits_hit["what one turn says of the next"] += 1
                break
            phis = sorted(self._header_phis(atom.left) | self._header_phis(atom.right))
            if phis:
                found = found & self._link(variable, atom, phis)
            for phi in phis:
                found = found & self._if_first(phi)
        return found

    # Renaming ------------------------------------------------------------------------------------

    def _variable(self, variable: int) -> Guard:
        known = self._renamed.get(variable)
        if known is None:
            known = self._renamed[variable] = self._rename_atom(variable)
        return known

    def _rename_atom(self, variable: int) -> Guard:
        atom, context = self.context.variables.atoms[variable], self.context
        if isinstance(atom, Choice):
            if not self._is_choice_inside(atom):
                return self.space.literal(variable)
            turn = (self.number, self.loop.header, variable)
            return context.variables.free_choice(ChoiceOf.TURN, *turn)
        left, right = self._term(atom.left), self._term(atom.right)
        return context.variables.comparison(atom.predicate, left, right)

    def _is_choice_inside(self, choice: Choice) -> bool:
        """A free choice at a call or branch of the loop; what is unknown counts as inside."""
        first = choice.numbers[0]
        match choice.of:
            case ChoiceOf.AT_CALL:
                return self.context.code.instr_block[first] in self.loop.blocks
            case ChoiceOf.EDGE | ChoiceOf.LEAVE:
                return any(first in self.guards.cfg.out_edges[b] for b in self.loop.blocks)
            case ChoiceOf.FIRST_TURN:
                return first in self.loop.blocks
            case ChoiceOf.TURN:
                return False
            case ChoiceOf.CONDITION:
                return True
            case _:
                assert_never(choice.of)

    def _term(self, term: Term) -> Term:
        if self._is_of_this_turn(term):
            return Turn(self.number, term)
        return term if isinstance(term, At | Turn) else rebuilt(term, self._term)

    def _is_of_this_turn(self, term: Term) -> bool:
        """Whether the loop makes the value, or what lies in memory."""
        match term:
            case Val(value):
                return self._is_inside(value)
            case At(instr) | Later(instr=instr):
                return self.context.code.instr_block[instr] in self.loop.blocks
            case Met(block=block):
                return block in self.loop.blocks
        return False

    def _is_inside(self, value: ValueId) -> bool:
        code = self.context.code
        if code.value_kind[value] != VALUE_INSTR:
            return False
        return code.instr_block[code.value_index[value]] in self.loop.blocks

    # Links ---------------------------------------------------------------------------------------

    def _header_phis(self, term: Term) -> set[ValueId]:
        if isinstance(term, Val):
            return {term.value} if self._is_header_phi(term.value) else set()
        if isinstance(term, Turn | At):
            return set()
        found: set[ValueId] = set()
        for part in parts_of(term):
            found |= self._header_phis(part)
        return found

    def _is_header_phi(self, value: ValueId) -> bool:
        code = self.context.code
        instr = code.instr_of(value)
        return (
            instr >= 0 and code.op[instr] == OP_PHI and code.instr_block[instr] == self.loop.header
        )

    def _link(self, variable: int, atom: Compared, phis: list[ValueId]) -> Guard:
        """variable ⇔ the comparison of what the latch passed on."""
        choices = [self._passed_on(phi) for phi in phis]
        count = 1
        for cases in choices:
            count *= len(cases)
        if count > self.context.limits.most_turn_choices:
            self.context.limits_hit["values that a turn passes on"] += 1
            return self.space.true
        if not count:
            return self.space.true
        holds, known = self.space.false, self.space.false
        for combination in product(*choices):
            guard = self.space.true
            for case, _ in combination:
                guard = guard & case
            table = {phi: term for phi, (_, term) in zip(phis, combination, strict=True)}
            left, right = _replace(atom.left, table), _replace(atom.right, table)
            holds = holds | (guard & self.context.variables.comparison(atom.predicate, left, right))
            known = known | guard
        literal = self.space.literal(variable)
        return ~known | ~(literal ^ holds)

    def _if_first(self, phi: ValueId) -> Guard:
        """If the earlier turn is the loop's first, a header φ was what came in from outside."""
        context = self.context
        code = context.code
        instr = code.value_index[phi]
        first = code.operand_start[instr]
        entered = [
            operand
            for position, operand in enumerate(code.operands(instr))
            if code.operand_block[first + position] not in self.loop.blocks
        ]
        if len(entered) != 1:
            return self.space.true
        is_first = self.rename(self.guards.turns.first_turn(self.loop.header))
        term, before = self._term(Val(phi)), self.guards.term(entered[0])
        return ~is_first | context.variables.comparison(CmpPredicate.EQ, term, before)

    def _cases(self, value: ValueId, depth: int) -> list[tuple[Guard, Term]]:
        """Like the guards' own, but a φ inside the loop is what its edge chose."""
        context = self.context
        code = context.code
        known = self.guards.cases(value)
        if known[0][1] != Val(value) or not self._is_inside(value):
            return known
        instr = code.value_index[value]
        if code.op[instr] != OP_PHI or self._is_header_phi(value):
            return known
        if depth == 0:
            context.limits_hit["joins of a value that a turn passes on"] += 1
            return known
        first, block = code.operand_start[instr], code.instr_block[instr]
        found: list[tuple[Guard, Term]] = []
        for position, operand in enumerate(code.operands(instr)):
            guard = self._edge_into(code.operand_block[first + position], block)
            found += [(guard & g, term) for g, term in self._cases(operand, depth - 1)]
        if len(found) <= context.limits.most_turn_choices:
            return found
        context.limits_hit["values that a turn passes on"] += 1
        return known

    def _edge_into(self, source: BlockId, target: BlockId) -> Guard:
        edges = self.guards.cfg.out_edges.get(source, ())
        into = [edge for edge in edges if self.context.code.edge_target[edge] == target]
        return self.space.any_of(self.guards.edge_guard.get(edge, self.space.true) for edge in into)

    def _passed_on(self, phi: int) -> list[tuple[Guard, Term]]:
        """Terms of the earlier turn that a header φ may be, with their conditions."""
        context = self.context
        code = context.code
        instr = code.value_index[phi]
        first = code.operand_start[instr]
        found: list[tuple[Guard, Term]] = []
        for position, operand in enumerate(code.operands(instr)):
            block = code.operand_block[first + position]
            if block not in self.loop.blocks:
                continue
            taken = self.guards.leave.get(block, self.space.false)
            for guard, term in self._cases(operand, context.limits.deepest_turn_phi):
                here = self.rename(taken & guard) if len(self.loop.latches) > 1 else guard
                found.append((self.rename(here), self._term(term)))
        return found


def _replace(term: Term, table: dict[ValueId, Term]) -> Term:
    if isinstance(term, Val):
        return table.get(term.value, term)
    if isinstance(term, Turn | At):
        return term
    return rebuilt(term, lambda part: _replace(part, table))
