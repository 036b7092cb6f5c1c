"""Conditions against their truth tables."""

from __future__ import annotations

from functools import cache
from itertools import product
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heapflow.logic.space import Guard, GuardOverflow, GuardSpace, conjunction

VARIABLES = 4
ROWS = list(product((False, True), repeat=VARIABLES))
# One truth value per row.
tables = st.tuples(*[st.booleans() for _ in ROWS])
Table = tuple[bool, ...]


@cache  # a space takes as long to make as a hundred examples
def make_space() -> GuardSpace:
    space = GuardSpace()
    for _ in range(VARIABLES):
        space.new_variable()
    return space


def guard_of(space: GuardSpace, table: Table) -> Guard:
    rows = [dict(enumerate(row)) for row, holds in zip(ROWS, table, strict=True) if holds]
    return space.any_of(space.cube(row) for row in rows)


def holds(space: GuardSpace, guard: Guard, row: tuple[bool, ...]) -> bool:
    """Walk down the nodes, as the row says."""
    while (variable := guard.node_var()) is not None:
        high, low = space.branches(guard)
        guard = high if row[variable] else low
    return space.is_true(guard)


def table_of(space: GuardSpace, guard: Guard) -> Table:
    return tuple(holds(space, guard, row) for row in ROWS)


@given(tables, tables)
def test_operations(left: Table, right: Table) -> None:
    space = make_space()
    a, b = guard_of(space, left), guard_of(space, right)
    pairs = list(zip(left, right, strict=True))
    assert table_of(space, a & b) == tuple(x and y for x, y in pairs)
    assert table_of(space, a | b) == tuple(x or y for x, y in pairs)
    assert table_of(space, ~a) == tuple(not x for x in left)
    assert (a == b) == (left == right)
    assert space.is_false(a) == (not any(left))
    assert space.is_true(a) == all(left)


@given(tables, st.sets(st.integers(0, VARIABLES - 1)))
def test_forget(table: Table, variables: set[int]) -> None:
    space = make_space()
    found = table_of(space, space.forget(guard_of(space, table), variables))
    value = dict(zip(ROWS, table, strict=True))
    for row, is_kept in zip(ROWS, found, strict=True):
        choices = [(False, True) if i in variables else (bit,) for i, bit in enumerate(row)]
        assert is_kept == any(value[other] for other in product(*choices))


@given(tables, tables)
def test_given(table: Table, care: Table) -> None:
    space = make_space()
    guard, known = guard_of(space, table), guard_of(space, care)
    found = space.given(guard, known)
    assert space.is_false((found ^ guard) & known)
    assert space.size(found) <= space.size(guard)


@given(tables, tables, st.integers(0, VARIABLES - 1))
def test_substitute(table: Table, other: Table, variable: int) -> None:
    space = make_space()
    found = space.substitute(guard_of(space, table), {variable: guard_of(space, other)})
    value = dict(zip(ROWS, table, strict=True))
    expected = []
    for row, replacing in zip(ROWS, other, strict=True):
        changed = (*row[:variable], replacing, *row[variable + 1 :])
        expected.append(value[changed])
    assert table_of(space, found) == tuple(expected)


@given(tables)
def test_support_is_what_matters(table: Table) -> None:
    space = make_space()
    value = dict(zip(ROWS, table, strict=True))
    matters = {
        i
        for row in ROWS
        for i in range(VARIABLES)
        if value[row] != value[(*row[:i], not row[i], *row[i + 1 :])]
    }
    assert space.support(guard_of(space, table)) == matters


@given(tables, st.booleans())
def test_one_solution(table: Table, prefers: bool) -> None:
    space = make_space()
    chosen = space.one_solution(guard_of(space, table), prefers)
    if chosen is None:
        assert not any(table)
        return
    for row, is_one in zip(ROWS, table, strict=True):
        if all(row[variable] == value for variable, value in chosen.items()):
            assert is_one


@given(tables)
def test_size(table: Table) -> None:
    """One of a negation, too; a literal has three nodes, its leaves included."""
    space = make_space()
    guard = guard_of(space, table)
    assert space.size(guard) == space.size(~guard)
    assert space.size(space.literal(1)) == space.size(space.literal(1, positive=False)) == 3
    assert len(space.support(guard)) < space.size(guard)


def achilles(space: GuardSpace, first: int, pairs: int) -> Guard:
    """x0·y0 + x1·y1 + … with all x before all y: 2^pairs nodes."""
    return space.any_of(
        space.literal(first + k) & space.literal(first + pairs + k) for k in range(pairs)
    )


@cache
def large_space() -> GuardSpace:
    space = GuardSpace()
    for _ in range(96):
        space.new_variable()
    return space


def test_an_operation_that_is_too_large_overflows() -> None:
    """Each operand is small enough; together they are beyond all bounds, which is said at once."""
    space = large_space()
    left, right = achilles(space, 0, 12), achilles(space, 24, 12)
    crossed = space.any_of(
        space.literal(k) & space.literal(95 - k) & space.literal(48 + k) for k in range(14)
    )
    with pytest.raises(GuardOverflow):
        (left ^ crossed) & (right ^ crossed) & (left | ~right | crossed)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=20, deadline=None)
def test_node_by_node_is_the_same(seed: int) -> None:
    space, random = large_space(), Random(seed)
    a, b = (
        space.any_of(
            space.cube({random.randrange(20): random.random() < 0.5 for _ in range(5)})
            for _ in range(8)
        )
        for _ in range(2)
    )
    assert conjunction(a.at, b.at) == a.at & b.at
    assert conjunction(~a.at, b.at) == ~a.at & b.at
