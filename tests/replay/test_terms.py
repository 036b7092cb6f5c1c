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


@settings(max_examples=300, deadline=None)
@given(st.lists(_EXPRESSIONS, min_size=2, max_size=6), st.data())
def test_equal_terms_are_one(several: list[Expression], draw: st.DataObject) -> None:
    """And only these: what was made beside a term, or after it, changes nothing about it."""
    terms = Terms()
    first = [as_term(terms, one) for one in several]
    for one, term in zip(reversed(several), reversed(first), strict=True):
        again = as_term(terms, one)
        assert again == term if isinstance(term, int) else again is term
    values = _chosen(draw, several[0])
    for one in several[1:]:
        values |= {key: at for key, at in _chosen(draw, one).items() if key not in values}
    model = _model(terms, values)
    assert [evaluate(term, model) for term in first] == [
        plain_value(one, values) for one in several
    ]


def test_terms_that_differ_in_one_part_are_two() -> None:
    terms = Terms()
    x, y, wide = terms.var("x", 8), terms.var("y", 8), terms.var("wide", 16)
    made = [
        *(x, y, wide, terms.ult(8, x, y), terms.ult(8, y, x), terms.ult(8, x, 5)),
        *(terms.binary("lshr", 8, x, y), terms.binary("lshr", 8, y, x), terms.mul(8, x, y)),
        *(terms.extract(8, wide, 0), terms.extract(8, wide, 8), terms.extract(4, wide, 0)),
        *(terms.ite(8, terms.ult(8, x, y), x, y), terms.ite(8, terms.ult(8, x, y), y, x)),
    ]
    assert len({id(one) for one in made}) == len(made)


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
