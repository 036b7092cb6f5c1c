"""One self-contained page: findings, their steps in the source, the value-flow slice as a picture.

The page carries data, styles and scripts and loads nothing. Sources stand in blocks of their own, so
that a browser parses a file only when one of its findings is shown.
"""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

from heapflow.report.document import Report, by_level, with_ordinals
from heapflow.report.explain import brief, rule_page
from heapflow.report.finding import Finding, Place, Rule, Slice, Step
from heapflow.report.render.summary import render_summary
from heapflow.report.source import Sources
from heapflow.report.wording import example_sentence, headline, sentence
from heapflow.support.visible import visible
from heapflow.version import __version__

Json = dict[str, Any]
_SCRIPTS = ("list.js", "source.js", "graph.js", "overview.js", "app.js")
WHOLE_FILE = 4_000  # lines; of a longer file only what surrounds the steps is carried
AROUND = 60  # lines kept before and after a step


def render_html(report: Report) -> str:
    files = _Files(report)
    data = {
        "version": __version__,
        "made": report.made,
        "command": report.command,
        "gaps": _gaps(report),
        "summary": render_summary(report, verbose=True).splitlines(),
        "complete": report.complete,
        "levels": {level.label: number for level, number in by_level(report.active)},
        "rules": {
            rule.value: {"title": rule.title, "brief": brief(rule), "page": rule_page(rule)}
            for rule in Rule
        },
        "findings": [
            _finding(finding, ordinal, files) for finding, ordinal in with_ordinals(report.findings)
        ],
        "files": files.names,
        "unused": [f"{one.place}: {one.text} {one.hint}".strip() for one in report.unused],
    }
    page = _asset("report.html")
    for name, text in (
        ("style", _asset("report.css")),
        ("data", _embedded(data)),
        ("sources", files.blocks()),
        ("script", "\n".join(_asset(name) for name in _SCRIPTS)),
    ):
        page = page.replace(f"<!-- {name} -->", text, 1)
    return page


def _gaps(report: Report) -> list[list[object]]:
    """What was not analysed: a heading and lines for each kind."""
    summary = report.summary
    limits = [f"{one.allocation}: {one.limit}" for one in summary.undecided]
    languages = [f"{number} in {name}" for name, number in summary.other_languages]
    found: list[tuple[str, list[str]]] = [
        ("Nothing was analysed", ["no function with a body"] if report.nothing_analysed else []),
        ("The run was stopped", [summary.stopped] if summary.stopped else []),
        ("Files that are not analysed", [f"{one.file}: {one.error}" for one in summary.failed]),
        ("Functions left out, compiled without their build", list(report.dropped)),
        ("Files that are not C", languages),
        ("Undecided", limits),
    ]
    return [[title, lines] for title, lines in found if lines]


def _asset(name: str) -> str:
    return resources.files("heapflow.report.render").joinpath("assets", name).read_text("utf-8")


def _embedded(value: object) -> str:
    """JSON that cannot end the script element it stands in, of text that shows every character."""
    text = json.dumps(_shown(value), ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")


def _shown(value: object) -> object:
    match value:
        case str():
            return visible(value, keep="\n\t")
        case list() | tuple():
            return [_shown(one) for one in value]
        case dict():
            return {name: _shown(one) for name, one in value.items()}
        case _:
            return value


class _Files:
    """The files that the findings speak of, by number, and which lines of them are needed."""

    def __init__(self, report: Report) -> None:
        self.sources: Sources = report.sources
        self.numbers: dict[str, int] = {}
        self.lines: dict[str, set[int]] = {}

    @property
    def names(self) -> list[str]:
        return list(self.numbers)

    def place(self, place: Place) -> list[object]:
        """File number, line, column in characters, width to underline, function; where there is no
        line, the instruction's number."""
        number = self.numbers.setdefault(place.file, len(self.numbers))
        self.lines.setdefault(place.file, set()).add(place.line)
        text = self.sources.line(place.file, place.line)
        before = text.encode()[: max(place.column - 1, 0)].decode(errors="ignore")
        column = len(visible(before, keep="\t")) + 1
        width = self.sources.word_width(place.file, place.line, place.column)
        instruction = [place.instruction] if place.instruction >= 0 else []
        column = column if place.column else 0
        return [number, place.line, column, width, place.function, *instruction]

    def blocks(self) -> str:
        return "\n".join(
            f'<script type="application/json" id="source-{number}">'
            f"{_embedded(self._parts(name))}</script>"
            for name, number in self.numbers.items()
        )

    def _parts(self, name: str) -> list[list[object]]:
        """Runs of lines as [number of the first, text]."""
        lines = self.sources.file(name).lines
        if len(lines) == 1 and not lines[0]:
            return []
        if len(lines) <= WHOLE_FILE:
            return [[1, "\n".join(lines)]]
        parts: list[tuple[int, int]] = []
        for line in sorted(self.lines[name]):
            first, last = max(line - AROUND, 1), min(line + AROUND, len(lines))
            if parts and first <= parts[-1][1] + 1:
                parts[-1] = (parts[-1][0], last)
            else:
                parts.append((first, last))
        return [[first, "\n".join(lines[first - 1 : last])] for first, last in parts]


def _finding(finding: Finding, ordinal: int, files: _Files) -> Json:
    suppressed = finding.suppressed
    return {
        "id": f"{finding.fingerprint[:12]}-{ordinal}",
        "rule": finding.rule.value,
        "level": finding.level.label,
        "message": headline(finding),
        "at": files.place(finding.primary),
        "lost": files.place(finding.lost),
        "allocator": finding.allocator,
        "variable": finding.variable,
        "steps": [_step(step, finding, files) for step in finding.path],
        "elsewhere": [files.place(place) for place in finding.elsewhere],
        "frees": [files.place(place) for place in finding.frees],
        "also": [files.place(place) for place in finding.also_at],
        "with": [files.place(place) for place in finding.lost_with],
        "believes": list(finding.remarks),
        "blocks": finding.blocks,
        "in_tests": finding.in_tests,
        "confidence": finding.confidence.label,
        "outcome": finding.outcome,
        "bounds": list(finding.bounds),
        "example": example_sentence(finding),
        "suppressed": f"{suppressed.by.value}: {suppressed.reason}" if suppressed else "",
        "state": finding.baseline.value if finding.baseline else "",
        "slice": _slice(finding.slice, files),
    }


def _step(step: Step, finding: Finding, files: _Files) -> Json:
    return {
        "kind": step.kind.value,
        "at": files.place(step.place),
        "says": sentence(step, finding),
        "taken": step.taken or "",
    }


def _slice(drawn: Slice | None, files: _Files) -> Json | None:
    if drawn is None or not drawn.nodes:
        return None
    return {
        "nodes": [
            {
                "label": node.label,
                "kind": node.kind,
                "at": files.place(node.place) if node.place else None,
            }
            for node in drawn.nodes
        ],
        "edges": [[edge.source, edge.target, edge.guard] for edge in drawn.edges],
    }
