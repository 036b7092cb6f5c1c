"""A callee's conditions in terms of a caller: its arguments, and memory as it left it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from heapflow.guards.context import GuardContext
from heapflow.guards.function import FunctionGuards
from heapflow.ir.ids import NO_VALUE, FuncId, InstrId, ValueId
from heapflow.ir.kinds import CmpPredicate
from heapflow.logic.address import is_constant, moved, place_of
from heapflow.logic.atoms import Atom, Choice, ChoiceOf, Compared
from heapflow.logic.compare import Case, constant_of
from heapflow.logic.space import Guard
from heapflow.logic.term import (
    At,
    Callee,
    Function,
    Indexed,
    Load,
    Local,
    Moved,
    Operation,
    Pure,
    Term,
    Val,
)

_LITERAL: Final = 3  # nodes of a literal, leaves included


_MOST_REMEMBERED: Final = 50_000


class Renamer:
    """Renames guards and terms per call site, and remembers them."""

    def __init__(
        self,
        context: GuardContext,
        caller: Callable[[InstrId], FunctionGuards | None],
        callee: Callable[[FuncId], FunctionGuards | None],
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

    def instantiate(self, guard: Guard, site: InstrId, func: FuncId) -> Guard:
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

    def _renaming(self, guard: Guard, site: InstrId, func: FuncId) -> dict[int, Guard]:
        """What to put for each variable; if that is much in all, choices for what is not a literal."""
        space, limits = self.space, self.context.limits
        renaming = {v: self._rename(v, site, func) for v in sorted(space.support(guard))}
        if sum(space.size(g) - _LITERAL for g in renaming.values()) <= limits.most_summary_nodes:
            return renaming
        self.context.limits_hit["condition of a callee too large"] += 1
        return {
            variable: found
            if space.size(found) <= _LITERAL
            else self.context.variables.free_choice(ChoiceOf.AT_CALL, site, variable)
            for variable, found in renaming.items()
        }

    def _enters(self, site: InstrId, func: FuncId) -> Guard:
        """The condition under which a call goes to this function: always, unless by a pointer."""
        if self.context.code.callee(site) >= 0:
            return self.space.true
        key = (site, func)
        known = self._entered.get(key)
        if known is None:
            known = self._entered[key] = self._pointer_is(site, func)
        return known

    def _pointer_is(self, site: InstrId, func: FuncId) -> Guard:
        caller = self._caller(site)
        if caller is None:
            return self.space.true
        found = self.space.false
        target = Function(func)
        for guard, term in caller.cases(self.context.code.operands(site)[0]):
            found = found | (guard & self._is_callee(term, target))
        return found

    def _is_callee(self, term: Term, target: Term) -> Guard:
        if is_constant(term):
            return self.space.true if term == target else self.space.false
        return self.context.variables.comparison(CmpPredicate.EQ, Callee(term), target)

    def _rename(self, variable: int, site: InstrId, func: FuncId) -> Guard:
        key = (site, func, variable)
        known = self._renamed.get(key)
        if known is None:
            forced = self._forced(func).get(variable)
            if forced is not None:
                return self.space.true if forced else self.space.false
            if key in self._busy:  # the condition leads back to itself: a choice
                return self.context.variables.free_choice(ChoiceOf.AT_CALL, site, variable)
            self._busy.add(key)
            try:
                known = self._rename_atom(
                    self.context.variables.atoms[variable], variable, site, func
                )
            finally:
                self._busy.discard(key)
            self._renamed[key] = known
            if self.space.size(known) > self.context.limits.most_renamed_nodes:
                self.context.limits_hit["a callee's comparison, at its call"] += 1
                known = self._renamed[key] = self.context.variables.free_choice(
                    ChoiceOf.AT_CALL, site, variable
                )
        return known

    def _forced(self, func: FuncId) -> dict[int, bool]:
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

    def _is_certain(self, term: Term, func: FuncId) -> bool:
        """Whether a callee's value is not NULL if the callee returned."""
        context = self.context
        if context.known.is_not_null(term):
            return True
        forced = self._forced(func)
        return bool(forced) and any(
            forced.get(variable) is False and _is_null_test(context.variables.atoms[variable])
            for variable in context.variables.atoms_on(term)
        )

    def _is_about_param(self, variable: int) -> bool:
        atom = self.context.variables.atoms[variable]
        return isinstance(atom, Compared) and self.context.code.param_of(atom.left) >= 0

    def _rename_atom(self, atom: Atom, variable: int, site: InstrId, func: FuncId) -> Guard:
        context = self.context
        if isinstance(atom, Choice) or _nesting(atom.left) > context.limits.deepest_calls:
            return context.variables.free_choice(ChoiceOf.AT_CALL, site, variable)
        caller = self._caller(site)
        found = self.space.false
        called = atom.left if isinstance(atom.left, Callee) else atom.right
        if isinstance(called, Callee):
            target = atom.right if called is atom.left else atom.left
            for guard, term in self.term_cases(called.inner, site, func, caller):
                found = found | (guard & self._is_callee(term, target))
            return found
        block, is_argument = context.code.instr_block[site], self._is_about_param(variable)
        for left_guard, left in self.term_cases(atom.left, site, func, caller):
            for right_guard, right in self.term_cases(atom.right, site, func, caller):
                holds = context.variables.comparison(atom.predicate, left, right)
                context.null_tests.note(holds, left, right, block, is_argument)
                found = found | (left_guard & right_guard & holds)
        return found

    def term_cases(
        self, term: Term, site: InstrId, func: FuncId, caller: FunctionGuards | None
    ) -> list[Case]:
        """A callee's term in the caller: arguments for parameters, else renamed by the site."""
        true = self.space.true
        if is_constant(term) and not isinstance(place_of(term)[0], Local):
            return [(true, term)]
        opaque: list[Case] = [(true, At(site, term))]
        if self._is_certain(term, func):
            self.context.known.not_null(opaque[0][1])
        if caller is None:
            return opaque
        match term:
            case Val():
                actual = self._actual(term, site, func)
                block = self.context.code.instr_block[site]
                return caller.values.cases_in(actual, block) if actual >= 0 else opaque
            case Operation(op, left, right):
                sides = [self.term_cases(side, site, func, caller) for side in (left, right)]
                return caller.values.combine(op, *sides) or opaque
            case Load(address, size):
                place = self._one_term(address, site, func, caller)
                return caller.memory.read(place, size, site) if place is not None else opaque
            case Moved() | Indexed():
                place = self._address(term, site, func, caller)
                return [(true, place)] if place is not None else opaque
            case Pure():
                found = self._pure(term, site, func, caller)
                return [(true, found)] if found is not None else opaque
        return opaque  # what only the callee knows

    def _pure(self, term: Pure, site: InstrId, func: FuncId, caller: FunctionGuards) -> Term | None:
        parts: list[Term] = []
        for part in term.parts:
            here = self._part(part, site, func, caller)
            if here is None:
                return None
            parts.append(here)
        return Pure(term.func, tuple(parts))

    def _part(self, part: Term, site: InstrId, func: FuncId, caller: FunctionGuards) -> Term | None:
        """An argument of a pure call, or the version of what it points to."""
        if isinstance(part, Load) and part.size == 0:
            place = self._one_term(part.address, site, func, caller)
            return None if place is None else caller.memory.version(place, site)
        return self._one_term(part, site, func, caller)

    def _one_term(
        self, term: Term, site: InstrId, func: FuncId, caller: FunctionGuards
    ) -> Term | None:
        """A term as addresses are made of: split values are opaque ones."""
        if isinstance(term, Val):
            actual = self._actual(term, site, func)
            return caller.term(actual) if actual >= 0 else At(site, term)
        found = self.term_cases(term, site, func, caller)
        return found[0][1] if len(found) == 1 else None

    def _address(
        self, term: Moved | Indexed, site: InstrId, func: FuncId, caller: FunctionGuards
    ) -> Term | None:
        place = self._one_term(term.base, site, func, caller)
        if place is None:
            return None
        if isinstance(term, Moved):
            return moved(place, term.offset)
        indices: list[tuple[Term, int]] = []
        for part, stride in term.indices:
            index = self._one_term(part, site, func, caller)
            if index is None:
                return None
            indices.append((index, stride))
        return Indexed(place, term.offset, tuple(indices))

    def _actual(self, term: Term, site: InstrId, func: FuncId) -> ValueId:
        """The argument value at the call, if the term is a parameter of the callee."""
        code = self.context.code
        param = code.param_of(term)
        if param < 0 or code.param_func[param] != func:
            return NO_VALUE
        position = param - code.param_start[func] + 1
        operands = code.operands(site)
        return operands[position] if position < len(operands) else NO_VALUE


def _nesting(term: Term) -> int:
    """How many calls deep a term comes from."""
    depth = 0
    while isinstance(term, At):
        depth += 1
        term = term.inner
    return depth


def _is_null_test(atom: Atom) -> bool:
    return (
        isinstance(atom, Compared)
        and atom.predicate == CmpPredicate.EQ
        and constant_of(atom.right) == 0
    )
