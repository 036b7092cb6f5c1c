"""Stage 2: ask Z3 whether the condition of a leak is satisfiable, its terms taken as 64-bit numbers.

In:    a guard (a BDD over comparisons of terms), the atoms' meaning.     Out: feasible, or not.
Paper: SMOKE §6: only candidates that survive the Boolean stage are worth a solver's time.
A term that is no arithmetic (a load, a call's result) is an unknown of its own. Numbers are
sign-extended to 64 bits, which keeps the order of signed and of unsigned comparisons of narrower types.
Two ways through the BDD are tried by themselves first: if one can be taken, so can the whole.
Guarantees: at most three queries per candidate, each bounded by the steps that the solver takes, not by
       the clock; "unknown" keeps the finding. An answer depends on the candidate alone: every one has a
       solver context of its own, so that they can be asked for in any order and in several processes.
Not modelled: wrap-around of arithmetic narrower than 64 bits (docs/unsoundness.md#arithmetic).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from heapflow.guards.bdd import Guard
from heapflow.guards.context import GuardContext
from heapflow.guards.terms import Term
from heapflow.ir.kinds import CmpPredicate


@dataclass(frozen=True, slots=True)
class FeasibilityConfig:
    """Limits of the second stage."""

    enabled: bool = True
    most_steps: int = 500_000  # of the solver per query; some 200 ms
    most_nodes: int = 3000  # BDD nodes of a condition that is handed to the solver


@dataclass(slots=True)
class FeasibilityStats:
    """How many candidates each part removed."""

    asked: int = 0
    infeasible: int = 0
    unknown: int = 0
    skipped: int = 0  # nothing to ask: at most one comparison per term


class Answer(Enum):
    """What the solver says of a condition."""

    POSSIBLE = 1
    IMPOSSIBLE = 2
    UNKNOWN = 3


Each = Callable[[Callable[[int], Answer], int], list[Answer]]  # the answers to so many questions


def _in_order(ask: Callable[[int], Answer], count: int) -> list[Answer]:
    return [ask(number) for number in range(count)]


@dataclass
class FeasibilityChecker:
    """Puts conditions to the solver; imports Z3 when first needed."""

    context: GuardContext
    config: FeasibilityConfig = field(default_factory=FeasibilityConfig)
    stats: FeasibilityStats = field(default_factory=FeasibilityStats)

    def is_feasible(self, guard: Guard) -> bool:
        """False only if the solver proves that the condition cannot hold."""
        return self.are_feasible([guard], _in_order)[0]

    def are_feasible(self, guards: list[Guard], each: Each) -> list[bool]:
        """The same for many, which `each` may put to the solver in any order: they stand alone."""
        if not self.config.enabled:
            return [True] * len(guards)
        asked = [number for number, guard in enumerate(guards) if self._is_worth_asking(guard)]
        answers = each(lambda at: self.ask(guards[asked[at]]), len(asked))
        self.stats.asked += len(asked)
        self.stats.skipped += len(guards) - len(asked)
        self.stats.unknown += answers.count(Answer.UNKNOWN)
        self.stats.infeasible += answers.count(Answer.IMPOSSIBLE)
        refuted = {
            number
            for number, answer in zip(asked, answers, strict=True)
            if answer is Answer.IMPOSSIBLE
        }
        return [number not in refuted for number in range(len(guards))]

    def ask(self, guard: Guard) -> Answer:
        """What the solver says of a condition."""
        return _Question(self.context, self.config).answer(guard)

    def _is_worth_asking(self, guard: Guard) -> bool:
        """Two comparisons that share a part, and not only with constants (stage 1 did those)."""
        space = self.context.space
        if space.size(guard) > self.config.most_nodes:
            return False
        seen: set[Term] = set()
        for variable in space.support(guard):
            atom = self.context.atoms[variable]
            if atom.predicate is None:
                continue
            parts = _leaves(atom.left) | _leaves(atom.right)
            if parts & seen:
                return True
            seen |= parts
        return False


class _Question:
    """One condition in a solver context of its own."""

    def __init__(self, context: GuardContext, config: FeasibilityConfig) -> None:
        import z3

        self._z3: Any = z3
        self._own = z3.Context()
        self.context, self.config = context, config
        self._terms: dict[Term, Any] = {}
        self._atoms: dict[int, Any] = {}

    def answer(self, guard: Guard) -> Answer:
        if self._has_plain_solution(guard):
            return Answer.POSSIBLE
        found = self._ask([self._formula(guard)])
        if found == self._z3.unsat:
            return Answer.IMPOSSIBLE
        return Answer.POSSIBLE if found == self._z3.sat else Answer.UNKNOWN

    def _has_plain_solution(self, guard: Guard) -> bool:
        """Whether one way through the BDD can be taken: most candidates need no more than that."""
        space, z3 = self.context.space, self._z3
        for prefers in (False, True):
            chosen = space.one_solution(guard, prefers) or {}
            literals = [
                self._atom(variable) if chosen[variable] else z3.Not(self._atom(variable))
                for variable in self._related(list(chosen))
            ]
            if self._ask(literals) == z3.sat:
                return True
        return False

    def _related(self, variables: list[int]) -> list[int]:
        """Those whose comparisons may exclude each other, or themselves.

        A choice, or an unknown that is compared once, and not as a part of something, can be either
        way whatever the others are. (Not so below the least number there is: such a finding is kept.)
        """
        leaves: dict[int, set[Term]] = {}
        computed: set[int] = set()
        for variable in variables:
            atom = self.context.atoms[variable]
            if atom.predicate is not None:
                leaves[variable] = _leaves(atom.left) | _leaves(atom.right)
                if "op" in (atom.left[0], atom.right[0]):
                    computed.add(variable)
        met = Counter(leaf for found in leaves.values() for leaf in found)
        return [
            variable
            for variable, found in leaves.items()
            if variable in computed or any(met[leaf] > 1 for leaf in found)
        ]

    def _ask(self, formulas: list[Any]) -> Any:
        solver = self._z3.Solver(ctx=self._own)
        solver.set("rlimit", self.config.most_steps)
        solver.add(*formulas)
        return solver.check()

    def _formula(self, guard: Guard) -> Any:
        """The BDD as nested if-then-else, shared nodes once."""
        z3, made = self._z3, {}
        stack = [guard]
        while stack:
            at = stack[-1]
            if at in made:
                stack.pop()
                continue
            variable = at.node_var()
            if variable is None:
                made[at] = z3.BoolVal(self.context.space.is_true(at), self._own)
                continue
            high, low = self.context.space.branches(at)
            waiting = [part for part in (high, low) if part not in made]
            if waiting:
                stack += waiting
                continue
            made[at] = z3.If(self._atom(variable), made[high], made[low])
        return made[guard]

    def _atom(self, variable: int) -> Any:
        known = self._atoms.get(variable)
        if known is None:
            known = self._atoms[variable] = self._make_atom(variable)
        return known

    def _make_atom(self, variable: int) -> Any:
        z3 = self._z3
        atom = self.context.atoms[variable]
        if atom.predicate is None:
            return z3.Bool(f"choice{variable}", self._own)
        left, right = self._term(atom.left), self._term(atom.right)
        match atom.predicate:
            case CmpPredicate.EQ:
                return left == right
            case CmpPredicate.SLT:
                return left < right
            case CmpPredicate.SGT:
                return left > right
            case CmpPredicate.ULT:
                return z3.ULT(left, right)
            case _:
                return z3.UGT(left, right)

    def _term(self, term: Term) -> Any:
        known = self._terms.get(term)
        if known is None:
            known = self._terms[term] = self._make(term)
        return known

    def _make(self, term: Term) -> Any:
        z3 = self._z3
        if term[0] == "int":
            return z3.BitVecVal(term[1], 64, self._own)
        if term[0] == "null":
            return z3.BitVecVal(0, 64, self._own)
        if term[0] == "op" and isinstance(term[2], tuple) and isinstance(term[3], tuple):
            left, right = self._term(term[2]), self._term(term[3])
            match term[1]:
                case "ADD":
                    return left + right
                case "SUB":
                    return left - right
                case "MUL":
                    return left * right
                case "AND":
                    return left & right
                case "OR":
                    return left | right
                case "XOR":
                    return left ^ right
        return z3.BitVec(f"t{len(self._terms)}", 64, self._own)


def _leaves(term: Term) -> set[Term]:
    """The unknowns that a term is made of."""
    if term[0] in ("int", "null"):
        return set()
    if term[0] == "op":
        found: set[Term] = set()
        for part in term[2:]:
            if isinstance(part, tuple):
                found |= _leaves(part)
        return found
    return {term}
