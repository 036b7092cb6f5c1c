"""Everything that a renderer gets: the findings in order and what belongs to the whole run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from heapflow.report.finding import BaselineState, Finding, Level, Place, Summary
from heapflow.report.source import Sources


@dataclass(frozen=True, slots=True)
class UnusedSuppression:
    """A comment that no finding needs."""

    place: Place
    text: str  # as written: `ignore[never-freed]`
    hint: str = ""  # what is wrong with it, if anything


@dataclass(frozen=True, slots=True)
class KnownFinding:
    """A line of a baseline, enough to recognise the finding and to name it."""

    rule: str
    file: str
    function: str
    allocator: str
    variable: str
    lost_by: str
    expression: str
    shape: str  # kinds of the steps and which way branches went
    fingerprint: str


@dataclass(frozen=True)
class Report:
    """What the user asked for, ready to be formatted."""

    findings: tuple[Finding, ...]  # in order, suppressed ones too
    summary: Summary = field(default_factory=Summary)
    root: str = "."  # what relative file names mean
    unused: tuple[UnusedSuppression, ...] = ()
    fixed: tuple[KnownFinding, ...] | None = None  # in the baseline, gone now; None: no baseline
    hidden: int = 0  # dropped by rule selection and path patterns
    left_open: int = 0  # not shown, since a bound ended the search for an execution
    sources: Sources = field(default_factory=Sources, compare=False)
    made: str = ""  # date of the run, for pages that are kept
    command: str = ""  # that made it

    @cached_property
    def active(self) -> tuple[Finding, ...]:
        """Those that count."""
        return tuple(finding for finding in self.findings if finding.suppressed is None)

    @property
    def introduced(self) -> int:
        return sum(finding.baseline is BaselineState.NEW for finding in self.active)

    @property
    def unchanged(self) -> int:
        return sum(finding.baseline is BaselineState.UNCHANGED for finding in self.findings)

    @property
    def nothing_analysed(self) -> bool:
        """Not one function was looked at: the opposite of clean."""
        return self.summary.functions == 0

    @property
    def complete(self) -> bool:
        """All that was given was analysed, and every allocation was decided."""
        summary = self.summary
        gaps = (summary.failed, summary.undecided, summary.stopped, summary.other_languages)
        return not (self.nothing_analysed or self.dropped or any(gaps))

    @property
    def dropped(self) -> tuple[str, ...]:
        """Functions that could not be compiled without the build."""
        return tuple(name for one in self.summary.guessed for name in one.guesses.dropped)


def by_level(findings: Iterable[Finding]) -> list[tuple[Level, int]]:
    """How many of each level, worst first; levels without any are left out."""
    counts = Counter(finding.level for finding in findings)
    return [(level, counts[level]) for level in sorted(Level, reverse=True) if counts[level]]


def with_ordinals(findings: Iterable[Finding]) -> list[tuple[Finding, int]]:
    """Findings with equal fingerprints numbered in their order, from 1."""
    seen: Counter[str] = Counter()
    numbered = []
    for finding in findings:
        seen[finding.fingerprint] += 1
        numbered.append((finding, seen[finding.fingerprint]))
    return numbered
