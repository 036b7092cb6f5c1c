"""Guards of all functions, and how a callee's conditions read at a call site.

In:    Program.     Out: `GuardBook`: `guards(func)`, `instantiate(guard, site)`.
Paper: SMOKE and SATURN's per-function summaries; spec 2, "Guards": "callee conditions are renamed per
call site". A condition on a parameter becomes the same condition on the actual argument; any other
condition of the callee gets a variable of its own per call site.
Guarantees: a function's guards are computed once. Recursion is cut: a function that is being computed
counts as returning, with an unknown result.
"""

from __future__ import annotations

from heapflow.guards.bdd import Guard
from heapflow.guards.context import Atom, GuardContext, GuardLimits
from heapflow.guards.function import Case, FunctionGuards
from heapflow.guards.terms import Term
from heapflow.ir.kinds import CmpPredicate, FuncFlag, Op, ValueKind
from heapflow.ir.program import Program


class GuardBook:
    """Computes guards of functions on demand and remembers them."""

    def __init__(self, program: Program, limits: GuardLimits | None = None) -> None:
        self.context = GuardContext(program, limits)
        self.space = self.context.space
        self._guards: dict[int, FunctionGuards] = {}
        self._busy: dict[int, FunctionGuards] = {}  # being computed
        self._returned: dict[int, list[Case] | None] = {}
        self._renamed: dict[tuple[int, int], Guard] = {}
        self._instances: dict[tuple[int, Guard], Guard] = {}

    def guards(self, func: int) -> FunctionGuards:
        """Guards of a function with a body."""
        known = self._guards.get(func)
        if known is None:
            known = FunctionGuards(self.context, func, self._callee_cases, self._callee_returns)
            self._busy[func] = known
            known.compute()
            self._guards[func] = self._busy.pop(func)
            # Callers will ask; the comparisons it makes must exist before flows look for them.
            self._returned_cases(func)
        return known

    def guards_of_block(self, block: int) -> FunctionGuards:
        return self.guards(self.context.block_func[block])

    # What a call gives back ------------------------------------------------------------------------

    def _callee_returns(self, instr: int, func: int) -> Guard:
        """The condition under which a call comes back, in terms of the caller."""
        space = self.space
        if self.context.func_flags[func] & FuncFlag.DECLARATION or self._is_cut(func):
            return space.true
        guard = self.guards(func).exit
        if space.is_true(guard) or space.is_false(guard):
            return guard
        # A partial condition is worth carrying only if it is small and about the arguments.
        if space.size(guard) > 8 or not all(self._is_about_params(v) for v in space.support(guard)):
            return space.true
        return self.instantiate(guard, instr, func)

    def _is_cut(self, func: int) -> bool:
        return func in self._busy or len(self._busy) > 200

    def _is_about_params(self, variable: int) -> bool:
        atom = self.context.atoms[variable]
        if atom.predicate is None:
            return False
        return atom.left[0] == "val" and self._param_index(atom.left) >= 0

    def _param_index(self, term: Term) -> int:
        value = term[1]
        if not isinstance(value, int) or self.context.value_kind[value] != ValueKind.PARAM:
            return -1
        return self.context.value_index[value]

    def _callee_cases(self, instr: int, func: int) -> list[Case] | None:
        """What a call may return, in terms of the caller."""
        if self._is_cut(func):
            return None
        returned = self._returned_cases(func)
        if returned is None:
            return None
        caller = self._caller(instr)
        split: list[Case] = []
        for guard, term in returned:
            here = self.instantiate(guard, instr, func)
            split += [(here & g, t) for g, t in self._term_cases(term, instr, func, caller)]
        return split if len(split) <= self.context.limits.most_cases else None

    def _returned_cases(self, func: int) -> list[Case] | None:
        """The cases of a function's result, in its own terms; None if there is nothing to know."""
        if func in self._returned:
            return self._returned[func]
        self._returned[func] = None
        context, guards = self.context, self.guards(func)
        split: list[Case] = []
        for block in guards.cfg.order:
            last = context.instr_start[block + 1] - 1
            if context.op[last] != Op.RET or not (operands := context.operands(last)):
                continue
            split += [(guards.leave[block] & g, t) for g, t in guards.cases(operands[0])]
        limits = context.limits
        known = any(t[0] in ("int", "null") or self._is_argument(t) for _, t in split)
        small = all(self.space.size(g) <= limits.most_summary_nodes for g, _ in split)
        if split and known and small and len(split) <= limits.most_cases:
            self._returned[func] = split
        elif split and known:
            context.limits_hit["result condition too large"] += 1
        return self._returned[func]

    def _is_argument(self, term: Term) -> bool:
        return term[0] == "val" and self._param_index(term) >= 0

    def _caller(self, site: int) -> FunctionGuards | None:
        func = self.context.block_func[self.context.instr_block[site]]
        return self._guards.get(func) or self._busy.get(func)

    # Renaming ------------------------------------------------------------------------------------

    def instantiate(self, guard: Guard, site: int, func: int) -> Guard:
        """A condition of callee `func`, as the caller sees it at call `site`."""
        space = self.space
        if space.is_true(guard) or space.is_false(guard):
            return guard
        key = (site, guard)
        known = self._instances.get(key)
        if known is None:
            renaming = {v: self._rename(v, site, func) for v in space.support(guard)}
            known = self._instances[key] = space.substitute(guard, renaming)
        return known

    def _rename(self, variable: int, site: int, func: int) -> Guard:
        key = (site, variable)
        known = self._renamed.get(key)
        if known is None:
            known = self._renamed[key] = self._rename_atom(
                self.context.atoms[variable], variable, site, func
            )
        return known

    def _rename_atom(self, atom: Atom, variable: int, site: int, func: int) -> Guard:
        context = self.context
        predicate = atom.predicate
        if predicate is None or _nesting(atom.left) > context.limits.deepest_calls:
            return context.free_choice("at", site, variable)
        caller = self._caller(site)
        found = self.space.false
        for left_guard, left in self._term_cases(atom.left, site, func, caller):
            for right_guard, right in self._term_cases(atom.right, site, func, caller):
                holds = context.comparison(CmpPredicate(predicate), left, right)
                found = found | (left_guard & right_guard & holds)
        return found

    def _term_cases(
        self, term: Term, site: int, func: int, caller: FunctionGuards | None
    ) -> list[Case]:
        """A callee's term in the caller: arguments for parameters, else renamed by the site."""
        true = self.space.true
        if term[0] in ("int", "null"):
            return [(true, term)]
        actual = self._actual(term, site, func)
        if actual >= 0 and caller is not None:
            return caller.cases(actual)
        return [(true, self._term_at(term, site, func, caller))]

    def _actual(self, term: Term, site: int, func: int) -> int:
        """The argument value at the call, if the term is a parameter of the callee."""
        if term[0] != "val":
            return -1
        param = self._param_index(term)
        if param < 0 or self.context.param_func[param] != func:
            return -1
        position = param - self.context.param_start[func] + 1
        operands = self.context.operands(site)
        return operands[position] if position < len(operands) else -1

    def _term_at(self, term: Term, site: int, func: int, caller: FunctionGuards | None) -> Term:
        """Rewrite a term of the callee for the caller."""
        head = term[0]
        if head in ("int", "null") or (head == "object" and term[1] != "ALLOCA"):
            return term
        if head == "val":
            actual = self._actual(term, site, func)
            if actual >= 0 and caller is not None:
                return caller.term(actual)
            return ("at", site, term)
        if head in ("gep", "load", "op"):
            parts = tuple(
                self._term_at(part, site, func, caller) if isinstance(part, tuple) else part
                for part in term
            )
            base = parts[1]
            if (
                head == "gep"
                and len(parts) == 3
                and isinstance(base, tuple)
                and base[0] == "object"
            ):
                return (*base, parts[2])
            return parts
        return ("at", site, term)


def _nesting(term: Term) -> int:
    """How many calls deep a term comes from."""
    depth = 0
    while term and term[0] == "at":
        depth += 1
        inner = term[2]
        if not isinstance(inner, tuple):
            break
        term = inner
    return depth
