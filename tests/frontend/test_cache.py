"""The cache keeps what it is given, or nothing."""

from __future__ import annotations

import os
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path

import pytest

from heapflow.frontend.cache import Cache, cache_directory, digest, format_size, parse_size
from heapflow.support.errors import UserError

KEY = digest("key")


def entries(cache: Cache) -> list[Path]:
    return [path for path in cache.root.rglob("*") if path.is_file()]


def test_round_trip(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    assert cache.get("unit", KEY) is None
    cache.put("unit", KEY, b"data")
    assert cache.get("unit", KEY) == b"data"
    assert cache.get("other", KEY) is None


DAMAGES: list[Callable[[bytes], bytes]] = [
    lambda data: data[:-1],
    lambda data: data[:3],
    lambda data: data[:-1] + b"x",
    lambda data: b"",
]


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_entry_is_absent_and_removed(
    tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    cache = Cache(tmp_path)
    cache.put("unit", KEY, b"some data")
    (path,) = entries(cache)
    path.write_bytes(damage(path.read_bytes()))
    assert cache.get("unit", KEY) is None
    assert not entries(cache)


def test_parts_of_a_key_do_not_run_together() -> None:
    assert digest("ab", "c") != digest("a", "bc")


def test_trim_removes_the_longest_unused(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    for number in range(4):
        key = digest(str(number))
        cache.put("unit", key, bytes(1000))
        os.utime(cache.root / "unit" / key[:2] / key[2:], (number, number))
    cache.get("unit", digest("0"))  # used again: now the newest
    cache.trim(2200)
    left = [number for number in range(4) if cache.get("unit", digest(str(number)))]
    assert left == [0, 3]


def test_trim_happens_only_over_the_limit(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.put("unit", KEY, bytes(1000))
    assert cache.trim_if_over(5000) == 0
    assert cache.trim_if_over(500) > 0


def test_clear(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.put("unit", KEY, b"data")
    assert cache.clear() > 0
    assert cache.use().entries == 0
    assert cache.clear() == 0


def test_unwritable_cache_does_not_stop_anything(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    cache = Cache(tmp_path / "file")
    cache.put("unit", KEY, b"data")
    assert cache.get("unit", KEY) is None


def _hammer(place: Path, seed: int) -> bool:
    cache = Cache(place)
    whole = True
    for round_ in range(200):
        key = digest(str(round_ % 7))
        cache.put("unit", key, bytes([round_ % 7]) * 5000)
        found = cache.get("unit", key)
        whole = whole and (found is None or found == bytes([round_ % 7]) * 5000)
        if round_ % 50 == seed:
            cache.trim(0)
    return whole


def test_concurrent_runs_see_whole_entries(tmp_path: Path) -> None:
    with get_context("fork").Pool(4) as pool:
        assert all(pool.starmap(_hammer, [(tmp_path, seed) for seed in range(4)]))


def test_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/x/cache")
    assert cache_directory() != Path("/x/cache/heapflow")  # HEAPFLOW_CACHE_DIR comes first
    monkeypatch.delenv("HEAPFLOW_CACHE_DIR")
    assert cache_directory() == Path("/x/cache/heapflow")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert cache_directory() == Path.home() / ".cache" / "heapflow"


@pytest.mark.parametrize(
    ("text", "size"), [("12", 12), ("1K", 1024), ("1.5M", 1572864), ("2GiB", 2**31), ("0", 0)]
)
def test_sizes(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "big", "-1", "1X", "nan"])
def test_wrong_sizes(text: str) -> None:
    with pytest.raises(UserError, match="not a size"):
        parse_size(text)


def test_format_size() -> None:
    assert [format_size(n) for n in (5, 2048, 3 * 2**30)] == ["5 bytes", "2.0 KB", "3.0 GB"]
