"""GitLab's code-quality report: a list of issues with unique fingerprints."""

from __future__ import annotations

import hashlib
import json

from heapflow.report.document import Report, with_ordinals
from heapflow.report.finding import Finding, Level
from heapflow.report.wording import headline
from heapflow.support.visible import escape_json, visible

_SEVERITY = {Level.ERROR: "major", Level.WARNING: "minor", Level.NOTE: "info"}


def render_gitlab(report: Report) -> str:
    issues = [
        {
            "description": visible(_description(finding)),
            "check_name": finding.rule.value,
            "fingerprint": hashlib.sha256(f"{finding.fingerprint}:{ordinal}".encode()).hexdigest(),
            "severity": _SEVERITY[finding.level],
            "location": {
                "path": finding.primary.file,
                "lines": {"begin": max(finding.primary.line, 1)},
            },
        }
        for finding, ordinal in with_ordinals(report.active)
    ]
    return escape_json(json.dumps(issues, indent=1, ensure_ascii=False)) + "\n"


def _description(finding: Finding) -> str:
    return "; ".join((f"{headline(finding)} (lost at {finding.lost})", *finding.remarks))
