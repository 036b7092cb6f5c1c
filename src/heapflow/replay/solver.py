"""Whether conditions can hold together, and values for which they do.

In:    conditions (terms of width 1), the model of those that are known to hold together.
Out:   a model, or that there is none, or that the solver gave up.
Four ways, cheapest first: the model at hand; a set of conditions that is known to contradict itself
(the opposite of the new one among them, or an unsat core of an earlier question); values that the new
condition asks for, or next to its constants; Bitwuzla on the conditions that share unknowns with it,
or what it said when an earlier search asked the same (`answers`).
The solver is bounded by its own steps, never by time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, assert_never

import bitwuzla

from heapflow.replay.conditions import Conditions
from heapflow.replay.config import ReplayConfig
from heapflow.replay.evaluate import Model, evaluate
from heapflow.replay.guesses import hold, interesting, wishes
from heapflow.replay.history import Answer, Answers, History
from heapflow.replay.term import Term, mask, widths_of
from heapflow.replay.terms import Terms

_KINDS = {
    "udiv": bitwuzla.Kind.BV_UDIV,
    "sdiv": bitwuzla.Kind.BV_SDIV,
    "urem": bitwuzla.Kind.BV_UREM,
    "srem": bitwuzla.Kind.BV_SREM,
    "shl": bitwuzla.Kind.BV_SHL,
    "lshr": bitwuzla.Kind.BV_SHR,
    "ashr": bitwuzla.Kind.BV_ASHR,
    "and": bitwuzla.Kind.BV_AND,
    "or": bitwuzla.Kind.BV_OR,
    "xor": bitwuzla.Kind.BV_XOR,
    "mul": bitwuzla.Kind.BV_MUL,
}
_COMPARISONS = {
    "eq": bitwuzla.Kind.EQUAL,
    "ult": bitwuzla.Kind.BV_ULT,
    "slt": bitwuzla.Kind.BV_SLT,
}


@dataclass(slots=True)
class SolverStats:
    """What the questions cost."""

    asked: int = 0  # conditions that the model at hand does not satisfy
    guessed: int = 0
    refused: int = 0  # because of an unsat core that was known
    solved: int = 0  # calls of the solver
    work: int = 0  # the same, long questions several times
    checks: int = 0  # how often the solver asked whether to go on
    unknown: int = 0


_HARD = frozenset({"mul", "udiv", "sdiv", "urem", "srem"})


class GaveUp(Exception):
    """The solver met its bound."""


class _Clock:
    """Counts how often the library asks whether to go on. The library holds it, and Python does not see
    that: so it must not lead back to what holds the library, or neither is ever given back."""

    __slots__ = ("checks", "most")

    def __init__(self, most: int) -> None:
        self.checks, self.most = 0, most

    def is_over(self) -> bool:
        self.checks += 1
        return self.checks > self.most


class _Instance:
    """One solver, and what was translated for it. Conditions are assumed, not asserted, so that what it
    learns from one question serves the next. Most candidates need none: it is made when asked."""

    def __init__(self, clock: _Clock) -> None:
        self._clock = clock
        self._solver: Any = None
        self.translated: dict[int, Any] = {}  # by the number of a term
        self.assumed: dict[int, Any] = {}  # by the number of a condition

    def solver(self, manager: Any) -> Any:
        if self._solver is None:
            options = bitwuzla.Options()
            options.set(bitwuzla.Option.PRODUCE_MODELS, True)
            options.set(bitwuzla.Option.PRODUCE_UNSAT_ASSUMPTIONS, True)
            self._solver = bitwuzla.Bitwuzla(manager, options)
            self._solver.configure_terminator(self._clock.is_over)
        return self._solver


class Solver:
    """One per candidate: translated terms are kept."""

    def __init__(
        self,
        terms: Terms,
        config: ReplayConfig,
        answers: Answers | None = None,
    ) -> None:
        self.terms, self._config = terms, config
        self.answers = answers or Answers()
        self._history = self.answers.begin(config.most_solver_checks)
        self._keys: dict[int, int] = {}  # of terms, by their numbers
        # Questions that were answered from there; the solver has not seen them.
        self._unseen: list[tuple[_Instance, list[Term]]] = []
        self._hard: dict[int, bool] = {}  # by the number of a condition
        self.stats = SolverStats()
        self._library: Any = None
        self._clock = _Clock(config.most_solver_checks)
        self._exact = _Instance(self._clock)
        self._rough = _Instance(self._clock)  # products of unknowns are unknowns
        self._used = self._exact
        self._sorts: dict[int, Any] = {}
        self._answers: dict[frozenset[int], Model | None] = {}
        self._cores: dict[int, list[frozenset[int]]] = {}  # by each of their conditions

    @property
    def _manager(self) -> Any:
        if self._library is None:
            self._library = bitwuzla.TermManager()
        return self._library

    def begin(self) -> None:
        """Another search of the same candidate: what was learnt stays, questions are counted anew."""
        self.stats.solved = self.stats.work = 0

    @staticmethod
    def bounded(config: ReplayConfig, answers: Answers | None = None) -> Solver:
        """With terms of its own; the searches of one candidate share one."""
        return Solver(Terms(), config, answers)

    def extend(
        self, conditions: Conditions, model: Model, new: Term, fails: bool = False
    ) -> Model | None:
        """A model of the conditions and the new one, which `fails` in the one at hand or is not tried
        there yet; None: there is none. May raise GaveUp."""
        if not fails and evaluate(new, model):
            return model
        self.stats.asked += 1
        groups = conditions.touched(new.atoms)
        opposite: Term = (
            new.args[0] if new.op == "not" else self.terms.make("not", 1, (new,), (new,))
        )
        if any(opposite.number in group.numbers for group in groups):
            self.stats.refused += 1
            return None
        related = [member for group in groups for member in group.members]
        if self._is_refused(related, new):
            self.stats.refused += 1
            return None
        guess = self._guess([*related, new], model, new)
        if guess is not None:
            self.stats.guessed += 1
            return guess
        found = self._solve([*related, new])
        return None if found is None else {**model, **found}

    def _is_refused(self, conditions: list[Term], new: Term) -> bool:
        """Whether an unsat core is among the conditions: the new one is in it, as the others hold
        together."""
        cores = self._cores.get(new.number)
        if not cores:
            return False
        numbers = {condition.number for condition in conditions}
        numbers.add(new.number)
        return any(core <= numbers for core in cores)

    def _guess(self, conditions: list[Term], model: Model, new: Term) -> Model | None:
        """Another value of one unknown, next to a constant that it is compared with."""
        if len(conditions) > self._config.most_guessed_conditions:
            return None
        wished = wishes(new)
        if wished:
            trial = {**model, **wished}
            if hold(conditions, trial, wished.keys()):
                return trial
        if len(new.atoms) > 2 or len(conditions) > self._config.most_tried_conditions:
            return None
        values = interesting(new)[: self._config.most_tried_values]
        trial = dict(model)
        for atom in sorted(new.atoms):
            before, bits = trial.get(atom), mask(self.terms.by_number[atom].width)
            changed = (atom,)
            for value in values:
                trial[atom] = value & bits
                if trial[atom] != before and hold(conditions, trial, changed):
                    return trial
            if before is None:
                del trial[atom]
            else:
                trial[atom] = before
        return None

    def _solve(self, conditions: list[Term]) -> Model | None:
        key = frozenset(condition.number for condition in conditions)
        if key in self._answers:
            return self._answers[key]
        if self.stats.work >= self._config.most_questions:
            raise GaveUp
        self.stats.solved += 1
        self.stats.work += 1 + len(conditions) // self._config.long_question
        found = self._answers[key] = self._ask(conditions)
        return found

    def _ask(self, conditions: list[Term]) -> Model | None:
        """First without what is hard: if that has no model, or its model is one, that is it."""
        if any(self._is_hard(condition) for condition in conditions):
            self._used = self._rough
            found = self._check(conditions)
            self._used = self._exact
            if found is None:
                return None
            # An unknown that stands only in products has no value there: it was tried as 0.
            found = {**dict.fromkeys(_atoms(conditions), 0), **found}
            if all(evaluate(condition, found) for condition in conditions):
                return found
        self._used = self._exact
        return self._check(conditions)

    def _is_hard(self, condition: Term) -> bool:
        known = self._hard.get(condition.number)
        if known is None:
            known = self._hard[condition.number] = _is_hard(condition)
        return known

    def _check(self, conditions: list[Term]) -> Model | None:
        if self.stats.unknown >= self._config.most_unsolved:
            raise GaveUp
        answer = self._answer(conditions)
        self.stats.checks += answer.checks
        self.stats.unknown += answer.gave_up
        if answer.gave_up:
            raise GaveUp
        if answer.model is None:
            core = frozenset(conditions[position].number for position in answer.core)
            for number in core:
                self._cores.setdefault(number, []).append(core)
            return None
        by_key = ((atom, self._keys.get(atom, -1)) for atom in _atoms(conditions))
        return {atom: answer.model[key] for atom, key in by_key if key in answer.model}

    def _answer(self, conditions: list[Term]) -> Answer:
        """What was answered to a search that had asked the same until now; else what the solver says,
        which is told first what it has not seen."""
        key, known = self.answers.key, self._keys
        is_rough = self._used is self._rough
        question = (int(is_rough), *(key(condition, known) for condition in conditions))
        before = self._history
        after = before.next.get(question)
        if after is None:
            unseen, self._unseen, used = self._unseen, [], self._used
            for self._used, earlier in unseen:
                self._said(earlier)
            self._used = used
            after = before.next[question] = History(self._said(conditions))
        else:
            self._unseen.append((self._used, conditions))
        self._history = after
        assert after.answer is not None
        return after.answer

    def _said(self, conditions: list[Term]) -> Answer:
        self._clock.checks = 0
        used, solver = self._used, self._used.solver(self._manager)
        answer, checks = solver.check_sat(*map(self._assumption, conditions)), self._clock.checks
        if answer == bitwuzla.Result.UNSAT:
            return Answer(None, self._core(conditions), checks, False)
        if answer != bitwuzla.Result.SAT:
            return Answer(None, frozenset(), checks, True)
        keys = self._keys
        model = {
            keys[atom]: int(solver.get_value(used.translated[atom]).value(10))
            for atom in _atoms(conditions)
            if atom in used.translated
        }
        return Answer(model, frozenset(), checks, False)

    def _core(self, conditions: list[Term]) -> frozenset[int]:
        """Positions of the conditions that contradict each other."""
        by_id = {self._assumption(one).id(): number for number, one in enumerate(conditions)}
        failed = self._used.solver(self._manager).get_unsat_assumptions()
        return frozenset(by_id[one.id()] for one in failed)

    def _assumption(self, condition: Term) -> Any:
        found = self._used.assumed.get(condition.number)
        if found is None:
            holds = [self._translate(condition), self._constant(1, 1)]
            found = self._manager.mk_term(bitwuzla.Kind.EQUAL, holds)
            self._used.assumed[condition.number] = found
        return found

    # Translation ---------------------------------------------------------------------------------

    def _sort(self, width: int) -> Any:
        if width not in self._sorts:
            self._sorts[width] = self._manager.mk_bv_sort(width)
        return self._sorts[width]

    def _constant(self, value: int, width: int) -> Any:
        return self._manager.mk_bv_value(self._sort(width), value)

    def _translate(self, term: Term) -> Any:
        translated = self._used.translated
        found = translated.get(term.number)
        if found is None:
            found = translated[term.number] = self._made(term)
        return found

    def _operand(self, value: object, width: int) -> Any:
        if isinstance(value, Term):
            return self._translate(value)
        assert isinstance(value, int)
        return self._constant(value, width)

    def _made(self, term: Term) -> Any:
        make, op, width, args = self._manager.mk_term, term.op, term.width, term.args
        if self._used is self._rough and op in _HARD and _is_product(term):
            return self._manager.mk_const(self._sort(width), f"r{term.number}")
        kinds = bitwuzla.Kind
        match op:
            case "var" | "opaque":
                return self._manager.mk_const(self._sort(width), f"v{term.number}")
            case "sum":
                return self._sum(term)
            case "zext" | "sext":
                inner: Term = args[0]
                kind = kinds.BV_ZERO_EXTEND if op == "zext" else kinds.BV_SIGN_EXTEND
                return make(kind, [self._translate(inner)], [width - inner.width])
            case "extract":
                low: int = args[1]
                inner = args[0]
                return make(kinds.BV_EXTRACT, [self._translate(inner)], [low + width - 1, low])
            case "concat":
                parts = zip(args, widths_of(term), strict=True)
                return make(kinds.BV_CONCAT, [self._operand(*part) for part in parts])
            case "ite":
                condition = make(kinds.EQUAL, [self._operand(args[0], 1), self._constant(1, 1)])
                yes, no = self._operand(args[1], width), self._operand(args[2], width)
                return make(kinds.ITE, [condition, yes, no])
            case "not":
                return make(kinds.BV_NOT, [self._operand(args[0], 1)])
            case "eq" | "ult" | "slt":
                compared = next(arg.width for arg in args if isinstance(arg, Term))
                both = [self._operand(arg, compared) for arg in args]
                holds = make(_COMPARISONS[op], both)
                return make(kinds.ITE, [holds, self._constant(1, 1), self._constant(0, 1)])
            case "aggregate":
                raise AssertionError("an aggregate is taken apart first")
            case (
                "mul"
                | "and"
                | "or"
                | "xor"
                | "shl"
                | "lshr"
                | "ashr"
                | "udiv"
                | "sdiv"
                | "urem"
                | "srem"
            ):
                return make(_KINDS[op], [self._operand(arg, width) for arg in args])
        assert_never(op)

    def _sum(self, term: Term) -> Any:
        make, width = self._manager.mk_term, term.width
        total = self._constant(term.args[0], width)
        for part, factor in term.args[1]:
            product = self._translate(part)
            if factor != 1:
                scaled = [product, self._constant(factor, width)]
                product = make(bitwuzla.Kind.BV_MUL, scaled)
            total = make(bitwuzla.Kind.BV_ADD, [total, product])
        return total


def _atoms(conditions: list[Term]) -> list[int]:
    """The unknowns of some conditions, in order."""
    return sorted(frozenset[int]().union(*(condition.atoms for condition in conditions)))


def _is_product(term: Term) -> bool:
    """A product or quotient that costs a solver much."""
    other = term.args[1]
    if not isinstance(other, int):
        return True
    return term.op != "mul" and other & (other - 1) != 0


def _is_hard(term: Term) -> bool:
    stack: list[object] = [term]
    seen: set[int] = set()
    while stack:
        one = stack.pop()
        if not isinstance(one, Term) or one.number in seen:
            continue
        seen.add(one.number)
        if one.op in _HARD and _is_product(one):
            return True
        if one.op == "sum":
            stack += [part for part, _ in one.args[1]]
        elif one.op != "opaque":
            stack += one.args
    return False
