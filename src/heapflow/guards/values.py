"""What the values of one function are: terms under conditions.

A φ, a select or a call's result over known constants is one of them, each under the condition that
chooses it; everything else is one term. The φ of a loop's header is another value in every turn, so it
is opaque.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from heapflow.guards.places import number_of
from heapflow.guards.undefined import tests_of_their_own
from heapflow.ir.codes import (
    OP_ALLOCA,
    OP_GEP,
    OP_ICMP,
    OP_LOAD,
    OP_PHI,
    OP_SELECT,
    OP_SEXT,
    OP_ZEXT,
    VALUE_CONST_EXPR,
    VALUE_FUNCTION,
    VALUE_GLOBAL,
    VALUE_INSTR,
    VALUE_INT,
    VALUE_NULL,
    VALUE_UNDEF,
)
from heapflow.ir.ids import NO_VALUE, BlockId, InstrId, ValueId
from heapflow.ir.kinds import NUMBER_COPIES, AccessFlag, Op
from heapflow.logic.address import is_constant, is_variable, moved
from heapflow.logic.bits import operation
from heapflow.logic.compare import Case
from heapflow.logic.fold import fold
from heapflow.logic.space import Guard
from heapflow.logic.term import (
    FALSE,
    NULL,
    TRUE,
    Function,
    Global,
    Indexed,
    Int,
    Local,
    Pure,
    Term,
    Undefined,
    Val,
)
from heapflow.models.model import Comparison, Ret
from heapflow.models.model import Op as Compared

if TYPE_CHECKING:
    from heapflow.guards.function import FunctionGuards

_WORDS: Final = (Op.AND, Op.OR)
_PURE: Final = {
    int(op): op
    for op in (
        Op.ADD,
        Op.SUB,
        Op.MUL,
        Op.AND,
        Op.OR,
        Op.XOR,
        Op.SHL,
        Op.LSHR,
        Op.ASHR,
        Op.UDIV,
        Op.SDIV,
        Op.UREM,
        Op.SREM,
    )
}
_VOLATILE: Final = int(AccessFlag.VOLATILE)
_MOST_NESTED: Final = 20  # values that are asked for each other; beyond, operands come first


class Values:
    """Cases of one function's values, made when first asked for."""

    def __init__(self, guards: FunctionGuards) -> None:
        self.guards = guards
        self.context = guards.context
        self.space = guards.context.space
        self._cases: dict[int, list[Case]] = {}
        self._busy: set[int] = set()
        self._undefined: frozenset[int] | None = None

    def cases_in(self, value: ValueId, block: BlockId) -> list[Case]:
        """The cases of a value where it is used: behind its loop, a loop variable is known."""
        code = self.context.code
        instr = code.instr_of(value)
        if instr < 0:
            if code.value_kind[value] == VALUE_UNDEF and block in self._own_tests():
                return [(self.space.true, Undefined(block))]
        elif code.op[instr] == OP_PHI:
            loop = self.guards.loop_at.get(code.instr_block[instr])
            if loop is not None and block not in loop.blocks:
                return self.guards.after.cases(value, loop)
        return self.cases(value)

    def _own_tests(self) -> frozenset[int]:
        if self._undefined is None:
            self._undefined = tests_of_their_own(self.context, self.guards.cfg)
        return self._undefined

    def cases(self, value: ValueId) -> list[Case]:
        """The terms that a value may be, each with its condition."""
        known = self._cases.get(value)
        if known is not None:
            return known
        opaque: list[Case] = [(self.space.true, Val(value))]
        if value in self._busy:
            return opaque  # a value that depends on itself through a loop
        if not self.may_descend():
            self._cases[value] = opaque
            return opaque
        if self.context.nesting >= _MOST_NESTED and self._operands_first(value):
            return self._cases[value]
        return self._find_cases(value)

    def _operands_first(self, value: ValueId) -> bool:
        """Evaluate a long chain of operations from its beginning; False if there is no chain."""
        waiting = self._not_known(value)
        if not waiting:
            return False
        stack = [(value, waiting)]
        self._busy.add(value)
        try:
            while stack:
                at, waiting = stack[-1]
                operand = waiting.pop() if waiting else NO_VALUE
                if operand < 0:
                    self._find_cases(at)
                    stack.pop()
                elif operand not in self._cases and operand not in self._busy:
                    self._busy.add(operand)
                    stack.append((operand, self._not_known(operand)))
        finally:
            for at, _ in stack:
                self._busy.discard(at)
        return True

    def _not_known(self, value: ValueId) -> list[ValueId]:
        """Operands of the instruction that makes a value which are not evaluated yet, last first."""
        instr = self.context.code.instr_of(value)
        operands = self.context.code.operands(instr) if instr >= 0 else []
        return [
            operand
            for operand in reversed(operands)
            if operand not in self._cases and self.context.code.instr_of(operand) >= 0
        ]

    def _find_cases(self, value: ValueId) -> list[Case]:
        opaque: list[Case] = [(self.space.true, Val(value))]
        self._busy.add(value)
        self.context.nesting += 1
        try:
            found = self._make_cases(value) or opaque
        finally:
            self.context.nesting -= 1
            self._busy.discard(value)
        if len(found) > 1 and not self.is_small(found):
            self.context.limits_hit["too many cases of a value"] += 1
            found = opaque
        self._cases[value] = found
        return found

    def may_descend(self) -> bool:
        """Whether what a value is made of may be asked for: chains of thousands say nothing."""
        if self.context.nesting < self.context.limits.deepest_values:
            return True
        self.context.limits_hit["depth of values"] += 1
        return False

    def is_small(self, split: list[Case]) -> bool:
        """Whether cases are few and their conditions small."""
        limits, size = self.context.limits, self.space.size
        if len(split) > limits.most_cases:
            return False
        return all(size(guard) <= limits.most_condition_nodes for guard, _ in split)

    def term(self, value: ValueId) -> Term:
        """The one term of a value; an opaque one if it is split."""
        found = self.cases(value)
        return found[0][1] if len(found) == 1 else Val(value)

    def _make_cases(self, value: ValueId) -> list[Case] | None:
        context, true = self.context, self.space.true
        code = context.code
        kind = code.value_kind[value]
        if kind == VALUE_INSTR:
            return self._instr_cases(value, code.value_index[value])
        if kind == VALUE_INT:
            return [(true, Int(code.value_number[value]))]
        if kind == VALUE_NULL:
            return [(true, NULL)]
        if kind == VALUE_FUNCTION:
            return [(true, Function(code.value_index[value]))]
        if kind == VALUE_GLOBAL:
            return [(true, Global(code.value_index[value]))]
        if kind == VALUE_CONST_EXPR:
            base, offset = self.guards.root(value)
            if (number := number_of(context, value)) is not None:
                return [(true, Int(number))]  # (char *)1
            if not is_variable(base) or offset is None:
                return None
            return [(true, moved(base, offset))]
        return None

    def _instr_cases(self, value: ValueId, instr: InstrId) -> list[Case] | None:
        context, true = self.context, self.space.true
        code = context.code
        op = code.op[instr]
        operands = code.operands(instr)
        if op == OP_PHI:
            return self._phi_cases(instr, operands)
        if op in NUMBER_COPIES:
            return self._copied(op, operands[0], code.instr_block[instr])
        if op == OP_ICMP:
            holds = self.guards.condition(value)
            return self.merge([(holds, TRUE), (~holds, FALSE)])
        if op == OP_SELECT:
            holds = self.guards.condition(operands[0])
            block = code.instr_block[instr]
            split = [(holds & g, t) for g, t in self.cases_in(operands[1], block)]
            split += [(~holds & g, t) for g, t in self.cases_in(operands[2], block)]
            return self.merge(split)
        if op == OP_ALLOCA:
            return [(true, Local(value))]
        if op == OP_LOAD:
            return self._load_cases(instr, operands[0])
        if op in _PURE:
            return self._arithmetic(value, op, operands)
        if op == OP_GEP:
            return [(true, self._gep_term(value, instr, operands))]
        if op in code.call_ops:
            return self._call_cases(instr, operands)
        return None

    def _copied(self, op: int, source: ValueId, block: BlockId) -> list[Case]:
        code = self.context.code
        if op in (OP_ZEXT, OP_SEXT) and code.is_bool(code.value_type[source]):
            holds = self.guards.condition(source)
            one = Int(1 if op == OP_ZEXT else -1)
            return self.merge([(holds, one), (~holds, FALSE)])
        return self.cases_in(source, block)

    def _phi_cases(self, instr: InstrId, operands: list[ValueId]) -> list[Case] | None:
        """A φ is what its incoming edge chose (SATURN: correlated branches)."""
        context, cfg = self.context, self.guards.cfg
        code = context.code
        block = code.instr_block[instr]
        if block in self.guards.loop_at:
            return self._unchanged(operands)
        first = code.operand_start[instr]
        if len(operands) > 4 * context.limits.most_cases:
            return None
        split: list[Case] = []
        for position, operand in enumerate(operands):
            source = code.operand_block[first + position]
            guard = self.space.false
            for edge in cfg.in_edges.get(block, ()):
                if self.guards.edge_source[edge] == source:
                    guard = guard | self.guards.edge_guard.get(edge, self.space.false)
            split += [(guard & g, t) for g, t in self.cases_in(operand, block)]
        return self.merge(split)

    def _unchanged(self, operands: list[ValueId]) -> list[Case] | None:
        """A loop variable that every turn leaves as it was."""
        found: Term | None = None
        for operand in operands:
            term = self.term(operand)
            if not is_constant(term) or found not in (None, term):
                return None
            found = term
        return [(self.space.true, found)] if found is not None else None

    def merge(self, split: list[Case]) -> list[Case]:
        """Equal terms become one case; impossible ones go. Nothing, if conditions get far too large."""
        by_term: dict[Term, list[Guard]] = {}
        for guard, term in split:
            if not self.space.is_false(guard):
                by_term.setdefault(term, []).append(guard)
        if len(by_term) == 1:
            return [(self.space.true, term) for term in by_term]
        limit = self.context.limits.far_too_large * self.context.limits.most_condition_nodes
        found: list[Case] = []
        for term, guards in by_term.items():
            joined = guards[0]
            for number, guard in enumerate(guards[1:]):
                joined = joined | guard
                if number and self.space.size(joined) > limit:
                    self.context.limits_hit["too many cases of a value"] += 1
                    return []
            found.append((joined, term))
        return found

    def _arithmetic(self, value: ValueId, op: int, operands: list[ValueId]) -> list[Case]:
        block = self.context.code.instr_block[self.context.code.value_index[value]]
        left, right = (self.cases_in(operand, block) for operand in operands)
        combined = self.combine(_PURE[op], left, right)
        return combined or [(self.space.true, Val(value))]

    def combine(self, op: Op, left: list[Case], right: list[Case]) -> list[Case] | None:
        """The cases of an operation: all folded, or one term; tests of bits stay apart."""
        numbers: list[Case] = []
        for left_guard, left_term in left:
            for right_guard, right_term in right:
                folded = fold(op, left_term, right_term)
                if folded is not None:
                    numbers.append((left_guard & right_guard, folded))
        if len(numbers) == len(left) * len(right):
            return self.merge(numbers)
        words = len(left) * len(right)
        if words > 1 and op not in _WORDS:
            return None
        if words > self.context.limits.most_words:
            self.context.limits_hit["too many cases of a value"] += 1
            return None
        found: list[Case] = []
        for left_guard, left_term in left:
            for right_guard, right_term in right:
                term = fold(op, left_term, right_term) or operation(op, left_term, right_term)
                if self._is_too_deep(term):
                    return None
                found.append((left_guard & right_guard, term))
        return self.merge(found)

    def _gep_term(self, value: ValueId, instr: InstrId, operands: list[ValueId]) -> Term:
        code = self.context.code
        base = self.term(operands[0])
        offset = code.aux[instr] + code.aux2[instr]
        if len(operands) == 1:
            term = moved(base, offset)
            return Val(value) if self._is_too_deep(term) else term
        start = code.operand_start[instr]
        indices: list[tuple[Term, int]] = []
        for position in range(1, len(operands)):
            stride = code.operand_number[start + position]
            indices.append((self.term(operands[position]), stride))
        term = Indexed(base, offset, tuple(indices))
        return Val(value) if self._is_too_deep(term) else term

    def _is_too_deep(self, term: Term, more: int = 0) -> bool:
        """Whether too many operations are within each other, `more` of which are to come."""
        if term.depth + more <= self.context.limits.deepest_term:
            return False
        self.context.limits_hit["depth of terms"] += 1
        return True

    # Memory and calls ------------------------------------------------------------------------------

    def _load_cases(self, instr: InstrId, pointer: ValueId) -> list[Case] | None:
        code = self.context.code
        if code.aux[instr] & _VOLATILE:
            return None
        address = self.term(pointer)
        if self._is_too_deep(address, 1):
            return None
        return self.guards.memory.read(address, code.access_size(instr), instr)

    def _call_cases(self, instr: InstrId, operands: list[ValueId]) -> list[Case] | None:
        context = self.context
        code = context.code
        callee = code.direct_callee(instr)
        if callee >= 0:
            found = self.guards.callees.callee_cases(instr, callee)
            return self.merge(found) if found else None
        func = code.external_callee(instr)
        if func < 0:
            return None
        if code.alternatives(func):
            return None
        if self.guards.returns_twice(instr) and not self.guards.may_unwind:
            return [(self.space.true, FALSE)]
        external = context.externals.of(func)
        if any(_is_not_null(comparison) for comparison in external.ensures):
            context.known.not_null(Val(code.result[instr]))
        if not external.pure:
            return None
        memory = self.guards.memory
        parts: list[Term] = []
        for operand in operands[1:]:
            term = self.term(operand)
            parts.append(term)
            if code.is_pointer(operand):
                parts.append(memory.version(term, instr))
        result = Pure(func, tuple(parts))
        return None if self._is_too_deep(result) else [(self.space.true, result)]


def _is_not_null(holds: Comparison) -> bool:
    result = isinstance(holds.left.root, Ret) and not holds.left.steps
    return result and holds.op is Compared.NE and holds.right == 0
