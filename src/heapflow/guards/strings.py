"""Comparisons of one string with several literals exclude each other.

    if (!strcmp(s, "add")) p = …;   if (!strcmp(s, "delete")) p = …;       at most one of the two

A comparison is a pure call, so its term holds the string's address and the version of its contents:
equal terms mean the same text. Facts are made for the comparisons of one complete condition only.
"""

from __future__ import annotations

from itertools import combinations
from typing import Final

from heapflow.guards.bdd import Guard
from heapflow.guards.context import GuardContext
from heapflow.guards.function import FunctionGuards
from heapflow.guards.places import place_of
from heapflow.guards.terms import Term, constant_of
from heapflow.ir.kinds import CmpPredicate, ValueKind

_EXACT: Final = frozenset({"strcmp", "strncmp", "xmlStrcmp", "g_strcmp0"})
_ANY_CASE: Final = frozenset({"strcasecmp", "strncasecmp", "xmlStrcasecmp", "g_ascii_strcasecmp"})
_CHAR_BITS: Final = 8
_MOST: Final = 24  # comparisons of one string that are paired

Compared = tuple[object, ...]  # the function, and the arguments that are no literals


def string_facts(guards: FunctionGuards, guard: Guard) -> Guard:
    """A condition that every run fulfils, about the comparisons of strings in `guard`."""
    context, space = guards.context, guards.context.space
    by_string: dict[Compared, list[tuple[int, str]]] = {}
    for variable in sorted(space.support(guard)):
        atom = context.atoms[variable]
        if atom.predicate != CmpPredicate.EQ or constant_of(atom.right) != 0:
            continue
        found = _comparison(context, atom.left)
        if found is not None:
            by_string.setdefault(found[0], []).append((variable, found[1]))
    facts = space.true
    for tests in by_string.values():
        for (one, text), (other, different) in combinations(tests[:_MOST], 2):
            if text != different:
                facts = facts & ~(space.literal(one) & space.literal(other))
    return facts


def _comparison(context: GuardContext, term: Term) -> tuple[Compared, str] | None:
    """(what is compared, the literal it is compared with), if a term is such a comparison."""
    if term[0] != "pure" or not isinstance(term[1], int) or len(term) < 6:
        return None
    name = context.program.func_name(term[1])
    if name not in _EXACT and name not in _ANY_CASE:
        return None
    left, left_text, right, right_text, *length = term[2:]
    assert isinstance(left, tuple) and isinstance(right, tuple)
    string, text = (left, left_text), literal_of(context, right)
    if text is None:
        string, text = (right, right_text), literal_of(context, left)
    if text is None:
        return None
    if length:
        count = constant_of(length[0]) if isinstance(length[0], tuple) else None
        if count is None or count < 0:
            return None
        text = text[:count]
    text = text if name in _EXACT else text.lower()
    return (("func", term[1]), *string, *length), text


def literal_of(context: GuardContext, term: Term) -> str | None:
    """The text of a string literal, if a term is its address."""
    base, offset = place_of(term)
    if base[0] != "object" or base[1] != "GLOBAL" or offset is None or offset < 0:
        return None
    index, program = base[2], context.program
    if not isinstance(index, int) or not context.initial.is_constant(index):
        return None
    table = program.globals
    rows = range(int(table.init_start[index]), int(table.init_start[index + 1]))
    if not rows:
        return ""  # all zero
    value = int(table.init_value[rows[0]])
    text = int(program.values.index[value])
    if len(rows) != 1 or program.values.kind[value] != ValueKind.BYTES:
        return None
    if program.types.bits[program.types.elem[program.values.type[value]]] != _CHAR_BITS:
        return None
    return program.strings[text][offset:].split("\0", 1)[0]
