"""The fast solver against the naive one on random constraint systems."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heapflow.pointsto.offline import reduce_system
from heapflow.pointsto.solve import Solution, solve
from heapflow.pointsto.system import ANYWHERE, NO_FILTER, CallKind, System, SystemBuilder
from heapflow.support.bitset import members
from tests.pointsto.naive import Naive

SHAPES = 5  # 0: function, 1: scalar, 2: three words, 3: array of two words, 4: any size
FILTERS = 3


@dataclass(frozen=True)
class ToyLayouts:
    """A few shapes of every sort that the real layouts have."""

    def cell_offset(self, shape: int, offset: int) -> int:
        match shape:
            case 0 | 1:
                return offset if offset == 0 else -1
            case 2:
                return offset if 0 <= offset < 24 else -1
            case 3:
                return offset % 16
            case _:
                return offset if 0 <= offset < 64 else -1

    def admits(self, type_filter: int, shape: int, offset: int) -> bool:
        return shape == 4 or (shape + offset // 8) % FILTERS == type_filter

    def content_filter(self, shape: int, offset: int) -> int:
        return 1 if (shape, offset) in ((2, 8), (3, 0), (4, 16)) else NO_FILTER

    def pointer_offsets(self, shape: int) -> tuple[int, ...]:
        return ((), (0,), (0, 8, 16), (0, 8), ())[shape]

    def element_size(self, shape: int) -> int:
        return 16 if shape == 3 else 0

    def admits_somewhere(self, type_filter: int, shape: int) -> bool:
        return shape == 4

    def is_untyped(self, shape: int) -> bool:
        return shape == 4

    def is_shapeless(self, shape: int) -> bool:
        return shape == 4

    def copies(self, target: int, offset: int, source: int, source_offset: int) -> bool:
        return (target, source) != (2, 3)


@st.composite
def systems(draw: st.DrawFn) -> System:
    b = SystemBuilder()
    number_of_vars = draw(st.integers(4, 14))
    var = st.integers(0, number_of_vars - 1)
    maybe_var = st.integers(-1, number_of_vars - 1)
    some_filter = st.sampled_from([NO_FILTER] * 4 + list(range(FILTERS)))
    delta = st.sampled_from([0, 8, -8, 16, 24, 4, ANYWHERE])
    for _ in range(number_of_vars):
        b.add_var(draw(some_filter))
    number_of_funcs = draw(st.integers(0, 3))
    for _ in range(number_of_funcs):
        params = draw(st.lists(maybe_var, max_size=3))
        b.add_func(params, draw(maybe_var), draw(maybe_var), draw(st.integers(0, 1)))
    for func in range(number_of_funcs):
        b.add_object(0, func)
    for _ in range(draw(st.integers(1, 5))):
        b.add_object(draw(st.integers(1, SHAPES - 1)))
    obj = st.integers(0, len(b.objects) - 1)
    for _ in range(draw(st.integers(1, 8))):
        b.address(draw(var), draw(obj), draw(st.sampled_from([0, 0, 8, 24])))
    for _ in range(draw(st.integers(0, 12))):
        b.copy(draw(var), draw(var))
    for _ in range(draw(st.integers(0, 6))):
        b.gep(draw(var), draw(var), draw(delta), draw(some_filter))
    for _ in range(draw(st.integers(0, 6))):
        b.load(draw(var), draw(var))
        b.store(draw(var), draw(var))
    for _ in range(draw(st.integers(0, 3))):
        b.memcpy(draw(var), draw(var), draw(st.sampled_from([-1, 8, 16, 24, 40])))
    for _ in range(draw(st.integers(0, 3))):
        kind = draw(st.sampled_from(CallKind))
        args = draw(st.lists(maybe_var, min_size=1, max_size=4))
        b.call(draw(maybe_var), args, draw(maybe_var), draw(st.integers(-1, 1)), kind)
    return b.freeze(np.array([[True, False], [True, True]]))


def places(solution: Solution, bits: int) -> set[tuple[int, int]]:
    cells = solution.cells
    return {(cells.obj[cell], cells.offset[cell]) for cell in members(bits)}


def assert_same(system: System, fast: Solution, var_of: list[int], layouts: ToyLayouts) -> None:
    naive = Naive(system, layouts)
    naive.run()
    for var in range(system.var_count):
        found = places(fast, fast.var_set[var_of[var]]) if var_of[var] >= 0 else set()
        assert found == naive.pts(var), f"variable {var}"
    for cell, bits in enumerate(fast.cell_set):
        place = (fast.cells.obj[cell], fast.cells.offset[cell])
        assert places(fast, bits) == naive.content.get(place, set()), f"place {place}"
    missing = {p for p, held in naive.content.items() if held}
    assert missing <= set(zip(fast.cells.obj, fast.cells.offset, strict=True))
    for call, funcs in enumerate(fast.targets):
        assert set(funcs) == naive.targets.get(call, set())


@settings(max_examples=400, deadline=None)
@given(systems())
def test_solver_agrees_with_the_naive_fixpoint(system: System) -> None:
    identity = list(range(system.var_count))
    assert_same(system, solve(system, ToyLayouts()), identity, ToyLayouts())


@settings(max_examples=400, deadline=None)
@given(systems())
def test_offline_merging_changes_nothing(system: System) -> None:
    reduced, var_of = reduce_system(system)
    assert_same(system, solve(reduced, ToyLayouts()), var_of.tolist(), ToyLayouts())


@settings(max_examples=200, deadline=None)
@given(systems())
def test_relays_lose_nothing(system: System) -> None:
    naive = Naive(system, ToyLayouts())
    naive.run()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("heapflow.pointsto.copying.RELAY_PAIRS", 0)
        found = solve(system, ToyLayouts())
    for var in range(system.var_count):
        assert places(found, found.var_set[var]) >= naive.pts(var), f"variable {var}"


@settings(max_examples=400, deadline=None)
@given(systems(), st.integers(1, 4))
def test_objects_that_become_one_place_lose_nothing(system: System, most: int) -> None:
    naive = Naive(system, ToyLayouts())
    naive.run()
    found = solve(system, ToyLayouts(), most_places=most)
    whole = found.cells.whole

    def joined(places: set[tuple[int, int]]) -> set[tuple[int, int]]:
        return {(obj, 0 if obj in whole else offset) for obj, offset in places}

    for var in range(system.var_count):
        assert joined(places(found, found.var_set[var])) >= joined(naive.pts(var)), (
            f"variable {var}"
        )
    held = {
        (found.cells.obj[cell], found.cells.offset[cell]): bits
        for cell, bits in enumerate(found.cell_set)
        if found.cells.whole.get(found.cells.obj[cell], cell) == cell
    }
    for place, content in naive.content.items():
        if content:
            (stands,) = joined({place})
            if stands not in held:
                # What memory is copied to needs no cell as long as nothing points there.
                pointed = {p for var in range(system.var_count) for p in naive.pts(var)}
                assert stands not in joined(pointed), f"place {place}"
                continue
            assert joined(places(found, held[stands])) >= joined(content), f"place {place}"
    for call, funcs in naive.targets.items():
        assert set(found.targets[call]) >= funcs


def test_a_pointer_that_walks_through_a_block_reaches_one_place() -> None:
    b = SystemBuilder()
    walker, start, loaded = b.add_var(), b.add_var(), b.add_var()
    block, other = b.add_object(4), b.add_object(1)
    b.address(start, block)
    b.copy(walker, start)
    b.gep(walker, walker, 8)
    held = b.add_var()
    b.address(held, other)
    b.store(walker, held)
    b.load(loaded, start)
    system = b.freeze(np.array([[True]]))
    apart = solve(system, ToyLayouts(), most_places=8)
    assert not apart.cells.whole
    assert apart.var_set[walker].bit_count() == 8
    one = solve(system, ToyLayouts(), most_places=4)
    assert list(one.cells.whole) == [block]
    assert places(one, one.var_set[loaded]) == {(other, 0)}


def test_what_takes_too_many_steps_is_unknown() -> None:
    """A mesh of pointers to each other: every load makes edges from everything."""
    b = SystemBuilder()
    count = 120
    found = [b.add_var() for _ in range(count)]
    objects = [b.add_object(1) for _ in range(count)]
    for number in range(count):
        b.address(found[number], objects[number])
        b.store(found[number], found[(number + 1) % count])
        b.load(found[(number + 5) % count], found[number])
    system = b.freeze(np.array([[True]]))
    all_of_it = solve(system, ToyLayouts())
    assert not all_of_it.lowered
    assert not all_of_it.many
    bounded = solve(system, ToyLayouts(), steps_each=1)
    assert bounded.lowered
    for var, bits in enumerate(all_of_it.var_set):
        known = places(bounded, bounded.var_set[var])
        assert var in bounded.many or known <= places(all_of_it, bits)
    assert bounded.many
