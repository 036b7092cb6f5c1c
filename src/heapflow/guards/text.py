"""Conditions as text, for people who look inside.

In:    guards.     Out: `a && !b || c`, one way to make the condition true after the other.
Not for programs: texts of terms are not parsed again, and long conditions are cut short.
"""

from __future__ import annotations

from functools import partial
from typing import assert_never

from heapflow.guards.context import GuardContext
from heapflow.ir.ids import ValueId
from heapflow.ir.kinds import CALLS, CmpPredicate, Op, ValueKind
from heapflow.ir.program import Program
from heapflow.logic.atoms import Atom, Choice, ChoiceOf
from heapflow.logic.space import Guard
from heapflow.logic.term import (
    At,
    Callee,
    Contents,
    Function,
    Global,
    Indexed,
    Inside,
    Int,
    Later,
    Load,
    Local,
    Met,
    Moved,
    Null,
    Operation,
    Pure,
    Term,
    Turn,
    Undefined,
    Val,
)

_SIGNS = {
    CmpPredicate.EQ: "==",
    CmpPredicate.NE: "!=",
    CmpPredicate.UGT: ">u",
    CmpPredicate.UGE: ">=u",
    CmpPredicate.ULT: "<u",
    CmpPredicate.ULE: "<=u",
    CmpPredicate.SGT: ">",
    CmpPredicate.SGE: ">=",
    CmpPredicate.SLT: "<",
    CmpPredicate.SLE: "<=",
}
_CHOICES = {
    ChoiceOf.FIRST_TURN: "choice first",
    ChoiceOf.LEAVE: "choice leave",
    ChoiceOf.EDGE: "choice edge",
    ChoiceOf.CONDITION: "choice condition",
    ChoiceOf.AT_CALL: "choice at",
    ChoiceOf.TURN: "choice turn",
}
_OPERATORS = {
    Op.ADD: "+",
    Op.SUB: "-",
    Op.MUL: "*",
    Op.AND: "&",
    Op.OR: "|",
    Op.XOR: "^",
    Op.SHL: "<<",
    Op.LSHR: ">>u",
    Op.ASHR: ">>",
}
_OPPOSITE = {CmpPredicate.EQ: "!=", CmpPredicate.SLT: ">=", CmpPredicate.ULT: ">=u"}
_OPPOSITE |= {CmpPredicate.SGT: "<=", CmpPredicate.UGT: "<=u"}


class GuardText:
    """Texts over one context; `most` ways of a condition are written."""

    def __init__(self, context: GuardContext, most: int = 6) -> None:
        self.context, self.most = context, most

    def guard(self, guard: Guard) -> str:
        """The ways in which a condition holds, in the order of its variables."""
        space = self.context.space
        if space.is_true(guard):
            return "always"
        ways: list[str] = []
        rest = guard
        while (way := space.one_solution(rest)) is not None:
            if len(ways) == self.most:
                return " || ".join([*ways, f"… ({space.size(guard)} nodes)"])
            literals = [self.literal(number, holds) for number, holds in sorted(way.items())]
            ways.append(" && ".join(literals) or "always")
            rest = rest & ~space.cube(way)
        return " || ".join(ways) or "never"

    def literal(self, variable: int, holds: bool) -> str:
        """A comparison or a choice, or that it is not so."""
        return atom_text(self.context.program, self.context.variables.atoms[variable], holds)


def atom_text(program: Program, atom: Atom, holds: bool = True) -> str:
    """What a Boolean variable says, or the opposite."""
    if isinstance(atom, Choice):
        text = f"choice ({' '.join(map(str, (_CHOICES[atom.of], *atom.numbers)))})"
        return text if holds else f"!({text})"
    left, right = term_text(program, atom.left), term_text(program, atom.right)
    if holds or atom.predicate in _OPPOSITE:
        sign = _SIGNS[atom.predicate] if holds else _OPPOSITE[atom.predicate]
        return f"{left} {sign} {right}"
    return f"!({left} {_SIGNS[atom.predicate]} {right})"


def term_text(program: Program, term: Term) -> str:
    """A term: variables by their names, everything else by its kind."""
    text = partial(term_text, program)
    match term:
        case Int(number):
            return str(number)
        case Null():
            return "NULL"
        case Val(value):
            return _value_text(program, value)
        case Global(index):
            return f"&{program.global_name(index)}"
        case Function(func):
            return program.func_name(func)
        case Local(value):
            return f"&{program.value_name(value)}"
        case Inside(base, offset) | Moved(base, offset):
            return f"{text(base)}+{offset}"
        case Indexed(base, offset, indices):
            parts = [f"{text(index)} {stride}" for index, stride in indices]
            return f"(gep {text(base)} {offset} {' '.join(parts)})"
        case Load(address, size) | Later(address, size) | Met(address, size):
            return f"*{size}({text(address)})"
        case Operation(op, left, right):
            return f"({text(left)} {_OPERATORS.get(op, op.name.lower())} {text(right)})"
        case At(site, inner):
            return f"{text(inner)}@{program.position(site)[1]}"
        case Pure(func, arguments):
            given = ", ".join(text(one) for one in arguments if not _is_version(one))
            return f"{program.func_name(func)}({given})"
        case Callee(inner):
            return f"(callee {text(inner)})"
        case Turn(number, inner):
            return f"(turn {number} {text(inner)})"
        case Undefined(block):
            return f"(undefined {block})"
        case Contents(instr):
            return f"(version {instr})"
        case _:
            assert_never(term)


def _value_text(program: Program, value: ValueId) -> str:
    """A value by the name of its variable; what a call gave, and no variable holds, by the call."""
    name = program.value_name(value)
    if not name.startswith("%") or program.values.kind[value] != ValueKind.INSTR:
        return name
    instr = int(program.values.index[value])
    callee = program.direct_callee(instr) if program.instrs.op[instr] in CALLS else -1
    return name if callee < 0 else f"{program.func_name(callee)}()@{program.position(instr)[1]}"


def _is_version(term: Term) -> bool:
    """Of an argument of a call: what memory was when it was called, which no text can say."""
    match term:
        case Load(_, size) | Later(_, size) | Met(_, size):
            return size == 0
        case Contents():
            return True
        case _:
            return False
