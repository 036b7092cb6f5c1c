"""From what the engine found to what the user asked to see.

In:    findings, `Summary`, `Choice`.      Out: `Report`.
Order matters: names become relative first, since patterns, comments and baselines speak of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from heapflow.frontend.access import Access
from heapflow.replay.answer import Outcome
from heapflow.report.baseline import apply_baseline
from heapflow.report.document import KnownFinding, Report
from heapflow.report.finding import Finding, Rule, Summary
from heapflow.report.grouping import group_findings
from heapflow.report.patterns import Pattern, matches
from heapflow.report.places import relative_to, rename_files, rename_summary
from heapflow.report.source import Sources
from heapflow.report.suppressions import apply_suppressions


@dataclass(frozen=True, slots=True)
class Choice:
    """Which findings the user wants to see, and what is known already."""

    rules: frozenset[Rule] = frozenset(Rule)
    include: tuple[Pattern, ...] = ()  # none: everything
    exclude: tuple[Pattern, ...] = ()
    tests: tuple[Pattern, ...] = ()  # told apart: shown last, and no reason to fail
    baseline: tuple[KnownFinding, ...] | None = None
    baseline_name: str = ""  # said of findings that are in it
    unconfirmed: bool = False  # also those for which no losing path was found

    def wants(self, finding: Finding, root: Path) -> bool:
        return (finding.is_confirmed or self.unconfirmed) and self.is_about(finding, root)

    def is_about(self, finding: Finding, root: Path) -> bool:
        """Whether rules and paths leave it in, confirmed or not."""
        return finding.rule in self.rules and self.wants_file(finding.primary.file, root)

    def is_test(self, name: str, root: Path) -> bool:
        return bool(self.tests) and matches(root.absolute() / name, self.tests)

    def wants_file(self, name: str, root: Path) -> bool:
        file = root.absolute() / name
        included = not self.include or matches(file, self.include)
        return included and not matches(file, self.exclude)


def make_report(
    findings: Iterable[Finding],
    summary: Summary,
    root: Path,
    choice: Choice | None = None,
    files: Iterable[str] = (),
    access: Access | None = None,
) -> Report:
    """The report; `files` are searched for suppression comments even if nothing is found in them."""
    choice = choice or Choice()
    rename = relative_to(root)
    renamed = [rename_files(finding, rename) for finding in findings]
    sources = Sources(root, access)
    searched = {rename(file) for file in files}
    # Before any is left out: a comment that holds for a finding that is not shown is in use.
    marked, unused = apply_suppressions(group_findings(renamed), sources, searched, choice.rules)
    shown = tuple(
        replace(finding, in_tests=choice.is_test(finding.allocation.file, root))
        for finding in marked
        if choice.wants(finding, root)
    )
    hidden = sum(not choice.is_about(finding, root) for finding in marked)
    left_open = [
        finding
        for finding in marked
        if finding.outcome == Outcome.NOT_CONFIRMED.value and choice.is_about(finding, root)
    ]
    fixed = None
    if choice.baseline is not None:
        shown, fixed = apply_baseline(
            shown, choice.baseline, choice.baseline_name, lambda one: _is_gone(one, sources)
        )
    return Report(
        findings=tuple(sorted(shown, key=lambda finding: finding.rank)),
        summary=rename_summary(summary, rename),
        root=str(root.absolute()),
        unused=tuple(one for one in unused if choice.wants_file(one.place.file, root)),
        fixed=fixed,
        hidden=hidden,
        left_open=0 if choice.unconfirmed else len(left_open),
        sources=sources,
    )


def _is_gone(entry: KnownFinding, sources: Sources) -> bool:
    """Is a known finding's function no longer in its file?"""
    text = sources.file(entry.file).text
    return re.search(rf"\b{re.escape(entry.function)}\b", text) is None
