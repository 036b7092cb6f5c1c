"""Terms are values: equal if they are made of the same, ordered, and rebuilt from their parts."""

from __future__ import annotations

from itertools import combinations
from typing import get_args

import pytest

from heapflow.ir.ids import BlockId, FuncId, GlobalId, InstrId, ValueId
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
        value, block, instr = ValueId(n), BlockId(n), InstrId(n)
        inner, one, three = Val(value), Val(ValueId(1)), Global(GlobalId(3))
        found += [Int(n), inner, Global(GlobalId(n)), Function(FuncId(n)), Local(value)]
        found += [Inside(three, n), Moved(inner, 8), Indexed(inner, 8, ((one, 4),))]
        found += [Load(inner, 8), Later(inner, 8, InstrId(7)), Met(inner, 8, BlockId(7))]
        found += [Operation(Op.ADD, inner, Int(1)), Pure(FuncId(1), (inner, NULL))]
        found += [At(InstrId(9), inner), Callee(inner), Turn(1, inner)]
        found += [Undefined(block), Contents(instr)]
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
    for base in (Val(ValueId(3)), Global(GlobalId(3)), Local(ValueId(3))):
        further = moved(moved(base, 4), 4)
        assert place_of(further) == (base, 8)
        assert moved(further, -8) == base
    three, one = Val(ValueId(3)), Val(ValueId(1))
    assert place_of(moved(Indexed(three, 8, ((one, 4),)), 4)) == (three, None)
