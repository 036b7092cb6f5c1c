"""When the i1 values of one function are true: conditions of branches.

A condition is evaluated from the cases of what it compares; comparisons of equal terms share a
variable. If the first value of a loop's variable decides a comparison (`i = 0; i < 10`), the comparison
is that in the first turn, which a choice per loop stands for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from heapflow.ir.codes import CMP_EQ, OP_AND, OP_ICMP, OP_OR, OP_PHI, OP_XOR
from heapflow.ir.ids import NO_BLOCK, BlockId, InstrId, ValueId
from heapflow.ir.kinds import NUMBER_COPIES, CmpPredicate
from heapflow.logic.atoms import ChoiceOf
from heapflow.logic.compare import constant_of, decide
from heapflow.logic.space import Guard
from heapflow.logic.term import FALSE, Term

if TYPE_CHECKING:
    from heapflow.guards.function import FunctionGuards

# Making a member of an enumeration from its number is slow.
_PREDICATES: Final = {int(predicate): predicate for predicate in CmpPredicate}


class Conditions:
    """Made when first asked for."""

    def __init__(self, guards: FunctionGuards) -> None:
        self.guards, self.values = guards, guards.values
        self.context, self.space = guards.context, guards.context.space
        self._conditions: dict[int, Guard] = {}

    def condition(self, value: ValueId) -> Guard:
        """The condition under which an i1 value is true."""
        known = self._conditions.get(value)
        if known is None:
            if not self.values.may_descend():
                return self.context.variables.free_choice(ChoiceOf.CONDITION, value)
            self.context.nesting += 1
            try:
                known = self._make_condition(value)
            finally:
                self.context.nesting -= 1
            if self.space.size(known) > self.context.limits.most_condition_nodes:
                self.context.limits_hit["branch condition too large"] += 1
                self.guards.opaque = "guards.most-condition-nodes"
                known = self._opaque_condition(value)
            self._conditions[value] = known
        return known

    def _make_condition(self, value: ValueId) -> Guard:
        code = self.context.code
        instr = code.instr_of(value)
        if instr >= 0:
            op = code.op[instr]
            operands = code.operands(instr)
            if op == OP_ICMP:
                return self._compare(instr, operands[0], operands[1])
            if op in (OP_AND, OP_OR, OP_XOR) and code.is_bool(code.instr_type[instr]):
                left, right = self.condition(operands[0]), self.condition(operands[1])
                if op == OP_AND:
                    return left & right
                return left | right if op == OP_OR else left ^ right
        found = self.space.false
        for guard, term in self.values.cases(value):
            found = found | (guard & self._is_true(term))
        return found

    def _opaque_condition(self, value: ValueId) -> Guard:
        """A condition that is too large, as a comparison of values of which nothing is known.

        What else is known of them (that one is an object's address, say) holds for it.
        """
        context = self.context
        code = context.code
        instr = code.instr_of(value)
        if instr < 0 or code.op[instr] != OP_ICMP:
            return context.variables.free_choice(ChoiceOf.CONDITION, value)
        left, right = (self.values.term(operand) for operand in code.operands(instr))
        return context.variables.comparison(_PREDICATES[code.aux[instr]], left, right)

    def _is_true(self, term: Term) -> Guard:
        number = constant_of(term)
        if number is not None:
            return self.space.true if number & 1 else self.space.false
        return ~self.context.variables.comparison(CMP_EQ, term, FALSE)

    def _compare(self, instr: InstrId, left: ValueId, right: ValueId) -> Guard:
        predicate, block = (
            _PREDICATES[self.context.code.aux[instr]],
            self.context.code.instr_block[instr],
        )
        found = self.space.false
        for left_guard, left_term in self.values.cases_in(left, block):
            for right_guard, right_term in self.values.cases_in(right, block):
                holds = self.context.variables.comparison(predicate, left_term, right_term)
                self.context.null_tests.note(holds, left_term, right_term, block, is_argument=False)
                found = found | (left_guard & right_guard & holds)
        return self._in_first_turn(predicate, left, right, block, found)

    def _in_first_turn(
        self, predicate: CmpPredicate, left: ValueId, right: ValueId, block: BlockId, later: Guard
    ) -> Guard:
        """A comparison inside a loop that the first value of the loop's variable decides."""
        loop, first = self._first_value(left)
        if loop < 0 or first is None or block not in self.guards.loop_at[loop].blocks:
            return later
        decided = decide(predicate, first, self.values.term(right))
        if decided is None:
            return later
        choice = self.guards.turns.first_turn(loop)
        return self.space.choose(choice, self.space.true if decided else self.space.false, later)

    def _first_value(self, value: ValueId) -> tuple[BlockId, Term | None]:
        """(loop header, constant) if the value is a loop variable that starts with a constant."""
        code = self.context.code
        instr = code.instr_of(value)
        while instr >= 0 and code.op[instr] in NUMBER_COPIES:
            instr = code.instr_of(code.operands(instr)[0])
        if instr < 0 or code.op[instr] != OP_PHI:
            return NO_BLOCK, None
        block = code.instr_block[instr]
        loop = self.guards.loop_at.get(block)
        if loop is None:
            return NO_BLOCK, None
        first = code.operand_start[instr]
        found: Term | None = None
        for position, operand in enumerate(code.operands(instr)):
            if code.operand_block[first + position] in loop.blocks:
                continue
            term = self.values.term(operand)
            if constant_of(term) is None or found not in (None, term):
                return NO_BLOCK, None
            found = term
        return block, found
