"""Boolean variables of the space of conditions, and what each of them means."""

from __future__ import annotations

from heapflow.guards.knownterms import KnownTerms
from heapflow.ir.kinds import CmpPredicate
from heapflow.logic.atoms import Atom, Choice, ChoiceOf, Compared
from heapflow.logic.compare import canonical, decide
from heapflow.logic.space import Guard, GuardSpace
from heapflow.logic.term import Int, Term


class Variables:
    """One variable per distinct comparison, and one per choice."""

    def __init__(self, space: GuardSpace, known: KnownTerms) -> None:
        self.space, self._known = space, known
        self.atoms: list[Atom] = []  # by variable
        self._compared: dict[tuple[CmpPredicate, Term, Term], int] = {}
        self._chosen: dict[tuple[int, ...], int] = {}
        self._on_term: dict[Term, list[int]] = {}

    def free_choice(self, of: ChoiceOf, *numbers: int) -> Guard:
        """A variable without a meaning of its own, the same for the same numbers."""
        key = (int(of), *numbers)
        known = self._chosen.get(key)
        if known is None:
            known = self._chosen[key] = self.space.new_variable()
            self.atoms.append(Choice(of, numbers))
        return self.space.literal(known)

    def comparison(self, predicate: CmpPredicate, left: Term, right: Term) -> Guard:
        """The condition under which a comparison of two terms holds."""
        known = self._known.decide(predicate, left, right)
        if known is not None:
            return self.space.true if known else self.space.false
        predicate, left, right, negated = canonical(predicate, left, right)
        known = decide(predicate, left, right)
        if known is not None:
            return self.space.true if known != negated else self.space.false
        variable = self._variable(predicate, left, right)
        return self.space.literal(variable, not negated)

    def _variable(self, predicate: CmpPredicate, left: Term, right: Term) -> int:
        key = (predicate, left, right)
        known = self._compared.get(key)
        if known is None:
            known = self._compared[key] = self.space.new_variable()
            self.atoms.append(Compared(predicate, left, right))
            self._on_term.setdefault(left, []).append(known)
            if not isinstance(right, Int):
                self._on_term.setdefault(right, []).append(known)
        return known

    def atoms_on(self, term: Term) -> list[int]:
        """Variables that compare this term with something."""
        return self._on_term.get(term, [])
