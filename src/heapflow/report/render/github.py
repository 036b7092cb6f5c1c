"""Workflow commands that GitHub shows as annotations on the changed lines."""

from __future__ import annotations

import re

from heapflow.report.document import Report
from heapflow.report.finding import FailedFile, Finding
from heapflow.report.wording import headline, lost_sentence
from heapflow.support.visible import visible


def render_github(report: Report) -> str:
    """One command per finding that counts; the level's name is GitHub's, `note` apart."""
    findings = "".join(_command(finding) for finding in report.active)
    return "".join(_failed(failed) for failed in report.summary.failed) + findings


_POSITION = re.compile(r"^(?P<file>[^:\n]+):(?P<line>\d+)(?::(?P<column>\d+))?: (?:fatal )?error: ")


def _failed(failed: FailedFile) -> str:
    """A file that is not part of what was analysed: it is not clean."""
    found = _POSITION.match(failed.error)
    properties = {"file": failed.file}
    if found is not None and found["file"] == failed.file:
        properties |= {"line": found["line"]} | (
            {"col": found["column"]} if found["column"] else {}
        )
    properties["title"] = "heapflow: not analysed"
    shown = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::error {shown}::{_data(failed.error.strip() or 'not analysed')}\n"


def _command(finding: Finding) -> str:
    level = finding.level.label.replace("note", "notice")
    place = finding.primary
    properties = {"file": place.file, "line": str(max(place.line, 1))}
    if place.column:
        properties["col"] = str(place.column)
    properties["title"] = f"heapflow: {finding.rule.value}"
    shown = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    text = f"{visible(headline(finding))}\n{lost_sentence(finding)}: {visible(str(finding.lost))}"
    text += "".join(f"\n{visible(one)}" for one in finding.remarks)
    return f"::{level} {shown}::{_data(text)}\n"


def _data(text: str) -> str:
    return visible(text, keep="\n").replace("%", "%25").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(visible(text)).replace(":", "%3A").replace(",", "%2C")
