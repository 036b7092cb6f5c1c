"""Compare what heapflow reports with the marks in tests/c/leaks.

In:    Unit.     Out: Comparison: marks that are not reported, reports that are not marked.
A report answers a mark if it has one of the mark's rules and the mark's line is the allocation or one
of the calls that brought the block to where it is lost. A report of a loss in an `_ok` function
answers only an FP mark. Marks `with its owner` are answered by the report of another block, and by that
alone. What is left without a verdict must be marked as such.

python -m tests.leaks.annotated --show [NAME …]    a table per file, for work on the engine
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from heapflow.report.finding import Finding, Place, StepKind
from tests.leaks.sources import Mark, Unit, find_units

Line = tuple[str, int]  # file and number

_CARRIES = (StepKind.ALLOCATED, StepKind.CALL, StepKind.RETURNED)


@dataclass(frozen=True)
class Comparison:
    """Empty `missed` and `wrong`: what is reported equals LEAK ∪ FP."""

    unit: Unit
    answered: tuple[Mark, ...]
    missed: tuple[Mark, ...]
    wrong: tuple[str, ...]
    other_rule: tuple[str, ...]  # of the misses: reported at that line, under another name
    undecided: tuple[str, ...]  # where that differs from the marks
    seconds: float = 0.0

    @property
    def agrees(self) -> bool:
        return not self.missed and not self.wrong and not self.undecided

    def text(self) -> str:
        lines = [f"{self.unit.name}: {len(self.answered)} as marked"]
        lines += [f"  missed  {_where(m)} {m.kind} {m.rule}{_source(m)}" for m in self.missed]
        lines += [f"  rule    {text}" for text in self.other_rule]
        lines += [f"  wrong   {text}" for text in self.wrong]
        lines += [f"  undecided  {text}" for text in self.undecided]
        return "\n".join(lines)


def compare_unit(unit: Unit) -> Comparison:
    from heapflow.api import check

    start = time.perf_counter()
    report = check(*unit.files, root=unit.files[0].parent)
    seconds = time.perf_counter() - start
    assert not report.summary.failed, report.summary.failed
    undecided = {
        (Path(u.allocation.file).name, u.allocation.line) for u in report.summary.undecided
    }
    return compare_findings(unit, report.findings, undecided, seconds)


def compare_findings(
    unit: Unit, findings: tuple[Finding, ...], undecided: Collection[Line], seconds: float = 0.0
) -> Comparison:
    expected = [mark for mark in unit.marks() if mark.kind in ("LEAK", "FP")]
    answers = {
        number: [mark for mark in expected if _answers(finding, mark)]
        for number, finding in enumerate(findings)
    }
    answered = {mark for marks in answers.values() for mark in marks}
    missed = [mark for mark in expected if mark not in answered]
    fixed = {(m.file.name, m.line): m for m in unit.marks() if m.kind == "FN"}
    wrong = [
        describe(finding) + _hint(finding, fixed)
        for number, finding in enumerate(findings)
        if not answers[number]
    ]
    wrong += [
        f"{_where(mark)} is found now: mark it LEAK instead of FN"
        for mark in fixed.values()
        if any(answers[number] and _answers(one, mark) for number, one in enumerate(findings))
    ]
    other = [
        f"{_where(mark)} marked {mark.rule}, reported {finding.rule.value}"
        for mark in missed
        for finding in findings
        if (mark.file.name, mark.line) in places(finding)
    ]
    still_open = tuple(_differing(unit, set(undecided)))
    marked = tuple(sorted(answered))
    return Comparison(unit, marked, tuple(missed), tuple(wrong), tuple(other), still_open, seconds)


def _differing(unit: Unit, undecided: set[Line]) -> Iterator[str]:
    marked = {(mark.file.name, mark.line) for mark in unit.marks() if mark.kind == "OPEN"}
    for name, line in sorted(undecided - marked):
        yield f"{name}:{line} has no verdict: mark it OPEN"
    for name, line in sorted(marked - undecided):
        yield f"{name}:{line} has a verdict now: it is not OPEN"


def places(finding: Finding) -> set[Line]:
    """Lines that a mark for this finding may stand on, what it held included."""
    return own_places(finding) | _lines(finding.lost_with)


def own_places(finding: Finding) -> set[Line]:
    """The same for the block itself."""
    carried = [step.place for step in finding.steps if step.kind in _CARRIES]
    return _lines([finding.allocation, *finding.call_chain, *finding.also_at, *carried])


def _lines(found: Iterable[Place]) -> set[Line]:
    return {(Path(place.file).name, place.line) for place in found}


def describe(finding: Finding) -> str:
    return (
        f"{finding.allocation} {finding.rule.value}, "
        f"lost at {finding.lost} in {finding.lost.function or '?'} by {finding.lost_by.value}"
    )


def _answers(finding: Finding, mark: Mark) -> bool:
    if finding.lost.function.endswith("_ok") and mark.kind != "FP":
        return False
    if finding.rule.value not in mark.rules:
        return False
    line = mark.file.name, mark.line
    if mark.with_owner:
        return line in _lines(finding.lost_with) and line not in own_places(finding)
    return line in own_places(finding)


def _hint(finding: Finding, fixed: dict[tuple[str, int], Mark]) -> str:
    found = places(finding) & fixed.keys()
    return "  (found now: mark it LEAK instead of FN)" if found else ""


def _where(mark: Mark) -> str:
    return f"{mark.file.name}:{mark.line}"


def _source(mark: Mark) -> str:
    text = mark.file.read_text().splitlines()[mark.line - 1].split("//")[0].strip()
    return f"   {text}"


def show(names: list[str]) -> int:
    """The table: one line per file, then what differs."""
    total: Counter[str] = Counter()
    for unit in find_units():
        if names and unit.name not in names:
            continue
        try:
            comparison = compare_unit(unit)
        except Exception as error:  # the table goes on with the next file
            print(f"{unit.name}: {type(error).__name__}: {error}")
            total["broken"] += 1
            continue
        print(comparison.text())
        total["as marked"] += len(comparison.answered)
        total["missed"] += len(comparison.missed)
        total["of them under another rule"] += len(comparison.other_rule)
        total["wrong"] += len(comparison.wrong)
        total["undecided"] += len(comparison.undecided)
        total["files that agree"] += comparison.agrees
        total["files"] += 1
    print("\n" + ", ".join(f"{count} {what}" for what, count in total.items()))
    return 0 if total["files"] == total["files that agree"] and not total["broken"] else 1


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--show", action="store_true", help="print the table per file")
    parser.add_argument("names", nargs="*", help="files or folders of tests/c/leaks, without .c")
    arguments = parser.parse_args()
    return show(arguments.names)


if __name__ == "__main__":
    sys.exit(main())
