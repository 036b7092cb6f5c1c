"""SARIF 2.1.0, as code-scanning services read it: one run, rules with help, CWE, code flows.

Limits of those services are kept here, with a notification where something was left out: results
per run, steps per flow, locations per result.
"""

from __future__ import annotations

import json
import os
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote

from heapflow.report.document import Report, with_ordinals
from heapflow.report.explain import brief, rule_page
from heapflow.report.finding import (
    Confidence,
    Finding,
    Level,
    Place,
    Rule,
    Step,
    StepKind,
    SuppressedBy,
)
from heapflow.report.source import Sources
from heapflow.report.wording import example_sentence, headline, lost_sentence, sentence
from heapflow.support.visible import escape_json, visible
from heapflow.version import __version__, home

Json = dict[str, Any]
SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
MAX_RESULTS = 25_000
MAX_STEPS = 1_000
MAX_RELATED = 100
_ROOT = "%SRCROOT%"
_RULES = list(Rule)
_CWE = {
    401: "Missing Release of Memory after Effective Lifetime",
    415: "Double Free",
    416: "Use After Free",
    590: "Free of Memory not on the Heap",
    762: "Mismatched Memory Management Routines",
    772: "Missing Release of Resource after Effective Lifetime",
}
_RANK = {Confidence.HIGH: 90.0, Confidence.MEDIUM: 60.0, Confidence.LOW: 30.0}
_KINDS = {
    StepKind.ALLOCATED: ["acquire", "memory"],
    StepKind.CALL: ["call", "function"],
    StepKind.CLIENT: ["call", "function"],
    StepKind.RETURNED: ["return", "function"],
    StepKind.STORED: ["memory"],
    StepKind.BRANCH: ["branch"],
    StepKind.FAILED: ["memory"],
    StepKind.RELEASED: ["release", "memory"],
    StepKind.FREED_ON_OTHER_PATH: ["release", "memory"],
    StepKind.LOST: ["memory", "danger"],
}


def render_sarif(report: Report) -> str:
    run = {
        "tool": {"driver": _driver()},
        "taxonomies": [_taxonomy()],
        "originalUriBaseIds": {
            _ROOT: {"description": {"text": "The directory that heapflow was run for."}}
        },
        "columnKind": "utf16CodeUnits",
        "invocations": [
            {
                "executionSuccessful": not report.nothing_analysed,
                "toolExecutionNotifications": _notifications(report),
            }
        ],
        "results": [
            _result(finding, ordinal, report.sources) for finding, ordinal in _kept(report)
        ],
    }
    document = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return escape_json(json.dumps(document, indent=1, ensure_ascii=False)) + "\n"


def _kept(report: Report) -> list[tuple[Finding, int]]:
    """As many results as a service takes, the worst first if there are too many."""
    numbered = with_ordinals(report.findings)
    if len(numbered) <= MAX_RESULTS:
        return numbered
    ranked = sorted(numbered, key=lambda one: (one[0].suppressed is not None, -one[0].level))
    return sorted(ranked[:MAX_RESULTS], key=lambda one: one[0].order)


def _driver() -> Json:
    published = home()
    return {
        "name": "heapflow",
        **({"informationUri": published} if published else {}),
        "version": __version__,
        "semanticVersion": __version__,
        "rules": [_rule(rule) for rule in _RULES],
        "supportedTaxonomies": [{"name": "CWE", "index": 0}],
    }


def _rule(rule: Rule) -> Json:
    page = rule_page(rule)
    properties: Json = {
        "tags": ["correctness", "memory", f"external/cwe/cwe-{rule.cwe}"],
        "precision": "high",
        "problem.severity": _LEVELS[rule.level].replace("note", "recommendation"),
    }
    if rule.security_severity:
        properties["tags"].insert(0, "security")
        properties["security-severity"] = str(rule.security_severity)
    return {
        "id": rule.value,
        "name": "".join(word.capitalize() for word in rule.value.split("-")),
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": brief(rule)},
        "help": {"text": page, "markdown": page},
        "helpUri": f"https://cwe.mitre.org/data/definitions/{rule.cwe}.html",
        "defaultConfiguration": {"level": _LEVELS[rule.level]},
        "relationships": [
            {
                "target": {"id": str(rule.cwe), "toolComponent": {"name": "CWE", "index": 0}},
                "kinds": ["superset"],
            }
        ],
        "properties": properties,
    }


_LEVELS = {Level.ERROR: "error", Level.WARNING: "warning", Level.NOTE: "note"}


def _taxonomy() -> Json:
    return {
        "name": "CWE",
        "organization": "MITRE",
        "shortDescription": {"text": "Common Weakness Enumeration"},
        "taxa": [
            {"id": str(number), "shortDescription": {"text": title}}
            for number, title in sorted(_CWE.items())
        ],
    }


def _result(finding: Finding, ordinal: int, sources: Sources) -> Json:
    result: Json = {
        "ruleId": finding.rule.value,
        "ruleIndex": _RULES.index(finding.rule),
        "level": _LEVELS[finding.level],
        "kind": "fail",
        "message": {"text": _message(finding)},
        "locations": [_location(finding.primary, sources)],
        "relatedLocations": _related(finding, sources),
        "partialFingerprints": {
            "heapflow/v1": finding.fingerprint,
            "primaryLocationLineHash": f"{finding.fingerprint[:16]}:{ordinal}",
        },
        "rank": _RANK[finding.confidence],
        "taxa": [{"id": str(finding.rule.cwe), "toolComponent": {"name": "CWE", "index": 0}}],
        "properties": {
            "allocator": finding.allocator,
            "variable": finding.variable,
            "lostBy": finding.lost_by.value,
            "confidence": finding.confidence.label,
            "outcome": finding.outcome,
            "bounds": list(finding.bounds),
            "examples": dict(finding.examples),
        },
    }
    if finding.path:
        result["codeFlows"] = [{"threadFlows": [{"locations": _flow(finding, sources)}]}]
    if finding.baseline is not None:
        result["baselineState"] = finding.baseline.value
    if finding.suppressed is not None:
        result["suppressions"] = [_suppression(finding, sources)]
    return result


def _message(finding: Finding) -> str:
    text = _plain(example_sentence(finding))
    example = f" {text[:1].upper()}{text[1:]}." if text else ""
    remarks = "".join(f" {_plain(text)}." for text in finding.remarks)
    where = "The last pointer to it is [lost here](1)."
    if finding.rule.is_misuse:
        where = "It happens [here](0)."
    return f"{_plain(headline(finding))}. {where}{example}{remarks}"


def _plain(text: str) -> str:
    return visible(text).replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")


def _related(finding: Finding, sources: Sources) -> list[Json]:
    places = [(finding.allocation, "allocated here"), (finding.lost, "lost here")]
    if finding.rule.is_misuse:
        told = (StepKind.ALLOCATED, StepKind.RELEASED)
        places = [(finding.lost, lost_sentence(finding))]
        places += [(s.place, sentence(s, finding)) for s in finding.steps if s.kind in told]
    places += [(place, "other paths lose it here") for place in finding.elsewhere]
    places += [(place, "other paths free it here") for place in finding.frees]
    places += [(place, "lost in the same way: also from here") for place in finding.also_at]
    places += [(place, "lost with it: what comes from here") for place in finding.lost_with]
    return [
        {"id": number, **_location(place, sources), "message": {"text": text}}
        for number, (place, text) in enumerate(places[:MAX_RELATED])
    ]


def _flow(finding: Finding, sources: Sources) -> list[Json]:
    """The steps; `nestingLevel` is how deep the calls are at each of them."""
    depths, depth = [], 0
    for step in finding.path:
        depth -= step.kind is StepKind.RETURNED
        depths.append(depth)
        depth += step.kind is StepKind.CALL
    lowest = min(depths, default=0)
    steps = list(enumerate(zip(finding.path, depths, strict=True), 1))
    if len(steps) > MAX_STEPS:
        steps = steps[: MAX_STEPS // 2] + steps[-MAX_STEPS // 2 :]
    return [_flow_step(step, finding, sources, number, at - lowest) for number, (step, at) in steps]


def _flow_step(step: Step, finding: Finding, sources: Sources, number: int, depth: int) -> Json:
    location = _location(step.place, sources)
    location["message"] = {"text": visible(sentence(step, finding))}
    kinds = _KINDS[step.kind] + ([step.taken] if step.taken in ("true", "false") else [])
    important = step.kind not in (StepKind.CALL, StepKind.RETURNED, StepKind.STORED)
    return {
        "location": location,
        "kinds": kinds,
        "nestingLevel": depth,
        "executionOrder": number,
        "importance": "essential" if important else "important",
    }


def _suppression(finding: Finding, sources: Sources) -> Json:
    suppressed = finding.suppressed
    assert suppressed is not None
    in_source = suppressed.by is SuppressedBy.COMMENT
    entry: Json = {"kind": "inSource" if in_source else "external", "status": "accepted"}
    if suppressed.reason:
        entry["justification"] = suppressed.reason
    if suppressed.place is not None:
        entry["location"] = _location(suppressed.place, sources)
    return entry


def _location(place: Place, sources: Sources) -> Json:
    physical: Json = {"artifactLocation": artifact(place.file)}
    if place.line > 0:
        physical["region"] = _region(place, sources)
    location: Json = {"physicalLocation": physical}
    if place.function:
        logical = {"name": place.function, "kind": "function"}
        if place.instruction >= 0:
            logical["fullyQualifiedName"] = f"{place.function}+{place.instruction}"
        location["logicalLocations"] = [logical]
    return location


def _region(place: Place, sources: Sources) -> Json:
    region = {"startLine": place.line}
    if place.column > 0:
        width = sources.word_width(place.file, place.line, place.column)
        region |= {"startColumn": place.column, "endColumn": place.column + width}
    return region


def artifact(file: str) -> Json:
    """A relative URI below the root, or an absolute one."""
    if PurePosixPath(file).is_absolute():
        return {"uri": "file://" + quote(os.fsencode(file))}
    return {"uri": quote(os.fsencode(file)), "uriBaseId": _ROOT}


def _notifications(report: Report) -> list[Json]:
    notes: list[Json] = []
    for failed in report.summary.failed:
        text = f"not analysed: {failed.error.strip()[:2000]}"
        notes.append(_notification("error", text, Place(failed.file, 0)))
    for one in report.summary.undecided:
        text = f"undecided: memory from `{one.allocator}` hit the limit {one.limit}"
        notes.append(_notification("note", text, one.allocation))
    for name in report.dropped:
        notes.append(_notification("warning", f"not compiled without the build: `{name}`", None))
    for unused in report.unused:
        text = f"nothing needs the suppression `{unused.text}`. {unused.hint}".strip()
        notes.append(_notification("note", text, unused.place))
    if len(report.findings) > MAX_RESULTS:
        left_out = len(report.findings) - MAX_RESULTS
        notes.append(_notification("warning", f"{left_out} results were left out", None))
    if report.nothing_analysed:
        notes.append(_notification("error", "nothing was analysed", None))
    return notes


def _notification(level: str, text: str, place: Place | None) -> Json:
    note: Json = {"level": level, "message": {"text": visible(text, keep="\n")}}
    if place is not None and place.file:
        note["locations"] = [_location(place, Sources())]
    return note
