"""Abstract numbers against all numbers of a small width."""

from __future__ import annotations

import itertools

import pytest

from heapflow.invariants.abstract import (
    Abstract,
    calculated,
    compared,
    cut,
    holds,
    join,
    narrowed,
    sign,
    signed,
    widened,
)
from heapflow.ir.kinds import CmpPredicate, Op

WIDTH = 4
NUMBERS = range(-8, 8)
VALUES: tuple[Abstract, ...] = (
    *range(1, 8),
    *map(frozenset, ([0], [1], [-1, 3], [0, 2, 5], [-8, 7])),
)
OPERATIONS = {
    Op.ADD: lambda a, b: a + b,
    Op.SUB: lambda a, b: a - b,
    Op.MUL: lambda a, b: a * b,
    Op.AND: lambda a, b: a & b,
    Op.OR: lambda a, b: a | b,
    Op.XOR: lambda a, b: a ^ b,
}


def members(value: Abstract) -> list[int]:
    if isinstance(value, frozenset):
        return sorted(value)
    return [number for number in NUMBERS if sign(number) & value]


def contains(value: Abstract, number: int) -> bool:
    return number in value if isinstance(value, frozenset) else bool(value & sign(number))


@pytest.mark.parametrize("predicate", list(CmpPredicate), ids=lambda one: one.name)
def test_comparisons_say_all_that_can_be(predicate: CmpPredicate) -> None:
    for one, other in itertools.product(VALUES, VALUES):
        said = compared(predicate, one, other, WIDTH)
        for a, b in itertools.product(members(one), members(other)):
            assert contains(said, int(holds(predicate, a, b, WIDTH)))


@pytest.mark.parametrize("predicate", list(CmpPredicate), ids=lambda one: one.name)
def test_what_passes_a_test_is_left(predicate: CmpPredicate) -> None:
    for value, constant in itertools.product(VALUES, NUMBERS):
        left = narrowed(value, predicate, constant, WIDTH)
        for number in members(value):
            if holds(predicate, number, constant, WIDTH):
                assert contains(left, number)


@pytest.mark.parametrize("op", OPERATIONS, ids=lambda one: one.name)
def test_results_are_among_what_is_said(op: Op) -> None:
    """As long as nothing wraps around: `step` 0 lets constants wrap, and sums of unknowns are any."""
    for one, other in itertools.product(VALUES, VALUES):
        said = calculated(op, 0, WIDTH, one, other, most=8, step=0)
        for a, b in itertools.product(members(one), members(other)):
            assert contains(said, signed(OPERATIONS[op](a, b), WIDTH))


def test_a_counter_stays_positive() -> None:
    value: Abstract = frozenset((1,))
    for _ in range(12):
        value = join(value, calculated(Op.ADD, 0, 32, value, frozenset((1,)), 8, 1 << 16), 8)
    assert value == sign(1)


def test_casts() -> None:
    for value in VALUES:
        for number in members(value):
            assert contains(widened(value, WIDTH), number & 15)
            assert contains(cut(value, 2), signed(number, 2))
