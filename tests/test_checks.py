"""`--check-phases`: the guarantees of all tables hold on a real run, and a broken one is named."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from heapflow import pipeline
from heapflow.checks import check_stage1
from heapflow.config import Config
from heapflow.frontend.inputs import find_inputs
from heapflow.guards.book import GuardBook
from heapflow.guards.check import check_guards
from heapflow.ir.ids import FuncId
from heapflow.leaks.check import check_verdicts
from heapflow.leaks.detect import Detection
from heapflow.pointsto.analyse import solve_points_to
from heapflow.replay.answer import Outcome, Replayed
from heapflow.replay.check import check_answers
from heapflow.stages import candidates
from heapflow.support.errors import InternalError
from heapflow.support.run import Run

EXAMPLE = Path(__file__).parent / "c" / "leaks" / "saber_tse14_fig02.c"


def _run(config: Config) -> list[str]:
    run = Run()
    pipeline.analyse(find_inputs([str(EXAMPLE)]), config, run)
    return [phase.name for phase in run.phases]


def _uncached(check: bool) -> Config:
    config = Config(check_phases=check)
    return replace(config, frontend=replace(config.frontend, use_cache=False))


def test_phases_are_checked_when_asked() -> None:
    assert "checks" in _run(_uncached(check=True))
    assert "checks" not in _run(_uncached(check=False))


HANDED_FAR = """#include <stdlib.h>
static char *inner(int n) { char *p = malloc(2); if (n > 3) return 0; return p; }
static char *middle(int n) { char *p = inner(n); if (n > 2) return 0; return p; }
static char *outer(int n) { char *p = middle(n); if (n > 1) return 0; return p; }
int main(int n, char **v) { free(outer(n)); return v != 0; }
"""


def test_a_block_that_leaks_may_be_open_above(tmp_path: Path) -> None:
    """What callers do with a block is not followed beyond a bound: it leaks here all the same."""
    (tmp_path / "a.c").write_text(HANDED_FAR)
    config = _uncached(check=True)
    run = Run()
    config = replace(config, leaks=replace(config.leaks, deepest_chain=1))
    pipeline.analyse(find_inputs([str(tmp_path / "a.c")]), config, run)
    assert run.limits_hit["calls through which an object is returned"] > 0


def test_what_nothing_is_left_for_says_so() -> None:
    """A path was seen, and no search could be afforded that looks into it."""
    config = _uncached(check=True)
    searches = replace(config.replay, refine_per_instruction=0, least_refine=0)
    searches = replace(searches, second_per_instruction=0, least_second=0)
    searches = replace(searches, passing_per_instruction=0, least_passing=0)
    searches = replace(searches, long_per_instruction=0, least_long=0)
    config = replace(config, replay=searches)
    found = pipeline.analyse(find_inputs([str(EXAMPLE)]), config, Run()).findings
    assert any(one.bounds == ("budget of searches",) for one in found)


def test_a_broken_table_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    solve = solve_points_to

    def broken(*arguments: Any) -> Any:
        points_to, calls = solve(*arguments)
        return replace(points_to, value_set=points_to.value_set[:-1]), calls

    monkeypatch.setattr(candidates, "build_memory_ssa", lambda points_to, *rest: points_to)
    monkeypatch.setattr(candidates, "build_svfg", lambda *rest: None)
    monkeypatch.setattr(candidates, "solve_points_to", broken)
    with pytest.raises(InternalError, match="one set number per value"):
        _run(_uncached(check=True))


def _stage1(monkeypatch: pytest.MonkeyPatch) -> tuple[GuardBook, Detection]:
    """What the first stage of a run computed; its own check found nothing."""
    seen: list[tuple[GuardBook, Detection]] = []

    def noted(book: GuardBook, detection: Detection) -> None:
        check_stage1(book, detection)
        seen.append((book, detection))

    monkeypatch.setattr(candidates, "check_stage1", noted)
    _run(_uncached(check=True))
    return seen[0]


def test_conditions_of_blocks_are_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    book, _ = _stage1(monkeypatch)
    guards = book.guards(book.known()[0])
    block = guards.cfg.entry
    guards.reach[block], right = book.space.false, guards.reach[block]
    with pytest.raises(InternalError, match="does not always come to the entry"):
        check_guards(book)
    guards.reach[block] = right
    check_guards(book)
    guards.returns = book.space.literal(book.space.new_variable())
    guards.exit = book.space.false
    with pytest.raises(InternalError, match="returns and does not leave"):
        check_guards(book)


def test_verdicts_are_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    book, detection = _stage1(monkeypatch)
    verdict = detection.leaks[0]
    verdict.leaks, right = book.space.false, verdict.leaks
    with pytest.raises(InternalError, match="a leak that never happens"):
        check_verdicts(detection, book.context)
    verdict.leaks, verdict.source.func = right, FuncId(verdict.source.func + 1)
    with pytest.raises(InternalError, match="in another function than that of its call"):
        check_verdicts(detection, book.context)


@pytest.mark.parametrize(
    ("answer", "broken"),
    [
        (Replayed(Outcome.CONFIRMED), "confirmed, and no path"),
        (Replayed(Outcome.REFUTED, bounds=("steps",)), "refuted, with a path or a bound"),
        (Replayed(Outcome.NOT_CONFIRMED), "no bound that says why"),
    ],
)
def test_answers_are_checked(answer: Replayed, broken: str) -> None:
    check_answers(1, [Replayed(Outcome.REFUTED)])
    with pytest.raises(InternalError, match=broken):
        check_answers(2, [Replayed(Outcome.REFUTED), answer])
    with pytest.raises(InternalError, match="2 questions, 1 answers"):
        check_answers(2, [answer])
