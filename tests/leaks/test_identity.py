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


def test_a_function_of_a_header_is_told_of_once(tmp_path: Path) -> None:
    (tmp_path / "made.h").write_text(
        "#include <stdlib.h>\n"
        "static int made(int n) { char *p = malloc(4); if (n) return 1; free(p); return 0; }\n"
    )
    files = [tmp_path / "one.c", tmp_path / "other.c"]
    for file in files:
        file.write_text(f'#include "made.h"\nint {file.stem}(int n) {{ return made(n); }}\n')
    found = analyse_files(files)
    assert [(one.allocation.function, one.rule.value) for one in found] == [
        ("made", "conditional-leak")
    ]
