"""A callee's conditions in terms of a caller: its arguments, and memory as it left it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from heapflow.guards.bdd import Guard
from heapflow.guards.context import Atom, GuardContext
from heapflow.guards.function import FunctionGuards
from heapflow.guards.places import moved
from heapflow.guards.terms import Case, Term, constant_of
from heapflow.ir.kinds import CmpPredicate

_LITERAL: Final = 3  # nodes of a literal, leaves included
_PLAIN: Final = ("int", "null")


_MOST_REMEMBERED: Final = 50_000


class Renamer:
    """Renames guards and terms per call site, and remembers them."""

    def __init__(
        self,
        context: GuardContext,
        caller: Callable[[int], FunctionGuards | None],
        callee: Callable[[int], FunctionGuards | None],
    ) -> None:
        self.context, self.space = context, context.space
        self._caller, self._callee = caller, callee
        self._certain: dict[int, dict[int, bool]] = {}
        self._renamed: dict[tuple[int, int, int], Guard] = {}
        self._busy: set[tuple[int, int, int]] = set()  # of these, being made
        self._instances: dict[tuple[int, int, Guard], Guard] = {}
        self._entered: dict[tuple[int, int], Guard] = {}

    def forget(self) -> None:
        """Drop what was renamed; it can be made again."""
        self._instances.clear()

    def instantiate(self, guard: Guard, site: int, func: int) -> Guard:
        """A condition of callee `func`, as the caller sees it at call `site`."""
        space = self.space
        if space.is_false(guard):
            return guard
        enters = self._enters(site, func)
        if space.is_true(guard):
            return enters
        key = (site, func, guard)
        known = self._instances.get(key)
        if known is None:
            renaming = self._renaming(guard, site, func)
            if len(self._instances) > _MOST_REMEMBERED:
                self._instances.clear()  # what is remembered keeps its nodes alive
            known = self._instances[key] = space.substitute(guard, renaming) & enters
        return known

    def _renaming(self, guard: Guard, site: int, func: int) -> dict[int, Guard]:
        """What to put for each variable; if that is much in all, choices for what is not a literal."""
        space, limits = self.space, self.context.limits
        renaming = {v: self._rename(v, site, func) for v in sorted(space.support(guard))}
        if sum(space.size(g) - _LITERAL for g in renaming.values()) <= limits.most_summary_nodes:
            return renaming
        self.context.limits_hit["condition of a callee too large"] += 1
        return {
            variable: found
            if space.size(found) <= _LITERAL
            else self.context.free_choice("at", site, variable)
            for variable, found in renaming.items()
        }

    def _enters(self, site: int, func: int) -> Guard:
        """The condition under which a call goes to this function: always, unless by a pointer."""
        if self.context.callee(site) >= 0:
            return self.space.true
        key = (site, func)
        known = self._entered.get(key)
        if known is None:
            known = self._entered[key] = self._pointer_is(site, func)
        return known

    def _pointer_is(self, site: int, func: int) -> Guard:
        caller = self._caller(site)
        if caller is None:
            return self.space.true
        found = self.space.false
        target: Term = ("object", "FUNCTION", func)
        for guard, term in caller.cases(self.context.operands(site)[0]):
            found = found | (guard & self._is_callee(term, target))
        return found

    def _is_callee(self, term: Term, target: Term) -> Guard:
        if term[0] == "object":
            return self.space.true if term == target else self.space.false
        if term[0] in _PLAIN:
            return self.space.false
        return self.context.comparison(CmpPredicate.EQ, ("callee", term), target)

    def _rename(self, variable: int, site: int, func: int) -> Guard:
        key = (site, func, variable)
        known = self._renamed.get(key)
        if known is None:
            forced = self._forced(func).get(variable)
            if forced is not None:
                return self.space.true if forced else self.space.false
            if key in self._busy:  # the condition leads back to itself: a choice
                return self.context.free_choice("at", site, variable)
            self._busy.add(key)
            known = self._rename_atom(self.context.atoms[variable], variable, site, func)
            self._busy.discard(key)
            self._renamed[key] = known
            if self.space.size(known) > self.context.limits.most_renamed_nodes:
                known = self._renamed[key] = self.context.free_choice("at", site, variable)
        return known

    def _forced(self, func: int) -> dict[int, bool]:
        """What is certain of a callee's own conditions once it has returned (`if (!p) abort();`)."""
        known = self._certain.get(func)
        if known is not None:
            return known
        callee = self._callee(func)
        if callee is None:
            return {}
        found: dict[int, bool] = {}
        space, returns = self.space, callee.returns
        if not space.is_true(returns) and space.is_false(callee.unwinds):
            for variable in space.support(returns):
                for value in (True, False):
                    if space.is_false(returns & space.literal(variable, not value)):
                        found[variable] = value
        own = {v: b for v, b in found.items() if not self._is_about_param(v)}
        self._certain[func] = own
        return own

    def _is_certain(self, term: Term, func: int) -> bool:
        """Whether a callee's value is not NULL if the callee returned."""
        context = self.context
        if term in context.nonnull:
            return True
        forced = self._forced(func)
        return bool(forced) and any(
            forced.get(variable) is False
            and context.atoms[variable].predicate == CmpPredicate.EQ
            and constant_of(context.atoms[variable].right) == 0
            for variable in context.atoms_on(term)
        )

    def _is_about_param(self, variable: int) -> bool:
        left = self.context.atoms[variable].left
        return left[0] == "val" and self.context.param_of(left) >= 0

    def _rename_atom(self, atom: Atom, variable: int, site: int, func: int) -> Guard:
        context = self.context
        predicate = atom.predicate
        if predicate is None or _nesting(atom.left) > context.limits.deepest_calls:
            return context.free_choice("at", site, variable)
        caller = self._caller(site)
        found = self.space.false
        if atom.left[0] == "callee" or atom.right[0] == "callee":
            wrapped, target = atom.left, atom.right
            if target[0] == "callee":
                wrapped, target = target, wrapped
            inner = wrapped[1]
            assert isinstance(inner, tuple)
            for guard, term in self.term_cases(inner, site, func, caller):
                found = found | (guard & self._is_callee(term, target))
            return found
        block, is_argument = context.instr_block[site], self._is_about_param(variable)
        for left_guard, left in self.term_cases(atom.left, site, func, caller):
            for right_guard, right in self.term_cases(atom.right, site, func, caller):
                holds = context.comparison(predicate, left, right)
                context.note_null_test(holds, left, right, block, is_argument)
                found = found | (left_guard & right_guard & holds)
        return found

    def term_cases(
        self, term: Term, site: int, func: int, caller: FunctionGuards | None
    ) -> list[Case]:
        """A callee's term in the caller: arguments for parameters, else renamed by the site."""
        true, head = self.space.true, term[0]
        if head in _PLAIN or (head == "object" and term[1] != "ALLOCA"):
            return [(true, term)]
        opaque: list[Case] = [(true, ("at", site, term))]
        if self._is_certain(term, func):
            self.context.nonnull.add(opaque[0][1])
        if caller is None:
            return opaque
        if head == "val":
            actual = self._actual(term, site, func)
            block = self.context.instr_block[site]
            return caller.values.cases_in(actual, block) if actual >= 0 else opaque
        if head == "op":
            _, op, left, right = term
            assert isinstance(op, str) and isinstance(left, tuple) and isinstance(right, tuple)
            sides = (self.term_cases(side, site, func, caller) for side in (left, right))
            return caller.values.combine(op, *sides) or opaque
        if head == "load" and len(term) == 3:
            address, size = term[1], term[2]
            assert isinstance(address, tuple) and isinstance(size, int)
            place = self._one_term(address, site, func, caller)
            return caller.memory.read(place, size, site) if place is not None else opaque
        if head == "gep":
            place = self._address(term, site, func, caller)
            return [(true, place)] if place is not None else opaque
        if head == "pure":
            parts = [self._part(part, site, func, caller) for part in term[2:]]
            return [(true, ("pure", term[1], *parts))] if None not in parts else opaque
        return opaque

    def _part(self, part: object, site: int, func: int, caller: FunctionGuards) -> Term | None:
        """An argument of a pure call, or the version of what it points to."""
        assert isinstance(part, tuple)
        if part[0] == "load" and len(part) == 3 and part[2] == 0:
            place = self._one_term(part[1], site, func, caller)
            return None if place is None else caller.memory.version(place, site)
        return self._one_term(part, site, func, caller)

    def _one_term(self, term: Term, site: int, func: int, caller: FunctionGuards) -> Term | None:
        """A term as addresses are made of: split values are opaque ones."""
        if term[0] == "val":
            actual = self._actual(term, site, func)
            return caller.term(actual) if actual >= 0 else ("at", site, term)
        found = self.term_cases(term, site, func, caller)
        return found[0][1] if len(found) == 1 else None

    def _address(self, term: Term, site: int, func: int, caller: FunctionGuards) -> Term | None:
        base = term[1]
        assert isinstance(base, tuple) and isinstance(term[2], int)
        place = self._one_term(base, site, func, caller)
        if place is None:
            return None
        if len(term) == 3:
            return moved(place, term[2])
        indices: list[object] = []
        for part in term[3:]:
            if isinstance(part, tuple):
                index = self._one_term(part, site, func, caller)
                if index is None:
                    return None
                indices.append(index)
            else:
                indices.append(part)
        return ("gep", place, term[2], *indices)

    def _actual(self, term: Term, site: int, func: int) -> int:
        """The argument value at the call, if the term is a parameter of the callee."""
        context = self.context
        param = context.param_of(term)
        if param < 0 or context.param_func[param] != func:
            return -1
        position = param - context.param_start[func] + 1
        operands = context.operands(site)
        return operands[position] if position < len(operands) else -1


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
