"""Terms are values: equal if they are made of the same, ordered, and rebuilt from their parts."""

from __future__ import annotations

from itertools import combinations
from typing import get_args

import pytest

from heapflow.ir.kinds import CmpPredicate, Op
from heapflow.logic.address import moved, place_of
from heapflow.logic.compare import canonical, constant_of
from heapflow.logic.order import comes_after
from heapflow.logic.term import (
    NULL,
    At,
    Callee,
    Contents,
    Function,
    Global,
    Indexed,
    Inside,
    Int,
    Later,
    Load,
    Local,
    Met,
    Moved,
    Operation,
    Pure,
    Term,
    Turn,
    Undefined,
    Val,
)
from heapflow.logic.walk import parts_of, rebuilt


def _terms() -> list[Term]:
    """Two of each kind but NULL, with the same numbers in them."""
    found: list[Term] = [NULL]
    for n in (3, 4):
        inner = Val(n)
        found += [Int(n), inner, Global(n), Function(n), Local(n), Inside(Global(3), n)]
        found += [Moved(inner, 8), Indexed(inner, 8, ((Val(1), 4),)), Load(inner, 8)]
        found += [Later(inner, 8, 7), Met(inner, 8, 7), Operation(Op.ADD, inner, Int(1))]
        found += [Pure(1, (inner, NULL)), At(9, inner), Callee(inner), Turn(1, inner)]
        found += [Undefined(n), Contents(n)]
    return found


def test_all_kinds_are_here() -> None:
    assert {type(term) for term in _terms()} == set(get_args(Term))


def test_equal_if_made_of_the_same() -> None:
    assert _terms() == _terms()
    assert len(set(_terms() + _terms())) == len(_terms())
    for one, other in combinations(_terms(), 2):
        assert one != other


def test_ordered() -> None:
    for one, other in combinations(_terms(), 2):
        assert comes_after(one, other) != comes_after(other, one), (one, other)


@pytest.mark.parametrize("term", _terms(), ids=repr)
def test_rebuilt_from_its_parts(term: Term) -> None:
    assert rebuilt(term, lambda part: part) == term
    assert term.depth == 1 + max((part.depth for part in parts_of(term)), default=0)


def test_one_spelling_for_both_sides() -> None:
    for one, other in combinations(_terms(), 2):
        if constant_of(one) is not None and constant_of(other) is not None:
            continue  # decided before
        for predicate, swapped in (
            (CmpPredicate.EQ, CmpPredicate.EQ),
            (CmpPredicate.SLT, CmpPredicate.SGT),
        ):
            assert canonical(predicate, one, other) == canonical(swapped, other, one)


def test_addresses() -> None:
    for base in (Val(3), Global(3), Local(3)):
        further = moved(moved(base, 4), 4)
        assert place_of(further) == (base, 8)
        assert moved(further, -8) == base
    assert place_of(moved(Indexed(Val(3), 8, ((Val(1), 4),)), 4)) == (Val(3), None)
