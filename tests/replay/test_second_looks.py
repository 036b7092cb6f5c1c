"""Short looks at what seems safe: the nearest first, the others if one of these sees a loss."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from heapflow.replay import secondlook
from heapflow.replay.config import ReplayConfig
from heapflow.replay.glance import Glance
from heapflow.support.run import Run

# 12 looks are affordable, a third of them are the nearest.
CONFIG = ReplayConfig(glance_steps=100, least_glance_steps=1200, patient_part=3)
KNOWLEDGE: Any = SimpleNamespace(instr_block=[], size=lambda func: func)


def looked_at(
    monkeypatch: pytest.MonkeyPatch, lost: set[int], limited: set[int] | None = None
) -> tuple[list[int], list[bool]]:
    """Functions of which a block was looked at, of ten of which the last is the smallest; and what
    was seen of each."""
    wave: list[Any] = [
        SimpleNamespace(source=SimpleNamespace(func=func, chain=(func,)))
        for func in range(9, -1, -1)
    ]

    def look(knowledge: Any, verdicts: list[Any], *more: Any) -> list[Glance]:
        return [Glance(lost=one.source.func in lost, steps=100) for one in verdicts]

    monkeypatch.setattr(secondlook, "_glances", look)
    limits = [one for one in wave if one.source.func in (limited or ())]
    kept, glances = secondlook._short_looks(KNOWLEDGE, wave, limits, CONFIG, 1, Run())
    return [one.source.func for one in kept], [glance.lost for glance in glances]


def test_where_nothing_is_lost_only_the_nearest_are_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert looked_at(monkeypatch, set()) == ([3, 2, 1, 0], [False] * 4)
    assert looked_at(monkeypatch, {7})[0] == [3, 2, 1, 0]


def test_a_loss_among_the_nearest_pays_for_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    funcs, lost = looked_at(monkeypatch, {2, 7})
    assert funcs == list(range(9, -1, -1))
    assert [func for func, is_lost in zip(funcs, lost, strict=True) if is_lost] == [7, 2]


def test_what_a_limit_makes_safe_is_looked_at_in_any_case(monkeypatch: pytest.MonkeyPatch) -> None:
    assert looked_at(monkeypatch, {8}, {8}) == ([8, 3, 2, 1, 0], [True] + [False] * 4)
