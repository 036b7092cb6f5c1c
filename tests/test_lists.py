"""Columns as lists that phases share."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from heapflow.ir import table
from heapflow.ir.table import listed, plain


@pytest.mark.parametrize(
    "numbers",
    [
        [],
        [0, -1, 5, 1023, 1024, 4000],
        [-7, 3],  # no ids
        [2**62, 0],
        list(range(5000, -2, -1)),
    ],
)
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_lists_say_what_columns_say(numbers: list[int], dtype: type) -> None:
    if numbers and dtype is np.int32 and max(numbers) > 2**31:
        return
    column: NDArray[Any] = np.array(numbers, dtype=dtype)
    assert plain(column) == numbers
    assert all(type(number) is int for number in plain(column))


def test_small_columns_and_truth() -> None:
    assert plain(np.array([0, 255], dtype=np.uint8)) == [0, 255]
    assert plain(np.array([True, False])) == [True, False]


def test_ids_are_the_same_objects() -> None:
    first, second = (plain(np.arange(3000, dtype=np.int32)) for _ in range(2))
    assert all(a is b for a, b in zip(first, second, strict=True))


def test_one_list_for_all_as_long_as_the_column_lives() -> None:
    before = len(table._lists)
    column = np.arange(10, dtype=np.int32)
    assert listed(column) is listed(column)
    assert len(table._lists) == before + 1
    del column
    gc.collect()
    assert len(table._lists) == before
