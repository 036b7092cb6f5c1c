"""Summaries that hold for several location sets, and how deep memory is followed in recursions."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from heapflow.config import Config
from heapflow.flow.config import LeakConfig
from heapflow.flow.sharing import Comparisons, first_that_fits
from heapflow.frontend.inputs import find_inputs
from heapflow.pipeline import analyse
from heapflow.support.run import Run

ANNOTATED = Path(__file__).parent.parent / "c" / "leaks"
SETS = [0b0001, 0b0110, 0b1000]  # location sets by number


def compared(met: list[int], missed: list[int], depth: int = 0, cut: bool = False) -> Comparisons:
    found = Comparisons(is_cut=cut)
    for number in met:
        found.note(number, True)
    for number in missed:
        found.note(number, False)
    found.finish(SETS, depth)
    return found


@pytest.mark.parametrize("bits", range(16))
def test_a_set_fits_if_it_meets_and_misses_the_same(bits: int) -> None:
    found = compared(met=[1], missed=[0])
    assert found.fit(bits, 0) == (bool(bits & SETS[1]) and not bits & SETS[0])


def test_a_callees_comparisons_count_where_it_looks() -> None:
    caller = Comparisons()
    caller.include(compared(met=[1], missed=[0, 2]), seen=0b0011)
    caller.finish(SETS, 0)
    assert caller.fit(0b0010, 0)
    assert caller.fit(0b1010, 0), "the callee does not see the last place"
    assert not caller.fit(0b0100, 0), "nor the third one, which it met"
    assert not caller.fit(0b0011, 0)


def test_what_is_not_known_is_not_shared() -> None:
    caller = Comparisons()
    caller.include(None, seen=-1)
    assert not caller.is_complete
    another = Comparisons()
    another.include(caller, seen=-1)
    assert not another.is_complete


def test_what_was_cut_off_is_shared_as_deep_only() -> None:
    caller = Comparisons()
    caller.use(compared([], [], depth=3, cut=True))
    caller.finish(SETS, 2)
    known = [(caller, "cut off"), (compared([], [], depth=0), "whole")]
    assert [first_that_fits(known, 1, depth) for depth in (0, 1, 2, 3)] == [
        "whole",
        "whole",
        "cut off",
        "cut off",
    ]
    assert first_that_fits(known[:1], 1, 0) is None


def places(files: list[str], **limits: object) -> list[tuple[str, int, str]]:
    config = Config()
    config = replace(config, leaks=replace(config.leaks, **limits))  # type: ignore[arg-type]
    found = analyse(find_inputs(files), config, Run()).findings
    return [(f.allocation.file, f.allocation.line, str(f.rule)) for f in found]


@pytest.mark.parametrize(
    "name", ["shared_summaries.c", "real_shapes.c", "history_container_payload.c", "contexts.c"]
)
def test_sharing_changes_no_verdict(name: str) -> None:
    files = [str(ANNOTATED / name)]
    assert places(files) == places(files, share_summaries=False)


RECURSION = """#include <stdlib.h>
#include <string.h>
struct box { char *text; };
static void first(struct box *, int);
static void third(struct box *b, int n) { if (n > 100) first(b, n - 1); free(b->text); }
static void second(struct box *b, int n) { third(b, n); }
static void first(struct box *b, int n) { second(b, n); }
int use(const char *s, int n) {
  struct box box = {strdup(s)};
  first(&box, n);
  return 0;
}
"""


def test_memory_is_followed_less_deep_in_a_large_recursion(tmp_path: Path) -> None:
    (tmp_path / "box.c").write_text(RECURSION, encoding="utf-8")
    files = [str(tmp_path / "box.c")]
    assert places(files) == []
    assert places(files, large_recursion=3) == [], "three functions are not more than three"
    run = Run()
    config = replace(Config(), leaks=LeakConfig(large_recursion=2))
    found = analyse(find_inputs(files), config, run).findings
    assert [f.allocation.line for f in found] == [9], "the release is the third call down"
    assert run.limits_hit["depth of summaries"] > 0
