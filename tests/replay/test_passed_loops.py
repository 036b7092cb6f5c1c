"""Loops that have nothing to do with a block are passed; what a decision rests on is looked into."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from heapflow.config import Config
from heapflow.pipeline import analyse_files

FILE = Path(__file__).resolve().parent.parent / "c" / "leaks" / "passed_loops.c"


def _found(skips_loops: bool) -> set[str]:
    config = Config()
    config = replace(config, replay=replace(config.replay, skips_loops=skips_loops))
    return {one.allocation.function for one in analyse_files([FILE], config=config)}


def test_what_is_behind_long_loops_is_found_by_passing_them() -> None:
    found = _found(skips_loops=True)
    assert found - _found(skips_loops=False) >= {
        "before_the_block_bad",
        "while_it_is_there_bad",
        "counted_up_bad",
        "looked_at_by_callee_bad",
    }
    assert not any(name.endswith("_ok") for name in found)
