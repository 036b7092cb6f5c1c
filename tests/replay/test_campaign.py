"""Rounds end at their budget, or earlier where they settle nothing."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from heapflow.replay import campaign
from heapflow.replay.answer import Outcome, Replayed
from heapflow.replay.campaign import Asked, Round, replay_in_rounds
from heapflow.replay.config import ReplayConfig
from heapflow.support.run import Run

STEPS = 100  # of each candidate
OPEN, REFUTED = Outcome.NOT_CONFIRMED, Outcome.REFUTED


def settled(
    monkeypatch: pytest.MonkeyPatch, outcomes: list[Outcome], budget: int, patience: int
) -> tuple[int, Run]:
    """How many candidates were executed, one after the other."""
    replayed: list[int] = []

    def replay(knowledge: Any, asked: list[Asked], *more: Any) -> list[Replayed]:
        replayed.extend(one.func for one in asked)
        return [Replayed(outcomes[one.func], steps=STEPS, hurried=True) for one in asked]

    monkeypatch.setattr(campaign, "_replay", replay)
    asked = [Asked(lambda: pytest.fail("never made"), number) for number in range(len(outcomes))]
    knowledge: Any = SimpleNamespace(size=lambda func: 1)
    one = Round(ReplayConfig(most_steps=budget + 1), budget, "searches", patience=patience)
    run = Run()
    replay_in_rounds(knowledge, asked, (one,), 1, run)
    assert replayed == list(range(len(replayed)))
    return len(replayed), run


def test_without_patience_the_budget_ends_a_round(monkeypatch: pytest.MonkeyPatch) -> None:
    assert settled(monkeypatch, [OPEN] * 20, 1000, 0)[0] == 10


def test_a_round_that_settles_nothing_ends_early(monkeypatch: pytest.MonkeyPatch) -> None:
    done, run = settled(monkeypatch, [OPEN] * 20, 1000, 300)
    assert done == 3
    assert run.limits_hit["replay: candidates beyond the budget of searches"] == 17


def test_an_answer_begins_it_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    outcomes = [OPEN, OPEN, REFUTED] + [OPEN] * 17
    assert settled(monkeypatch, outcomes, 1000, 300)[0] == 6


def test_the_budget_ends_a_round_that_settles_much(monkeypatch: pytest.MonkeyPatch) -> None:
    assert settled(monkeypatch, [REFUTED] * 20, 1000, 300)[0] == 10


def test_candidates_in_loops_leave_scouts_for_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    replayed: list[tuple[int, bool]] = []

    def replay(
        knowledge: Any, asked: list[Asked], skips: list[bool], one: Round, *more: Any
    ) -> list[Replayed]:
        replayed.extend(zip((one.func for one in asked), skips, strict=True))
        steps = one.config.most_search_steps
        return [Replayed(OPEN, bounds=("steps",), steps=steps, hurried=True) for _ in asked]

    monkeypatch.setattr(campaign, "_replay", replay)
    config = ReplayConfig()
    count = config.least_scout // config.scout_search_steps
    asked = [Asked(lambda: pytest.fail("never made"), number) for number in range(count)]
    knowledge: Any = SimpleNamespace(size=lambda func: 1, instr_block=[])
    campaign.replay_all(knowledge, asked, config, 1, Run())
    assert replayed[:count] == [(number, False) for number in range(count)]
    assert replayed[count] == (0, True)
