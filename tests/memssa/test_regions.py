"""Regions of a function from the sets of its accesses and calls."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from heapflow.memssa.config import MemoryModel
from heapflow.memssa.regions import behaviours, partition_regions, without_subsets

SETS = st.lists(st.integers(1, (1 << 12) - 1), max_size=12)


def test_subset_is_dropped() -> None:
    assert partition_regions([0b11, 0b10], [], 0, MemoryModel.REGIONS) == [0b11]


def test_locals_are_apart() -> None:
    assert partition_regions([0b111], [], 0b011, MemoryModel.REGIONS) == [0b001, 0b010, 0b100]


def test_call_costs_its_behaviours() -> None:
    """5,000 locations that three calls treat in four ways are four regions."""
    everything = (1 << 5000) - 1
    half, quarter = (1 << 2500) - 1, (1 << 1250) - 1
    called = [everything, half, quarter | ((1 << 1250) - 1) << 2500]
    assert len(partition_regions([], called, 0, MemoryModel.REGIONS)) == 4


def test_distinct() -> None:
    assert partition_regions([0b11], [0b100], 0, MemoryModel.DISTINCT) == [1, 2, 4]


@given(SETS, SETS, st.integers(0, (1 << 12) - 1))
def test_laws(accessed: list[int], called: list[int], local: int) -> None:
    regions = partition_regions(accessed, called, local, MemoryModel.REGIONS)
    covered = 0
    for region in regions:
        covered |= region
        assert region & local in (0, region)
        assert not any(region & other == region for other in regions if other is not region)
    for places in accessed + called:
        assert places & ~covered == 0


@given(SETS, SETS)
def test_parts_lie_inside_or_outside(sets: list[int], called: list[int]) -> None:
    rest = 0
    for bits in sets:
        rest |= bits
    parts = behaviours(rest, called) if rest else []
    assert sum(parts) == rest
    assert all(part & places in (0, part) for part in parts for places in called)


@given(st.sets(st.integers(1, 255)))
def test_without_subsets(sets: set[int]) -> None:
    kept = without_subsets(sets)
    assert all(any(bits & other == bits for other in kept) for bits in sets)
    assert set(kept) <= sets
