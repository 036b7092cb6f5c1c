"""What carrying one object says about comparisons of pointers.

Paper: SABER's "decided" conditions: a pointer to the object is not NULL. It is also no other object's
address; if the object is fresh, it is nothing that no value flow brought it to; and two pointers to
its start are equal.
    p = s; if (n) p = strdup(s); … if (p != s) free(p);       p is not s where p is the copy
"""

from __future__ import annotations

from heapflow.guards.bdd import Guard
from heapflow.guards.context import GuardContext
from heapflow.guards.places import place_of
from heapflow.guards.terms import Term, constant_of, is_object_address
from heapflow.ir.kinds import CmpPredicate, Op

_POINTERS = frozenset({"val", "load", "at", "int"})  # what pointers are as terms


def identity_facts(context: GuardContext, carriers: dict[Term, Guard], fresh: bool) -> Guard:
    """A condition that holds on every run, about comparisons with terms that carry an object.

    `carriers`: under this condition, the term points into the object.
    """
    space = context.space
    carriers = {term: guard for term, guard in carriers.items() if not space.is_false(guard)}
    found = space.true
    for term, guard in carriers.items():
        for variable in context.atoms_on(term):
            atom = context.atoms[variable]
            if atom.predicate != CmpPredicate.EQ:
                continue
            other = atom.right if atom.left == term else atom.left
            both = carriers.get(other)
            if both is not None:
                both = guard & both
                if _is_start(context, term) and _is_start(context, other):
                    found = found & (~both | space.literal(variable))
            alone = guard if both is None else guard & ~both
            if constant_of(other) == 0 or _is_elsewhere(other, fresh):
                found = found & (~alone | space.literal(variable, False))
    return found


def is_older(context: GuardContext, term: Term) -> bool:
    """Whether a term is what the function was called with: it cannot be what is made in it."""
    base, _ = place_of(term)
    return is_object_address(base) or (base[0] == "val" and context.param_of(base) >= 0)


def _is_elsewhere(other: Term, fresh: bool) -> bool:
    """An address that cannot lie in the object, since no value flow brought it there.

    Where a flow was missed, the other pointer holds the object: nothing is lost there either.
    """
    base, _ = place_of(other)
    return is_object_address(base) or (fresh and base[0] in _POINTERS)


def _is_start(context: GuardContext, term: Term) -> bool:
    """A pointer that was not moved: a call's result, or what a load found."""
    if term[0] in ("load", "at"):
        return True
    value = term[1] if term[0] == "val" else None
    if not isinstance(value, int):
        return False
    instr = context.instr_of(value)
    return instr >= 0 and (context.op[instr] == Op.LOAD or context.op[instr] in context.call_ops)
