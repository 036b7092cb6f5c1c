"""Blocks that an allocator makes only for want of a pool.

    char *pool_strdup(struct pool *p, const char *s);       plain strdup(s) if p is NULL
    e->name = pool_strdup(e->pool, s);
Nobody who passes a pool on expects to get what has to be freed. A call that would give a plain block
only if an argument were NULL gives none where the argument is something the program has: what is read
from memory, an object, what a call returned, or a parameter that every caller passes so.
Not so where the argument itself, if it is there, is the result (`if (!b) b = malloc(n); return b;`):
then NULL is how one asks for a block.
Not modelled: a pool that is NULL after all (docs/unsoundness.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from heapflow.guards.bdd import Guard
from heapflow.guards.context import GuardContext
from heapflow.guards.fresh import returned_values
from heapflow.guards.terms import Term, constant_of
from heapflow.ir.kinds import CmpPredicate, FuncFlag, Op, ValueKind

_THROUGH: Final = frozenset({Op.BIT_CAST, Op.FREEZE, Op.ADDR_SPACE_CAST, Op.PHI})
_OBJECTS: Final = frozenset({ValueKind.GLOBAL, ValueKind.FUNCTION, ValueKind.CONST_EXPR})


class Pools:
    """What call sites pass for a parameter, found from the instructions when asked for."""

    def __init__(self, context: GuardContext, callers: Mapping[int, Sequence[int]]) -> None:
        self._context, self._callers = context, callers
        self._params: dict[int, bool] = {}

    def is_for_want_of_one(self, handed: Guard, func: int, site: int) -> bool:
        """Whether what is handed over under a condition of `func` needs a NULL that is not passed."""
        context, space = self._context, self._context.space
        operands = context.operands(site)
        first, last = context.param_start[func], context.param_start[func + 1]
        for position in range(min(last - first, len(operands) - 1)):
            param: Term = ("val", context.param_value[first + position])
            for variable in context.atoms_on(param):
                atom = context.atoms[variable]
                if (
                    atom.predicate == CmpPredicate.EQ
                    and constant_of(atom.right) == 0
                    and space.is_false(handed & space.literal(variable, False))
                    and not self._gives_back(func, context.param_value[first + position])
                    and self._is_there(operands[position + 1])
                ):
                    return True
        return False

    def _gives_back(self, func: int, param: int) -> bool:
        """Whether a function may return what it got for a parameter."""
        context = self._context
        pending = returned_values(context, func)
        seen = set(pending)
        while pending:
            instr = context.instr_of(pending.pop())
            if instr >= 0 and (context.op[instr] in _THROUGH or context.op[instr] == Op.SELECT):
                inner = [value for value in context.operands(instr) if value not in seen]
                seen.update(inner)
                pending += inner
        return param in seen

    def _is_there(self, value: int) -> bool:
        """Whether a pointer is taken from somewhere, and not NULL on some way."""
        context = self._context
        pending, seen = [value], {value}
        while pending:
            value = pending.pop()
            kind, instr = context.value_kind[value], context.instr_of(value)
            if kind in _OBJECTS:
                continue
            if kind == ValueKind.PARAM:
                if not self._is_always_there(value):
                    return False
                continue
            if instr < 0:
                return False
            op, operands = context.op[instr], context.operands(instr)
            if op == Op.SELECT or op in _THROUGH:
                inner = [
                    v for v in (operands[1:] if op == Op.SELECT else operands) if v not in seen
                ]
                seen.update(inner)
                pending += inner
            elif op == Op.GEP:
                return True
            elif op not in (Op.LOAD, Op.ALLOCA) and op not in context.call_ops:
                return False
        return True

    def _is_always_there(self, param: int) -> bool:
        """Whether all calls of a function, and there are some, pass something for a parameter."""
        known = self._params.get(param)
        if known is None:
            self._params[param] = True  # a function that passes its own on by recursion
            known = self._params[param] = self._is_passed_by_all(param)
        return known

    def _is_passed_by_all(self, param: int) -> bool:
        context = self._context
        row = context.param_of(("val", param))
        func = context.param_func[row] if row >= 0 else -1
        sites = self._callers.get(func, ())
        if not sites or context.func_flags[func] & FuncFlag.ADDRESS_TAKEN:
            return False
        at = row - context.param_start[func] + 1
        passed = [context.operands(site) for site in sites]
        return all(at < len(operands) and self._is_there(operands[at]) for operands in passed)
