"""`heapflow functions` and `heapflow dump points-to`, as the user calls them."""

from __future__ import annotations

import subprocess
import sys

from tests.pointsto.truth import PROGRAMS


def heapflow(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "heapflow", *arguments, "--no-cache"]
    flags = ["--", f"-I{PROGRAMS}"]
    return subprocess.run(
        [*command, *flags], capture_output=True, text=True, timeout=120, check=False
    )


def test_functions_lists_allocators_with_the_reason() -> None:
    done = heapflow("functions", str(PROGRAMS / "wrappers.c"))
    assert done.returncode == 0, done.stderr
    assert "xmalloc: allocator, result, found: `malloc` at" in done.stdout
    assert "make_pair: allocator, argument 1, found: `xzalloc`" in done.stdout
    assert "xfree: deallocator, argument 1, found: `free`" in done.stdout
    lines = done.stdout.splitlines()
    assert len(lines) == len(set(lines))


def test_dump_points_to() -> None:
    done = heapflow("dump", "points-to", str(PROGRAMS / "swaps.c"))
    assert done.returncode == 0, done.stderr
    assert "swap.x -> {main.p}\n" in done.stdout


def test_statistics() -> None:
    done = heapflow("dump", "points-to", "--stats", str(PROGRAMS / "function_tables.c"))
    assert done.returncode == 0, done.stderr
    assert "mean" in done.stdout
    assert "calls by value: 5 resolved, 0 unresolved" in done.stdout
