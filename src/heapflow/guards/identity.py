"""What carrying one object says about comparisons of pointers.

Paper: SABER's "decided" conditions: a pointer to the object is not NULL. It is also no other object's
address; if the object is fresh, it is nothing that existed before; and two pointers to its start are
equal.
    p = s; if (n) p = strdup(s); … if (p != s) free(p);       p is not s where p is the copy
"""

from __future__ import annotations

from heapflow.guards.bdd import Guard
from heapflow.guards.context import GuardContext
from heapflow.guards.places import place_of
from heapflow.guards.terms import Term, constant_of, is_object_address
from heapflow.ir.kinds import CmpPredicate, FuncFlag, Op


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
            if other in carriers:
                if _is_start(context, term) and _is_start(context, other):
                    both = guard & carriers[other]
                    found = found & (~both | space.literal(variable))
            elif constant_of(other) == 0 or _is_elsewhere(context, other, fresh):
                found = found & (~guard | space.literal(variable, False))
    return found


def _is_elsewhere(context: GuardContext, other: Term, fresh: bool) -> bool:
    """An address that cannot lie in the object."""
    base, _ = place_of(other)
    if is_object_address(base):
        return True
    if not fresh:
        return False
    if _is_allocation(context, base):
        return True  # two calls of an allocator never give the same block while one is alive
    if base[0] == "val":
        return context.param_of(base) >= 0
    return base[0] == "load" and len(base) == 3  # it was there when the function was entered


def _is_allocation(context: GuardContext, term: Term) -> bool:
    """The result of an external function that hands out new memory, here or in a callee."""
    func = context.external_maker(term)
    return func >= 0 and bool(context.func_flags[func] & FuncFlag.RESULT_NO_ALIAS)


def _is_start(context: GuardContext, term: Term) -> bool:
    """A pointer that was not moved: a call's result, or what a load found."""
    if term[0] in ("load", "at"):
        return True
    value = term[1] if term[0] == "val" else None
    if not isinstance(value, int):
        return False
    instr = context.instr_of(value)
    return instr >= 0 and (context.op[instr] == Op.LOAD or context.op[instr] in context.call_ops)
