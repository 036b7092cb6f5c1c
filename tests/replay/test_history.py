"""A search gets the answers that its own solver would give, whoever asked before."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from heapflow.replay.conditions import Conditions
from heapflow.replay.evaluate import Model
from heapflow.replay.history import Answers
from heapflow.replay.solver import GaveUp, Solver
from heapflow.replay.term import Term
from heapflow.replay.terms import Terms
from tests.replay.expressions import Expression, as_term, expressions, with_checks

_CONDITIONS = st.lists(expressions(1, (1, 8), 3), min_size=1, max_size=5)


def _asked(given_ones: list[Expression], answers: Answers | None, extra: int) -> list[object]:
    """What a search hears that asks one after the other; its terms have numbers of their own."""
    terms = Terms()
    for number in range(extra):
        terms.var(f"before{number}", 8)
    solver = Solver(terms, with_checks(300), answers)
    held, model, heard = Conditions(), Model(), list[object]()
    for one in given_ones:
        condition = as_term(terms, one)
        if not isinstance(condition, Term):
            continue
        before = solver.stats.checks
        try:
            found = solver.extend(held, model, condition)
        except GaveUp:
            heard.append("gave up")
            continue
        named = None
        if found is not None:
            held.append(condition)
            model = found
            named = {terms.by_number[atom].args[0]: value for atom, value in found.items()}
        heard.append((named, solver.stats.checks - before, solver.stats.refused))
    return heard


@settings(max_examples=60, deadline=None)
@given(_CONDITIONS, _CONDITIONS)
def test_answers_are_those_of_a_solver_of_ones_own(
    one: list[Expression], other: list[Expression]
) -> None:
    answers = Answers()
    for extra, asked in enumerate((one, one + other, one, other, one + other)):
        assert _asked(asked, answers, extra) == _asked(asked, None, extra)


def test_what_was_asked_before_is_not_solved_again() -> None:
    answers, asked = Answers(), []
    for extra in range(2):
        terms = Terms()
        if extra:
            terms.var("before", 8)
        x, y = terms.var("x", 32), terms.var("y", 32)
        solver = Solver(terms, with_checks(100_000), answers)
        product, large = terms.eq(32, terms.mul(32, x, y), 1234567), terms.ult(32, 5, x)
        assert isinstance(product, Term) and isinstance(large, Term)
        assert solver.extend(Conditions([large]), {x.number: 6}, product) is not None
        asked.append((solver.stats.solved, solver._library is not None))
    assert asked == [(1, True), (1, False)]
