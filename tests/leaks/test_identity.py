"""Blocks that are made at one place of the source are findings of their own."""

from __future__ import annotations

from pathlib import Path

from heapflow.pipeline import analyse_files

FILE = Path(__file__).parent.parent / "c" / "leaks" / "executed_paths.c"


def test_two_blocks_at_one_place_are_two_findings() -> None:
    found = [
        (finding.lost.function, finding.variable)
        for finding in analyse_files([FILE])
        if finding.lost.function.startswith("both_")
    ]
    assert sorted(found) == [
        ("both_in_a_macro_bad", "first"),
        ("both_in_a_macro_bad", "second"),
        ("both_results_bad", "first"),
        ("both_results_bad", "second"),
    ]
