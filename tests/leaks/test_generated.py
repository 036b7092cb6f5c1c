"""Property: on generated programs the verdict per allocation is what running all inputs shows.

There is no exception. Disagreements are told by class: the set of a program's features that make it
hard; `plain` has none of them. In some runs one of the first allocations fails.

python -m tests.leaks.test_generated [COUNT [SEED]]     counts, and the programs that disagree
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.leaks.annotated import describe, places
from tests.leaks.execution import can_run, observe_functions
from tests.leaks.generate import PRELUDE, Program, generate_program
from tests.leaks.sources import Function, Param

PER_FILE = 25
BATCHES = 6
_INPUTS = tuple(str(number) for number in range(-2, 6))  # see generate.py: all that matter


@dataclass(frozen=True)
class Disagreement:
    """One allocation of one program: what was seen and what was said."""

    kind: str  # "missed: loop", "wrong: plain"
    program: Program
    text: str


@dataclass(frozen=True)
class Outcome:
    programs: int
    unsafe: int  # thrown away: they crash on some input
    leaking: int  # allocations that leak in some run
    disagreements: tuple[Disagreement, ...]


@dataclass(frozen=True)
class _Batch:
    file: Path
    programs: tuple[Program, ...]
    lines: dict[str, range]  # by entry: its lines, with its helpers


def write_batch(seed: int, file: Path, count: int = PER_FILE) -> _Batch:
    text, lines = PRELUDE, {}
    programs = tuple(
        generate_program(f"entry{number}", seed * 1000 + number) for number in range(count)
    )
    for program in programs:
        first = text.count("\n") + 1
        text += program.text
        lines[program.name] = range(first, text.count("\n") + 1)
        text += "\n"
    file.write_text(text)
    return _Batch(file, programs, lines)


def run_batch(batch: _Batch, work: Path) -> dict[str, set[frozenset[int]] | None]:
    """For each program the stacks of leaked blocks, as sets of lines; None if it is unsafe."""
    params = (Param("int", "a"), Param("int", "b"))
    functions = [Function(p.name, "int", params, batch.file, 0, None) for p in batch.programs]
    observed = observe_functions([batch.file], functions, work, _INPUTS)
    return {
        name: None if seen.crashes else {_lines(stack, batch.file) for stack in seen.stacks}
        for name, seen in observed.items()
        if name in batch.lines
    }


def compare_batch(batch: _Batch, work: Path) -> Outcome:
    from heapflow.api import check

    leaked = run_batch(batch, work)
    findings = check(batch.file, root=batch.file.parent).findings
    disagreements: list[Disagreement] = []
    for program in batch.programs:
        stacks = leaked[program.name]
        if stacks is None:
            continue
        own = batch.lines[program.name]
        reports = {
            describe(finding): found
            for finding in findings
            if (found := frozenset(line for _, line in places(finding) if line in own))
        }
        disagreements += _differences(program, stacks, reports)
    safe = [stacks for stacks in leaked.values() if stacks is not None]
    return Outcome(len(safe), len(leaked) - len(safe), sum(map(len, safe)), tuple(disagreements))


def _differences(
    program: Program, stacks: set[frozenset[int]], reports: dict[str, frozenset[int]]
) -> list[Disagreement]:
    hard = sorted(program.features.intersection(("loop", "alias", "owner")))
    name = "+".join(hard) or "plain"
    found = [
        Disagreement(f"missed: {name}", program, f"leaks from line {max(stack)}")
        for stack in sorted(stacks, key=sorted)
        if not any(stack & report for report in reports.values())
    ]
    found += [
        Disagreement(f"wrong: {name}", program, text)
        for text, report in reports.items()
        if not any(stack & report for stack in stacks)
    ]
    return found


def _lines(stack: Sequence[str], file: Path) -> frozenset[int]:
    places = (place.rsplit(":", 1) for place in stack)
    return frozenset(int(line) for name, line in places if name == file.name and line.isdigit())


@pytest.mark.skipif(not can_run(), reason="needs gcc with AddressSanitizer, and addr2line")
def test_generated_programs_are_worth_running(tmp_path: Path) -> None:
    batch = write_batch(0, tmp_path / "batch.c")
    again = write_batch(0, tmp_path / "again.c")
    assert batch.file.read_text() == again.file.read_text()
    leaked = run_batch(batch, tmp_path)
    safe = [stacks for stacks in leaked.values() if stacks is not None]
    assert len(safe) >= PER_FILE // 2, "too many programs are unsafe"
    assert any(safe), "no program leaks"
    assert not all(safe), "every program leaks"


@pytest.mark.skipif(not can_run(), reason="needs gcc with AddressSanitizer, and addr2line")
def test_verdicts_equal_execution(tmp_path: Path) -> None:
    outcomes = [
        compare_batch(write_batch(seed, tmp_path / f"batch{seed}.c"), tmp_path)
        for seed in range(BATCHES)
    ]
    found = [one for outcome in outcomes for one in outcome.disagreements]
    shortest = min(found, key=lambda one: len(one.program.text), default=None)
    told = f"{_counts(outcomes)}\n{shortest.text}\n{shortest.program.text}" if shortest else ""
    assert sum(outcome.leaking for outcome in outcomes) > BATCHES, "hardly any program leaks"
    assert not found, told


def _counts(outcomes: Sequence[Outcome]) -> str:
    all_found = [one for outcome in outcomes for one in outcome.disagreements]
    counts = Counter(one.kind for one in all_found)
    lines = [
        f"{sum(o.programs for o in outcomes)} programs, {sum(o.unsafe for o in outcomes)} thrown"
        f" away, {sum(o.leaking for o in outcomes)} leaking allocations,"
        f" {len(all_found)} disagreements"
    ]
    lines += [f"  {count:4} {kind}" for kind, count in sorted(counts.items())]
    return "\n".join(lines)


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else BATCHES
    start = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        outcomes = [
            compare_batch(write_batch(seed, work / f"batch{seed}.c"), work)
            for seed in range(start, start + count)
        ]
    found = [one for outcome in outcomes for one in outcome.disagreements]
    for one in sorted(found, key=lambda one: -len(one.program.text)):  # the shortest come last
        print(f"{one.kind}: {one.text}\n{one.program.text}")
    print(_counts(outcomes))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
