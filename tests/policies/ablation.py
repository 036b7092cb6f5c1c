"""What every assumption of stage 1 changes, over all annotated programs.

python -m tests.policies.ablation [NAME …]     a line per policy, and one per program that changes

In:    names of policies (all, if none is given).
Out:   objects, candidates and findings gained and lost.
Findings without an answer (`--all`) count as findings, with their outcome.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from heapflow.config import Config
from heapflow.frontend.inputs import find_inputs
from heapflow.pipeline import analyse
from heapflow.policies.table import NAMES
from heapflow.report.finding import Finding
from heapflow.support.run import Run, cpu_seconds
from tests.leaks.sources import find_units

_CANDIDATES = ("candidates of the Boolean stage", "candidates of the second look")
_FOLLOWED = "objects followed, those handed to callers included"


@dataclass(frozen=True)
class Result:
    """One program, analysed with some policies."""

    followed: int  # objects, those included that callers get
    candidates: tuple[int, ...]  # of stage 1, and of the second look
    findings: tuple[Finding, ...]  # without the policies that they name
    told: tuple[Finding, ...]  # with them
    acted: dict[str, int]  # by policy in force
    seconds: float = 0.0


def analysed(files: Iterable[Path], without: tuple[str, ...] = ()) -> Result:
    """What is proposed and what is found, also without an answer."""
    run, start, named = Run(), cpu_seconds(), list(files)
    inputs = find_inputs([str(file) for file in named], [])
    result = analyse(inputs, Config(without=without), run, named[0].parent)
    proposed = tuple(run.counters[what] for what in _CANDIDATES)
    acted = dict(result.summary.policies)
    bare = tuple(replace(finding, policies=()) for finding in result.findings)
    followed = run.counters[_FOLLOWED]
    return Result(followed, proposed, bare, result.findings, acted, cpu_seconds() - start)


def _told(finding: Finding) -> str:
    place = finding.allocation
    return f"{place.file}:{place.line} {finding.rule.value} ({finding.outcome})"


def main(names: list[str]) -> None:
    units = find_units()
    before = {unit.name: analysed(unit.files) for unit in units}
    for name in names or NAMES:
        lines: list[str] = []
        more, objects, seconds = 0, 0, 0.0
        for unit in units:
            one = before[unit.name]
            if not one.acted[name]:
                continue
            other = analysed(unit.files, (name,))
            seconds += other.seconds - one.seconds
            objects += other.followed - one.followed
            more += sum(other.candidates) - sum(one.candidates)
            had, has = set(map(_told, one.findings)), set(map(_told, other.findings))
            lines += [f"    + {text}" for text in sorted(has - had)]
            lines += [f"    - {text}" for text in sorted(had - has)]
        told = f"{objects:+} objects followed, {more:+} candidates, {seconds:+.1f} s of CPU"
        print(f"without {name}: {told}", *lines, sep="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
