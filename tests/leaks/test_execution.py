"""The marks in tests/c/leaks are true: each file's functions, run under LeakSanitizer.

A `_bad` function leaks on some input, an `_ok` function on none; every leaked block was allocated
on, or through a call on, a line marked LEAK or FN; every such mark is seen, if its function can be run
at all; and what is marked `never-freed` is not freed by another run of the same lines.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.leaks.execution import Observed, can_run, observe_leaks
from tests.leaks.sources import RULES, Function, Mark, Unit, find_units

UNITS = find_units()


def _id(unit: Unit) -> str:
    return unit.name


@pytest.mark.parametrize("unit", UNITS, ids=_id)
def test_marks_are_well_formed(unit: Unit) -> None:
    for mark in unit.marks():
        if mark.kind == "OPEN":
            continue
        unknown = set(mark.rules).difference(RULES)
        assert not unknown, f"{mark.file.name}:{mark.line}: unknown rules {unknown}"
        if mark.kind != "LEAK":
            assert mark.reason, f"{mark.file.name}:{mark.line}: {mark.kind} without a reason"
    names = [function.name for function in unit.functions()]
    assert names or unit.not_run, "no function to test"
    assert len(names) == len(set(names)), "two functions of one name"


@pytest.mark.skipif(not can_run(), reason="needs gcc with AddressSanitizer, and addr2line")
@pytest.mark.parametrize("unit", UNITS, ids=_id)
def test_marks_hold_in_execution(unit: Unit, tmp_path: Path) -> None:
    if unit.not_run:
        pytest.skip("it calls functions that nobody defines")
    observed = observe_leaks(unit, tmp_path)
    functions = {f.name: f for f in unit.functions() if f.not_run is None}
    true_marks = [m for m in unit.marks() if m.kind in ("LEAK", "FN")]
    lines = {f"{m.file.name}:{m.line}" for m in true_marks}
    problems = [
        problem
        for name, function in functions.items()
        for problem in _problems(function, observed[name], lines)
    ]
    problems += _unseen(unit, true_marks, observed)
    problems += [
        f"{mark.file.name}:{mark.line}: marked never-freed, but other runs free it"
        for mark in true_marks
        if mark.rule == "never-freed"
        and any(
            f"{mark.file.name}:{mark.line}" in stack
            for seen in observed.values()
            for stack in seen.also_freed
        )
    ]
    assert not problems, "\n" + "\n".join(problems)


def _problems(function: Function, seen: Observed, marked: set[str]) -> list[str]:
    where = f"{function.file.name}:{function.line}: {function.name}"
    problems = [f"{where} crashes on {crash}" for crash in seen.crashes]
    if function.name.endswith("_ok") and seen.leaked:
        problems.append(f"{where} leaks: {sorted(seen.stacks)}")
    if function.leaks and not seen.leaked:
        problems.append(f"{where} does not leak on any input")
    problems += [
        f"{where} leaks a block from unmarked lines {' < '.join(stack)}"
        for stack in sorted(seen.stacks)
        if not marked.intersection(stack)
    ]
    return problems


def _unseen(unit: Unit, marks: list[Mark], observed: dict[str, Observed]) -> list[str]:
    lines = {place for seen in observed.values() for stack in seen.stacks for place in stack}
    skipped = [f for f in unit.functions() if f.not_run is not None]
    return [
        f"{mark.file.name}:{mark.line}: marked {mark.kind} {mark.rule}, but nothing leaks from there"
        for mark in marks
        if f"{mark.file.name}:{mark.line}" not in lines and not _inside(mark, skipped, unit)
    ]


def _inside(mark: Mark, skipped: list[Function], unit: Unit) -> bool:
    """Is the mark's line in a function that cannot be run?"""
    above = [f for f in unit.functions() if f.file == mark.file and f.line <= mark.line]
    return bool(above) and max(above, key=lambda f: f.line) in skipped
