"""The solver's models satisfy what was asked; where it finds none, there is none."""

from __future__ import annotations

from itertools import product

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from heapflow.replay.conditions import Conditions
from heapflow.replay.evaluate import Model, evaluate
from heapflow.replay.solver import Solver
from heapflow.replay.term import Term
from heapflow.replay.terms import Terms
from tests.replay.expressions import Expression, as_term, expressions, with_checks

WIDTHS = (1, 4)
_CONDITIONS = st.lists(expressions(1, WIDTHS, 3), min_size=1, max_size=4)


def _terms_of(conditions: list[Expression]) -> tuple[Terms, list[Term]]:
    terms = Terms()
    made = [as_term(terms, one) for one in conditions]
    return terms, [one for one in made if isinstance(one, Term)]


def _can_hold(terms: Terms, conditions: list[Term]) -> bool:
    atoms = sorted(frozenset[int]().union(*(one.atoms for one in conditions)))
    ranges = [range(1 << terms.by_number[atom].width) for atom in atoms]
    return any(
        all(evaluate(one, dict(zip(atoms, values, strict=True))) for one in conditions)
        for values in product(*ranges)
    )


@settings(max_examples=250, deadline=None)
@given(_CONDITIONS)
def test_models_satisfy_all_conditions(expressions_given: list[Expression]) -> None:
    terms, conditions = _terms_of(expressions_given)
    assume(conditions)
    atoms = frozenset[int]().union(*(one.atoms for one in conditions))
    assume(sum(terms.by_number[atom].width for atom in atoms) <= 13)
    solver = Solver(terms, with_checks(10_000))
    model: Model = {}
    held = Conditions()
    for condition in conditions:
        found = solver.extend(held, model, condition)
        if found is None:
            assert not _can_hold(terms, [*held, condition])
            return
        held.append(condition)
        model = found
        assert all(evaluate(one, model) for one in held)


def test_an_unknown_that_only_a_product_has_gets_a_value() -> None:
    terms = Terms()
    x, y, z = (terms.var(name, 1) for name in "xyz")
    first, second = terms.mul(1, z, terms.eq(1, x, y)), terms.slt(1, z, x)
    assert isinstance(first, Term) and isinstance(second, Term)
    solver, held = Solver(terms, with_checks(10_000)), Conditions()
    model = solver.extend(held, {}, first)
    assert model is not None
    held.append(first)
    model = solver.extend(held, model, second)
    assert model is not None
    assert evaluate(first, model) and evaluate(second, model)


def test_conditions_without_common_unknowns_are_left_out() -> None:
    terms = Terms()
    x, y, z = (terms.var(name, 8) for name in "xyz")
    first, second = terms.eq(8, x, y), terms.ult(8, z, 3)
    assert isinstance(first, Term) and isinstance(second, Term)
    assert Conditions([first, second]).related(x.atoms) == [first]
