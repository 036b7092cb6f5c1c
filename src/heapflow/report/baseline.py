"""What was known before: a file of findings that later runs do not count.

A finding is recognised by its fingerprint, which has no line numbers; where that changed, by weaker
keys one after the other, each old entry standing for one finding only: the same variable in the same
function, the same way of losing it under other names and, where the old function is gone, the same
expression in another function of the file or in a function of that name elsewhere. So moved lines and
renamed neighbours do not make an old finding new.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import asdict, fields, replace
from pathlib import Path

from heapflow.report.document import KnownFinding
from heapflow.report.finding import (
    BaselineState,
    Finding,
    StepKind,
    SuppressedBy,
    Suppression,
)
from heapflow.support.errors import UserError
from heapflow.support.files import Refusal, read_regular
from heapflow.support.visible import escape_json

_LARGEST = 512 * 1024**2  # bytes
FORMAT = 1
_Key = Callable[[KnownFinding], object]
_KEYS: tuple[_Key, ...] = (
    lambda one: one.fingerprint,
    lambda one: (one.rule, one.file, one.function, one.allocator, one.variable, one.lost_by),
    lambda one: (one.rule, one.file, one.function, one.allocator, one.lost_by, one.shape),
)
_KEYS_OF_MOVED: tuple[_Key, ...] = (
    lambda one: (one.rule, one.file, one.allocator, one.expression, one.variable, one.shape),
    lambda one: (one.rule, one.function, one.allocator, one.expression, one.variable, one.shape),
)


def known(finding: Finding) -> KnownFinding:
    """The part of a finding that a baseline keeps."""
    expression = next((s.text for s in finding.steps if s.kind is StepKind.ALLOCATED), "")
    return KnownFinding(
        rule=finding.rule.value,
        file=finding.allocation.file,
        function=finding.allocation.function,
        allocator=finding.allocator,
        variable=finding.variable,
        lost_by=finding.lost_by.value,
        expression=expression,
        shape=" ".join(step.kind.value + (step.taken or "") for step in finding.steps),
        fingerprint=finding.fingerprint,
    )


def dump_baseline(findings: Iterable[Finding]) -> str:
    """A baseline of the given findings; those that a comment suppresses are left to the comment."""
    entries = [
        asdict(known(finding))
        for finding in findings
        if finding.suppressed is None or finding.suppressed.by is SuppressedBy.BASELINE
    ]
    entries.sort(key=lambda entry: tuple(entry.values()))
    document = {"format": FORMAT, "findings": entries}
    return escape_json(json.dumps(document, indent=1, ensure_ascii=False)) + "\n"


def read_baseline(path: Path) -> tuple[KnownFinding, ...]:
    try:
        data = read_regular(path, _LARGEST)
    except Refusal as error:
        raise UserError(
            f"{path}: cannot read the baseline: {error}\n"
            f"  make one with:  heapflow check … --write-baseline {path}"
        ) from None
    return parse_baseline(data.decode("utf-8", "replace"), str(path))


def parse_baseline(text: str, name: str) -> tuple[KnownFinding, ...]:
    try:
        data = json.loads(text)
        version = data["format"]
        if version != FORMAT:
            raise UserError(f"{name}: baseline format {version}; this version reads {FORMAT}")
        names = [field.name for field in fields(KnownFinding)]
        return tuple(
            KnownFinding(*(str(entry[name]) for name in names)) for entry in data["findings"]
        )
    except (ValueError, KeyError, TypeError, RecursionError):
        raise UserError(
            f"{name}: not a baseline\n  make one with:  heapflow check … --write-baseline {name}"
        ) from None


def apply_baseline(
    findings: Iterable[Finding],
    entries: Iterable[KnownFinding],
    reason: str,
    is_gone: Callable[[KnownFinding], bool] = lambda _: False,
) -> tuple[tuple[Finding, ...], tuple[KnownFinding, ...]]:
    """Findings marked new or unchanged, and the entries that no finding matched: fixed ones.

    `is_gone` says whether an entry's function is no longer in its file.
    """
    findings = tuple(findings)
    current = [known(finding) for finding in findings]
    unmatched = list(range(len(findings)))
    left = list(entries)
    for key in _KEYS:
        unmatched, left = _match(key, current, unmatched, left)
    gone = [entry for entry in left if is_gone(entry)] if unmatched else []
    if gone:
        left = [entry for entry in left if entry not in gone]
        for key in _KEYS_OF_MOVED:
            unmatched, gone = _match(key, current, unmatched, gone)
    new = frozenset(unmatched)
    marked = tuple(_state(finding, index in new, reason) for index, finding in enumerate(findings))
    return marked, tuple(left + gone)


def _match(
    key: _Key, current: list[KnownFinding], unmatched: list[int], left: list[KnownFinding]
) -> tuple[list[int], list[KnownFinding]]:
    """One round: pair what has the same key, one to one; what is left over on both sides."""
    waiting: dict[object, list[int]] = {}
    for position, entry in enumerate(left):
        waiting.setdefault(key(entry), []).append(position)
    paired: set[int] = set()
    still = []
    for index in unmatched:
        candidates = waiting.get(key(current[index]))
        if candidates:
            paired.add(candidates.pop(0))
        else:
            still.append(index)
    return still, [entry for position, entry in enumerate(left) if position not in paired]


def _state(finding: Finding, is_new: bool, reason: str) -> Finding:
    if is_new:
        return replace(finding, baseline=BaselineState.NEW)
    suppressed = finding.suppressed or Suppression(SuppressedBy.BASELINE, reason)
    return replace(finding, baseline=BaselineState.UNCHANGED, suppressed=suppressed)
