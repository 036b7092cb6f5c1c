"""What all functions' guards share: the program as plain lists, Boolean variables and their meaning."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from heapflow.guards.bdd import Guard, GuardSpace
from heapflow.guards.terms import Term, canonical, decide
from heapflow.ir.kinds import CALLS, CmpPredicate, FuncFlag, GlobalFlag, Op, TypeKind, ValueKind
from heapflow.ir.program import Program


@dataclass(frozen=True, slots=True)
class GuardLimits:
    """Bounds that keep guards small. Hitting one is counted, never silent."""

    most_cases: int = 8  # values that a φ or call result is split into
    most_nodes: int = 150  # BDD nodes of a block's reach condition
    most_summary_nodes: int = 60  # of a condition that is carried into callers
    deepest_calls: int = 6  # nesting of callee conditions


@dataclass(frozen=True, slots=True)
class Atom:
    """The meaning of a Boolean variable: a comparison, or (predicate None) a free choice."""

    predicate: CmpPredicate | None
    left: Term
    right: Term


class GuardContext:
    """Program columns as lists, and one variable per distinct comparison."""

    def __init__(self, program: Program, limits: GuardLimits | None = None) -> None:
        self.program = program
        self.limits = limits or GuardLimits()
        self.space = GuardSpace()
        self.atoms: list[Atom] = []
        self._by_key: dict[tuple[object, ...], int] = {}
        self._atoms_of_term: dict[Term, list[int]] = {}
        self.limits_hit: Counter[str] = Counter()
        instrs, values, blocks = program.instrs, program.values, program.blocks
        self.op: list[int] = instrs.op.tolist()
        self.instr_type: list[int] = instrs.type.tolist()
        self.instr_block: list[int] = instrs.block.tolist()
        self.aux: list[int] = instrs.aux.tolist()
        self.aux2: list[int] = instrs.aux2.tolist()
        self.result: list[int] = instrs.result.tolist()
        self.operand_start: list[int] = instrs.operand_start.tolist()
        self.operand: list[int] = instrs.operand.tolist()
        self.operand_block: list[int] = instrs.operand_block.tolist()
        self.operand_number: list[int] = instrs.operand_number.tolist()
        self.value_kind: list[int] = values.kind.tolist()
        self.value_type: list[int] = values.type.tolist()
        self.value_index: list[int] = values.index.tolist()
        self.value_number: list[int] = values.number.tolist()
        self.type_kind: list[int] = program.types.kind.tolist()
        self.type_bits: list[int] = program.types.bits.tolist()
        self.block_func: list[int] = blocks.func.tolist()
        self.instr_start: list[int] = blocks.instr_start.tolist()
        self.edge_target: list[int] = blocks.edge_target.tolist()
        self.edge_kind: list[int] = blocks.edge_kind.tolist()
        self.edge_condition: list[int] = blocks.edge_condition.tolist()
        self.edge_number: list[int] = blocks.edge_number.tolist()
        self.func_flags: list[int] = program.functions.flags.tolist()
        self.param_func: list[int] = program.params.func.tolist()
        self.param_start: list[int] = program.functions.param_start.tolist()
        self.constant_globals = _constant_globals(program)
        self.call_ops = frozenset(int(op) for op in CALLS)

    def operands(self, instr: int) -> list[int]:
        return self.operand[self.operand_start[instr] : self.operand_start[instr + 1]]

    def direct_callee(self, instr: int) -> int:
        """The function with a body that a call certainly enters, or -1."""
        callee = self.operand[self.operand_start[instr]]
        if self.value_kind[callee] != ValueKind.FUNCTION:
            return -1
        func = self.value_index[callee]
        return -1 if self.func_flags[func] & FuncFlag.DECLARATION else func

    def is_bool(self, type_id: int) -> bool:
        return self.type_kind[type_id] == TypeKind.INT and self.type_bits[type_id] == 1

    # Variables -----------------------------------------------------------------------------------

    def free_choice(self, *key: object) -> Guard:
        """A variable without a meaning of its own, the same for the same key."""
        return self.space.literal(self._variable(("choice", *key), None, ("choice", *key), ()))

    def comparison(self, predicate: CmpPredicate, left: Term, right: Term) -> Guard:
        """The condition under which a comparison of two terms holds."""
        known = decide(predicate, left, right)
        if known is not None:
            return self.space.true if known else self.space.false
        predicate, left, right, negated = canonical(predicate, left, right)
        known = decide(predicate, left, right)
        if known is not None:
            return self.space.true if known != negated else self.space.false
        variable = self._variable((predicate, left, right), predicate, left, right)
        return self.space.literal(variable, not negated)

    def _variable(
        self, key: tuple[object, ...], predicate: CmpPredicate | None, left: Term, right: Term
    ) -> int:
        known = self._by_key.get(key)
        if known is None:
            known = self._by_key[key] = self.space.new_variable()
            self.atoms.append(Atom(predicate, left, right))
            if predicate is not None:
                self._atoms_of_term.setdefault(left, []).append(known)
                if right[0] != "int":
                    self._atoms_of_term.setdefault(right, []).append(known)
        return known

    def atoms_on(self, term: Term) -> list[int]:
        """Variables that compare this term with something."""
        return self._atoms_of_term.get(term, [])


def _constant_globals(program: Program) -> dict[int, int]:
    """Scalars that the whole program only loads -> their initial value (spec: "never-written").

    A global whose address is used in any other way counts as written.
    """
    instrs, values = program.instrs, program.values
    owner = np.repeat(np.arange(len(instrs)), np.diff(instrs.operand_start))
    is_global = values.kind[instrs.operand] == ValueKind.GLOBAL
    uses = values.index[instrs.operand[is_global]]
    ops = instrs.op[owner[is_global]]
    written = set(uses[ops != Op.LOAD].tolist())
    for operands in (program.const_exprs.operand, program.globals.init_value):
        written.update(values.index[operands[values.kind[operands] == ValueKind.GLOBAL]].tolist())
    found: dict[int, int] = {}
    table = program.globals
    kinds = program.types.kind[table.type]
    skip = GlobalFlag.DECLARATION | GlobalFlag.THREAD_LOCAL | GlobalFlag.DISCARDED
    for index in range(len(table)):
        if kinds[index] != TypeKind.INT or index in written or table.flags[index] & int(skip):
            continue
        begin, end = int(table.init_start[index]), int(table.init_start[index + 1])
        if begin == end:
            found[index] = 0
            continue
        value = int(table.init_value[begin])
        if values.kind[value] == ValueKind.INT:
            found[index] = int(values.number[value])
    return found
