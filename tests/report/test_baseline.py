"""Baselines recognise what they know after edits, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from heapflow.report.baseline import (
    apply_baseline,
    dump_baseline,
    known,
    parse_baseline,
    read_baseline,
)
from heapflow.report.finding import (
    BaselineState,
    Finding,
    LostBy,
    Place,
    Rule,
    Step,
    StepKind,
    SuppressedBy,
    Suppression,
)
from heapflow.report.places import rename_files
from heapflow.support.errors import UserError
from tests.report.samples import at_exit, conditional, findings, overwritten


def moved(finding: Finding, lines: int) -> Finding:
    def at(place: Place) -> Place:
        return replace(place, line=place.line + lines)

    steps = tuple(replace(step, place=at(step.place)) for step in finding.steps)
    return replace(finding, allocation=at(finding.allocation), lost=at(finding.lost), steps=steps)


def reworded(finding: Finding, kind: StepKind, text: str) -> Finding:
    steps = tuple(replace(step, text=text) if step.kind is kind else step for step in finding.steps)
    return replace(finding, steps=steps)


def renamed_function(finding: Finding, name: str) -> Finding:
    place = replace(finding.allocation, function=name)
    return replace(finding, allocation=place)


_SURVIVES: list[Callable[[Finding], Finding]] = [
    lambda one: moved(one, 100),
    lambda one: reworded(one, StepKind.BRANCH, "number == 0"),  # a renamed parameter
    lambda one: reworded(one, StepKind.CALL, "new_name"),  # a renamed callee
    lambda one: replace(reworded(one, StepKind.LOST, "fresh"), variable="fresh"),
    lambda one: replace(one, steps=one.steps[:1] + one.steps[-1:]),  # a branch less on the way
]


@pytest.mark.parametrize("edit", _SURVIVES)
@pytest.mark.parametrize("finding", findings(), ids=lambda one: str(one.rule.value))
def test_survives(edit: Callable[[Finding], Finding], finding: Finding) -> None:
    marked, fixed = apply_baseline([edit(finding)], [known(finding)], "known")
    assert [one.baseline for one in marked] == [BaselineState.UNCHANGED]
    assert marked[0].suppressed == Suppression(SuppressedBy.BASELINE, "known")
    assert fixed == ()


_SURVIVES_IF_THE_OLD_IS_GONE: list[Callable[[Finding], Finding]] = [
    lambda one: renamed_function(one, "renamed"),
    lambda one: rename_files(one, lambda name: f"moved/{name}"),
]


@pytest.mark.parametrize("edit", _SURVIVES_IF_THE_OLD_IS_GONE)
@pytest.mark.parametrize("is_gone", [True, False])
def test_moved_or_new(edit: Callable[[Finding], Finding], is_gone: bool) -> None:
    """The same leak in another function is a rename only if the old function is not there."""
    entries = [known(conditional())]
    marked, fixed = apply_baseline([edit(conditional())], entries, "", lambda _: is_gone)
    assert marked[0].baseline is (BaselineState.UNCHANGED if is_gone else BaselineState.NEW)
    assert len(fixed) == (0 if is_gone else 1)


def test_line_numbers_are_not_in_the_file() -> None:
    assert dump_baseline([conditional()]) == dump_baseline([moved(conditional(), 1000)])


def test_one_entry_stands_for_one_finding() -> None:
    """A second leak of the same kind in the same function is new."""
    second = moved(conditional(), 50)
    marked, _ = apply_baseline([conditional(), second], [known(conditional())], "")
    assert [one.baseline for one in marked] == [BaselineState.UNCHANGED, BaselineState.NEW]


def test_other_faults_are_new_and_old_ones_fixed() -> None:
    other = replace(conditional(), rule=Rule.NEVER_FREED)
    marked, fixed = apply_baseline([other], [known(conditional()), known(at_exit())], "")
    assert [one.baseline for one in marked] == [BaselineState.NEW]
    assert marked[0].suppressed is None
    assert [one.rule for one in fixed] == ["conditional-leak", "leak-at-exit"]


def test_exact_matches_come_before_weak_ones() -> None:
    """Two leaks of one variable: the edited one must not take the other's entry."""
    first = conditional()
    second = reworded(conditional(), StepKind.BRANCH, "m == 7")
    edited = reworded(first, StepKind.BRANCH, "n <= 0")
    marked, fixed = apply_baseline([edited, second], [known(second), known(first)], "")
    assert [one.baseline for one in marked] == [BaselineState.UNCHANGED] * 2
    assert fixed == ()


def test_file_keeps_everything(tmp_path: Path) -> None:
    path = tmp_path / "known.json"
    path.write_text(dump_baseline(findings()))
    assert sorted(map(str, read_baseline(path))) == sorted(str(known(one)) for one in findings())
    assert path.read_text() == dump_baseline(reversed(findings()))


def test_comments_are_left_to_the_comment() -> None:
    by_comment = replace(overwritten(), suppressed=Suppression(SuppressedBy.COMMENT, "meant"))
    by_baseline = replace(at_exit(), suppressed=Suppression(SuppressedBy.BASELINE))
    entries = parse_baseline(dump_baseline([by_comment, by_baseline]), "x")
    assert [entry.rule for entry in entries] == ["leak-at-exit"]


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"format": 1, "findings": [{}]}', "null"])
def test_other_files_are_refused(text: str) -> None:
    with pytest.raises(UserError, match="not a baseline"):
        parse_baseline(text, "x.json")


def test_other_formats_are_refused() -> None:
    with pytest.raises(UserError, match="baseline format 9"):
        parse_baseline('{"format": 9, "findings": []}', "x.json")


def test_missing_file_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="--write-baseline"):
        read_baseline(tmp_path / "gone.json")


def test_fingerprint_ignores_space_and_lines_but_not_words() -> None:
    finding = conditional()
    assert moved(finding, 3).fingerprint == finding.fingerprint
    spaced = reworded(finding, StepKind.BRANCH, " n  ==\n0 ")
    other = reworded(finding, StepKind.BRANCH, "n == 0")
    assert spaced.fingerprint == other.fingerprint
    assert reworded(finding, StepKind.BRANCH, "n == 1").fingerprint != finding.fingerprint
    assert replace(finding, lost_by=LostBy.LOOP).fingerprint == finding.fingerprint
    step = Step(StepKind.BRANCH, finding.allocation, "x", "false")
    assert replace(finding, steps=(step,)).fingerprint != finding.fingerprint
