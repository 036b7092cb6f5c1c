"""Conditions as text, for people who look inside.

In:    guards.     Out: `a && !b || c`, one way to make the condition true after the other.
Not for programs: texts of terms are not parsed again, and long conditions are cut short.
"""

from __future__ import annotations

from heapflow.guards.bdd import Guard
from heapflow.guards.context import Atom, GuardContext
from heapflow.guards.terms import Term
from heapflow.ir.kinds import CmpPredicate
from heapflow.ir.program import Program

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
        return atom_text(self.context.program, self.context.atoms[variable], holds)


def atom_text(program: Program, atom: Atom, holds: bool = True) -> str:
    """What a Boolean variable says, or the opposite."""
    if atom.predicate is None:
        text = f"choice {term_text(program, atom.left)}"
        return text if holds else f"!({text})"
    left, right = term_text(program, atom.left), term_text(program, atom.right)
    if holds or atom.predicate in _OPPOSITE:
        sign = _SIGNS[atom.predicate] if holds else _OPPOSITE[atom.predicate]
        return f"{left} {sign} {right}"
    return f"!({left} {_SIGNS[atom.predicate]} {right})"


def term_text(program: Program, term: Term | object) -> str:
    """A term: variables by their names, everything else by its tag."""
    match term:
        case ("int", int(number)):
            return str(number)
        case ("null",):
            return "NULL"
        case ("val", int(value)):
            return program.value_name(value)
        case ("object", "GLOBAL", int(index), *offset):
            return f"&{program.global_name(index)}{_offset(offset)}"
        case ("object", "FUNCTION", int(index), *_):
            return program.func_name(index)
        case ("object", str(), int(value), *offset):
            return f"&{program.value_name(value)}{_offset(offset)}"
        case ("gep", base, int(offset)):
            return f"{term_text(program, base)}+{offset}"
        case ("load", address, int(size), *_):
            return f"*{size}({term_text(program, address)})"
        case ("op", str(name), left, right):
            return f"({term_text(program, left)} {name.lower()} {term_text(program, right)})"
        case ("at", int(call), inner):  # what a callee calls so, at one of its calls
            return f"{term_text(program, inner)}@{program.position(call)[1]}"
        case tuple():
            return "(" + " ".join(term_text(program, part) for part in term) + ")"
    return str(term)


def _offset(offset: list[object]) -> str:
    return f"+{offset[0]}" if offset else ""
