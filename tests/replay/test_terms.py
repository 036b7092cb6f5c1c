"""Terms are folded to what they stand for, whatever the unknowns are."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from heapflow.replay.evaluate import evaluate
from heapflow.replay.term import Term, Value, mask
from heapflow.replay.terms import Terms
from tests.replay.expressions import NAMES, Expression, as_term, expressions, numbers, plain_value

WIDTHS = (1, 3, 8, 16)
_EXPRESSIONS = st.one_of(*(expressions(width, WIDTHS) for width in WIDTHS))


def _all_widths(one: Expression) -> set[int]:
    return {one.width}.union(*(_all_widths(part) for part in one.inner))


def _chosen(draw: st.DataObject, one: Expression) -> dict[tuple[str, int], int]:
    keys = [(name, width) for width in sorted(_all_widths(one)) for name in NAMES]
    return {key: draw.draw(numbers(key[1])) & mask(key[1]) for key in keys}


def _model(terms: Terms, values: dict[tuple[str, int], int]) -> dict[int, int]:
    return {
        terms.var(f"{name}{width}", width).number: value for (name, width), value in values.items()
    }


@settings(max_examples=600, deadline=None)
@given(_EXPRESSIONS, st.data())
def test_folding_keeps_the_value(one: Expression, draw: st.DataObject) -> None:
    terms = Terms()
    term = as_term(terms, one)
    values = _chosen(draw, one)
    found = evaluate(term, _model(terms, values))
    assert found == plain_value(one, values), term
    assert 0 <= found <= mask(one.width)


@settings(max_examples=400, deadline=None)
@given(_EXPRESSIONS, st.data())
def test_replacing_some_unknowns_keeps_the_value(one: Expression, draw: st.DataObject) -> None:
    terms = Terms()
    term = as_term(terms, one)
    values = _chosen(draw, one)
    model = _model(terms, values)
    some = {atom: value for atom, value in model.items() if draw.draw(st.booleans())}
    replaced = terms.substitute(term, some)
    assert evaluate(replaced, model) == plain_value(one, values)
    if isinstance(replaced, Term):
        assert not replaced.atoms & some.keys()


@settings(max_examples=200, deadline=None)
@given(_EXPRESSIONS)
def test_constants_are_folded_away(one: Expression) -> None:
    def is_constant(part: Expression) -> bool:
        return part.op == "constant" or (bool(part.inner) and all(map(is_constant, part.inner)))

    term = as_term(Terms(), one)
    if is_constant(one):
        assert isinstance(term, int)
        assert term == plain_value(one, {})


@settings(max_examples=200, deadline=None)
@given(_EXPRESSIONS)
def test_equal_terms_are_one(one: Expression) -> None:
    terms = Terms()
    first, second = as_term(terms, one), as_term(terms, one)
    if isinstance(first, int):
        assert first == second
    else:
        assert first is second
        assert as_term(Terms(), one) is not first


def test_stretches_with_one_value_are_joined_in_order_only() -> None:
    terms = Terms()
    x = terms.var("x", 8)
    inner, outer = terms.ult(8, x, 5), terms.ult(8, x, 3)
    ordered = terms.ite(8, outer, 7, terms.ite(8, inner, 7, 9))
    assert ordered is terms.ite(8, inner, 7, 9)
    turned = terms.ite(8, inner, 7, terms.ite(8, outer, 7, 9))
    assert [evaluate(turned, {x.number: value}) for value in (2, 4, 5)] == [7, 7, 9]


class _Counted(Terms):
    cuts = 0

    def extract(self, width: int, a: Value, low: int) -> Value:
        self.cuts += 1
        return super().extract(width, a, low)


def test_parts_that_are_shared_are_cut_once() -> None:
    """A hash of some rounds: there are exponentially many ways to its parts."""
    terms = _Counted()
    value: Value = terms.var("seed", 64)
    seed = value
    for _ in range(16):
        high = terms.binary("lshr", 64, value, 60)
        turned = terms.binary("or", 64, terms.mul(64, value, 16), high)
        value = terms.binary("xor", 64, value, turned)
    terms.cuts = 0
    lowest = terms.extract(8, value, 0)
    assert terms.cuts < 1000
    expected = 0x0123456789ABCDEF
    assert isinstance(seed, Term)
    model = {seed.number: expected}
    for _ in range(16):
        expected ^= (expected << 4 | expected >> 60) & mask(64)
    assert evaluate(lowest, model) == expected & 0xFF
