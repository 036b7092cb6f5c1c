"""Programs with containers under LeakSanitizer: direct leaks are reported, and what is reported leaks.

Every program runs over all inputs that matter, and again with each of its first allocations failing.

python -m tests.leaks.test_containers [BATCHES [SEED [SET]]]   rates, programs that disagree
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.leaks.annotated import describe, places
from tests.leaks.containers import FURTHER, KINDS, PRELUDE, THIRD, generate_container
from tests.leaks.containers_fifth import FIFTH
from tests.leaks.containers_fourth import FOURTH
from tests.leaks.containers_sixth import SIXTH
from tests.leaks.execution import can_run, observe_functions
from tests.leaks.generate import Program
from tests.leaks.sources import Function, Param

PER_FILE = 12
BATCHES = 3
Kinds = tuple[Callable[[random.Random], str], ...]
SETS = {
    "first": KINDS,
    "further": FURTHER,
    "third": THIRD,
    "fourth": FOURTH,
    "fifth": FIFTH,
    "sixth": SIXTH,
}
_INPUTS = ("-1", "0", "1", "2", "3", "4", "5", "6")
REPORTED = 0.97  # of the direct leaks
WITHOUT_A_LEAK = 0.04  # of the reports


@dataclass
class Rates:
    """What was seen and said of some programs."""

    programs: int = 0
    unsafe: int = 0
    direct: int = 0
    missed: list[tuple[Program, str]] = field(default_factory=list)
    reports: int = 0
    wrong: list[tuple[Program, str]] = field(default_factory=list)

    def text(self) -> str:
        kinds = Counter(f"missed: {_kind(p)}" for p, _ in self.missed)
        kinds += Counter(f"without a leak: {_kind(p)}" for p, _ in self.wrong)
        reported, right = self.direct - len(self.missed), self.reports - len(self.wrong)
        lines = [
            f"{self.programs} programs, {self.unsafe} thrown away",
            f"{reported} of {self.direct} direct leaks reported",
            f"{right} of {self.reports} reports are leaks",
        ]
        return "\n".join(lines + [f"  {count:4} {kind}" for kind, count in sorted(kinds.items())])


def _kind(program: Program) -> str:
    return "".join(program.features)


def compare(
    seed: int, work: Path, rates: Rates, kinds: Kinds = KINDS, count: int = PER_FILE
) -> None:
    """Run a batch of programs and check them; what came of it is added to the rates."""
    from heapflow.api import check

    programs = [
        generate_container(f"entry{number}", seed * count + number, kinds)
        for number in range(count)
    ]
    file, text, lines = work / f"containers{seed}.c", PRELUDE, {}
    for program in programs:
        first = text.count("\n") + 1
        text += program.text
        lines[program.name] = range(first, text.count("\n") + 1)
    file.write_text(text)
    params = (Param("int", "a"), Param("int", "b"))
    functions = [Function(p.name, "int", params, file, 0, None) for p in programs]
    observed = observe_functions([file], functions, work, _INPUTS)
    findings = check(file, root=work).findings
    for program in programs:
        seen, own = observed[program.name], lines[program.name]
        if seen.crashes:
            rates.unsafe += 1
            continue
        rates.programs += 1
        reports = {
            describe(finding): found
            for finding in findings
            if (found := {line for _, line in places(finding) if line in own})
        }
        all_lines = {stack: _lines(stack, file) for stack in seen.stacks}
        rates.direct += len(seen.direct)
        rates.missed += [
            (program, f"line {sorted(all_lines[stack])} of {own}")
            for stack in sorted(seen.direct)
            if not any(all_lines[stack] & found for found in reports.values())
        ]
        rates.reports += len(reports)
        rates.wrong += [
            (program, said)
            for said, found in reports.items()
            if not any(found & stack for stack in all_lines.values())
        ]


def _lines(stack: tuple[str, ...], file: Path) -> set[int]:
    parts = (place.rsplit(":", 1) for place in stack)
    return {int(line) for name, line in parts if name == file.name and line.isdigit()}


def test_every_kind_is_made() -> None:
    made = [generate_container("f", seed) for seed in range(60)]
    assert {_kind(program) for program in made} == {kind.__name__ for kind in KINDS}
    assert len({program.text for program in made}) > 40
    assert generate_container("f", 7).text == generate_container("f", 7).text


@pytest.mark.skipif(not can_run(), reason="needs gcc with AddressSanitizer, and addr2line")
def test_direct_leaks_are_reported_and_reports_leak(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rates = Rates()
    for seed in range(BATCHES):
        compare(seed, tmp_path, rates)
    with capsys.disabled():
        print("\n" + rates.text())
    assert rates.programs >= BATCHES * PER_FILE - 3, "too many programs are unsafe"
    assert rates.direct >= BATCHES * PER_FILE // 3, "hardly a program leaks"
    assert len(rates.missed) <= (1 - REPORTED) * rates.direct, rates.missed
    assert len(rates.wrong) <= WITHOUT_A_LEAK * rates.reports, rates.wrong


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else BATCHES
    start = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    kinds = SETS["".join(sys.argv[3:]) or "first"]
    rates = Rates()
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(start, start + count):
            compare(seed, Path(folder), rates, kinds)
    for what, found in (("missed", rates.missed), ("without a leak", rates.wrong)):
        for program, said in found:
            print(f"{what}: {said}\n{program.text}")
    print(rates.text())
    return 0


if __name__ == "__main__":
    sys.exit(main())
