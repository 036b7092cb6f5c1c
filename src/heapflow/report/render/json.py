"""The `Report` as one JSON object; docs/json.md describes it, json_schema.json checks it."""

from __future__ import annotations

import json
from dataclasses import asdict
from importlib import resources
from typing import Any

from heapflow.report.document import Report, by_level, with_ordinals
from heapflow.report.finding import Finding, Place, Slice, Step, Summary
from heapflow.report.wording import assumptions, headline, sentence
from heapflow.support.visible import escape_json
from heapflow.version import __version__

FORMAT = 1
Json = dict[str, Any]


def render_json(report: Report) -> str:
    document = {
        "version": FORMAT,
        "tool": {"name": "heapflow", "version": __version__},
        "summary": _summary(report),
        "findings": [_finding(one, ordinal) for one, ordinal in with_ordinals(report.findings)],
        "unused_suppressions": [
            {"place": place_json(one.place), "text": one.text, "hint": one.hint}
            for one in report.unused
        ],
    }
    return escape_json(json.dumps(document, indent=1, ensure_ascii=False)) + "\n"


def json_schema() -> Json:
    """The JSON Schema of the format."""
    text = resources.files("heapflow.report.render").joinpath("json_schema.json").read_text("utf-8")
    schema: Json = json.loads(text)
    return schema


def _summary(report: Report) -> Json:
    summary: Summary = report.summary
    found: Json = {
        "files": summary.files,
        "functions": summary.functions,
        "allocations": summary.allocations,
        "decided": summary.decided,
        "followed": summary.followed,
        "findings": {level.label: number for level, number in by_level(report.active)},
        "suppressed": len(report.findings) - len(report.active),
        "hidden": report.hidden,
        "complete": report.complete,
        "unconfirmed": summary.unconfirmed,
        "stopped": summary.stopped,
        "undecided": [
            {
                "allocation": place_json(one.allocation),
                "allocator": one.allocator,
                "limit": one.limit,
            }
            for one in summary.undecided
        ],
        "failed": [asdict(one) for one in summary.failed],
        "other_languages": dict(summary.other_languages),
        "guessed": [{"file": one.file, **one.guesses.as_lists()} for one in summary.guessed],
        "unseen": summary.unseen,
        "unmodelled": [asdict(one) for one in summary.unmodelled],
        "policies": dict(summary.policies),
        "given_up": dict(summary.given_up),
        "phases": [asdict(one) for one in summary.phases],
    }
    if report.fixed is not None:
        found["baseline"] = {
            "introduced": report.introduced,
            "unchanged": report.unchanged,
            "fixed": [asdict(one) for one in report.fixed],
        }
    return found


def _finding(finding: Finding, ordinal: int) -> Json:
    suppressed = finding.suppressed
    return {
        "rule": finding.rule.value,
        "level": finding.level.label,
        "cwe": finding.rule.cwe,
        "message": headline(finding),
        "allocation": place_json(finding.allocation),
        "allocator": finding.allocator,
        "variable": finding.variable,
        "lost": place_json(finding.lost),
        "lost_by": finding.lost_by.value,
        "steps": [_step(step, finding) for step in finding.path],
        "elsewhere": [place_json(place) for place in finding.elsewhere],
        "frees": [place_json(place) for place in finding.frees],
        "call_chain": [place_json(place) for place in finding.call_chain],
        "also_at": [place_json(place) for place in finding.also_at],
        "lost_with": [place_json(place) for place in finding.lost_with],
        "assumes": list(assumptions(finding)),
        "confidence": finding.confidence.label,
        "outcome": finding.outcome,
        "bounds": list(finding.bounds),
        "examples": [{"name": name, "value": value} for name, value in finding.examples],
        "believes": list(finding.believes),
        "uncalled": finding.uncalled,
        "policies": list(finding.policies),
        "blocks": finding.blocks,
        "in_tests": finding.in_tests,
        "guessed": finding.guessed,
        "fingerprint": finding.fingerprint,
        "ordinal": ordinal,
        "suppressed": None
        if suppressed is None
        else {
            "by": suppressed.by.value,
            "reason": suppressed.reason,
            "place": place_json(suppressed.place) if suppressed.place else None,
        },
        "baseline": finding.baseline.value if finding.baseline else None,
        "slice": _slice(finding.slice),
    }


def place_json(place: Place) -> Json:
    """Its members; the instruction's number only where it stands in for a line."""
    members = asdict(place)
    if place.instruction < 0:
        del members["instruction"]
    return members


def _step(step: Step, finding: Finding) -> Json:
    return {
        "kind": step.kind.value,
        "place": place_json(step.place),
        "text": step.text,
        "taken": step.taken,
        "message": sentence(step, finding),
    }


def _slice(drawn: Slice | None) -> Json | None:
    if drawn is None:
        return None
    return {
        "nodes": [
            {
                "label": node.label,
                "kind": node.kind,
                "place": place_json(node.place) if node.place else None,
            }
            for node in drawn.nodes
        ],
        "edges": [asdict(edge) for edge in drawn.edges],
    }
