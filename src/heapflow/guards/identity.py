"""What carrying one object says about comparisons of pointers.

Paper: SABER's "decided" conditions: a pointer to the object is not NULL. It is also no other object's
address; if the object is fresh, it is nothing that no value flow brought it to.
    p = s; if (n) p = strdup(s); … if (p != s) free(p);       p is not s where p is the copy
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from heapflow.guards.context import GuardContext
from heapflow.ir.ids import ValueId
from heapflow.ir.kinds import CmpPredicate
from heapflow.logic.address import is_in_variable, place_of
from heapflow.logic.atoms import Choice, Compared
from heapflow.logic.compare import Case, constant_of
from heapflow.logic.space import Guard
from heapflow.logic.term import Later, Pure, Term, Val
from heapflow.policies.stores_into_new_blocks import STORES_INTO_NEW_BLOCKS, unchanged

if TYPE_CHECKING:
    from heapflow.guards.function import FunctionGuards


def identity_facts(context: GuardContext, carriers: dict[Term, Guard]) -> Guard:
    """A condition that holds on every run, about comparisons with terms that carry an object.

    `carriers`: under this condition, the term points into the object.
    """
    space = context.space
    carriers = {term: guard for term, guard in carriers.items() if not space.is_false(guard)}
    found = space.true
    for term, guard in carriers.items():
        for variable in context.variables.atoms_on(term):
            atom = context.variables.atoms[variable]
            if isinstance(atom, Choice) or atom.predicate != CmpPredicate.EQ:
                continue
            other = atom.right if atom.left == term else atom.left
            both = carriers.get(other)
            alone = guard if both is None else guard & ~both
            if constant_of(other) == 0 or _is_elsewhere(context, other):
                found = found & (~alone | space.literal(variable, False))
    return found


def is_older(context: GuardContext, term: Term) -> bool:
    """Whether a term is what the function was called with: it cannot be what is made in it."""
    base, _ = place_of(term)
    return is_in_variable(base) or context.code.param_of(base) >= 0


def store_facts(guards: FunctionGuards, carriers: dict[Term, Guard]) -> Guard:
    """What a store into a fresh object leaves as it was: memory that the function was called with."""
    context, space = guards.context, guards.context.space
    found = space.true
    if not context.policies.makes(STORES_INTO_NEW_BLOCKS):
        return found
    for store in sorted(guards.memory.in_doubt, reverse=True):  # earlier ones are asked for last
        into = _carried(guards, context.code.operands(store)[0], carriers)
        if space.is_false(into):
            continue
        for address, size, before in guards.memory.in_doubt[store]:
            base, _ = place_of(address)
            if base in carriers or not is_older(context, base):
                continue
            after = Later(address, size, store)
            for variable in list(context.variables.atoms_on(after)):
                now, was = space.literal(variable), _compared(context, variable, after, before)
                found = found & unchanged(context.policies, into, now, was)
            if space.size(found) > context.limits.most_store_nodes:
                context.limits_hit["stores into an object"] += 1
                return found
    return found


def _carried(guards: FunctionGuards, pointer: ValueId, carriers: dict[Term, Guard]) -> Guard:
    """The condition under which a pointer leads into the object."""
    base, _ = guards.root(pointer)
    cases = [(guards.context.space.true, base)]
    if isinstance(base, Val):
        cases = guards.cases(base.value)
    found = guards.context.space.false
    for guard, term in cases:
        term, _ = place_of(term)
        if term in carriers:
            found = found | (guard & carriers[term])
    return found


def _compared(context: GuardContext, variable: int, after: Term, before: list[Case]) -> Guard:
    """An atom with what was there before in the place of what is there after."""
    atom, found = context.variables.atoms[variable], context.space.false
    assert isinstance(atom, Compared)
    for guard, term in before:
        left = term if atom.left == after else atom.left
        right = term if atom.right == after else atom.right
        found = found | (guard & context.variables.comparison(atom.predicate, left, right))
    return found


def _is_elsewhere(context: GuardContext, other: Term) -> bool:
    """An address that cannot lie in the object, since no value flow brought it there.

    Where a flow was missed, the other pointer holds the object: nothing is lost there either.
    """
    base, _ = place_of(other)
    while isinstance(base, Pure) and context.externals.of(base.func).inside:
        base, _ = place_of(base.parts[0])  # strchr: in the object that its first argument points to
    return is_in_variable(base)
