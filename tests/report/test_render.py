"""Renderers against golden files, and each format against its schema or its reader."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from jsonschema import Draft202012Validator

from heapflow.report.assemble import Choice
from heapflow.report.baseline import known
from heapflow.report.document import Report
from heapflow.report.finding import Finding, LostBy, Place, Rule, Step, StepKind, Summary
from heapflow.report.render.github import render_github
from heapflow.report.render.gitlab import render_gitlab
from heapflow.report.render.json import json_schema, render_json
from heapflow.report.render.junit import render_junit
from heapflow.report.render.sarif import render_sarif
from heapflow.report.render.summary import render_summary
from heapflow.report.render.terminal import render_terminal, use_colour
from heapflow.report.source import Sources
from heapflow.report.wording import headline
from tests.report.samples import conditional, overwritten, sample_report

GOLDEN = Path(__file__).parents[1] / "golden" / "report"
RENDERERS: dict[str, Callable[[Report], str]] = {
    "terminal.txt": render_terminal,
    "terminal-colour.txt": lambda report: render_terminal(report, colour=True),
    "summary.txt": render_summary,
    "summary-verbose.txt": lambda report: render_summary(report, verbose=True),
    "report.json": render_json,
    "report.sarif": render_sarif,
    "github.txt": render_github,
    "gitlab.json": render_gitlab,
    "junit.xml": render_junit,
}


@pytest.mark.parametrize("name", RENDERERS)
def test_golden(
    name: str, tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("heapflow.report.render.sarif.home", lambda: None)
    (tmp_path / "main.c").write_text("")
    text = RENDERERS[name](sample_report(tmp_path, Choice(baseline=(known(overwritten()),))))
    golden = GOLDEN / name
    if request.config.getoption("--update-golden"):
        golden.parent.mkdir(parents=True, exist_ok=True)
        golden.write_text(text)
    assert text == golden.read_text()
    assert str(tmp_path) not in text


def test_terminal_is_as_designed(tmp_path: Path) -> None:
    """The example of the style guide, letter by letter."""
    lines = ["//"] * 41
    lines += ["  node *p = malloc(sizeof *p);", "//", "//", "  if (n == 0) return NULL;"]
    (tmp_path / "list.c").write_text("\n".join(lines))
    allocation, lost = Place("list.c", 42, 13, "f"), Place("list.c", 45, 15, "f")
    finding = Finding(
        Rule.CONDITIONAL_LEAK,
        allocation,
        "malloc",
        lost,
        LostBy.RETURN,
        (
            Step(StepKind.ALLOCATED, allocation, "malloc(sizeof *p)"),
            Step(StepKind.BRANCH, Place("list.c", 45, 7, "f"), "n == 0", "true"),
            Step(StepKind.LOST, lost),
        ),
        frees=(Place("list.c", 51, 3, "f"),),
    )
    report = Report((finding,), Summary(functions=1), sources=Sources(tmp_path))
    assert render_terminal(report) == (
        "list.c:42:13: error: memory from `malloc` is not freed when `n == 0` [conditional-leak]\n"
        "   42 |   node *p = malloc(sizeof *p);\n"
        "      |             ^^^^^^ allocated here\n"
        "   45 |   if (n == 0) return NULL;\n"
        "      |               ^^^^^^ the last pointer to it is lost here\n"
        "      = note: other paths free it at list.c:51\n"
    )


def test_terminal_without_sources(tmp_path: Path) -> None:
    report = Report((conditional(),), Summary(functions=1), sources=Sources(tmp_path))
    text = render_terminal(report)
    assert "5 | allocated here" in text
    assert "8 | the last pointer to it is lost here" in text


@pytest.mark.parametrize(
    ("text", "taken", "said"),
    [
        ("n == 0", "true", "when `n == 0`"),
        ("n", "true", "when `n` is true"),
        ("p->next", "true", "when `p->next` is true"),
        ("!p", "true", "when `!p`"),
        ("n <= 3", "false", "when `n <= 3` is false"),
        ("kind", "case 3", "when `kind` is `3`"),
        ("CHECK(n)", None, "on one path"),
    ],
)
def test_condition_in_the_headline(text: str, taken: str | None, said: str) -> None:
    step = Step(StepKind.BRANCH, Place("list.c", 8, 6), text, taken)
    assert headline(replace(conditional(), steps=(step,))).endswith(f"is not freed {said}")


def test_long_paths_are_cut(tmp_path: Path) -> None:
    branches = [
        Step(StepKind.BRANCH, Place("list.c", 6, 2), "x", taken) for taken in ("true", "false")
    ]
    finding = conditional()
    steps = (finding.steps[0], *branches * 50, finding.steps[-1])
    report = Report(
        (replace(finding, steps=steps),), Summary(functions=1), sources=Sources(tmp_path)
    )
    text = render_terminal(report)
    assert "… 78 more steps" in text
    assert text.count("| `x` is") == 22


@pytest.mark.parametrize("column", [1, 100, 500, 990])
def test_long_lines_are_cut_around_the_place(tmp_path: Path, column: int) -> None:
    line = "+" * (column - 1) + "Y" + "-" * (1000 - column)
    (tmp_path / "list.c").write_text("\n" * 4 + line)
    place = Place("list.c", 5, column)
    finding = replace(conditional(), allocation=place, lost=Place("list.c", 9), steps=())
    report = Report((finding,), Summary(functions=1), sources=Sources(tmp_path))
    _, source, mark, *_ = render_terminal(report).splitlines()
    assert len(source) < 175
    assert source[mark.index("^")] == "Y"
    assert mark.count("^") == 1


def test_the_same_decision_twice_is_shown_once(tmp_path: Path) -> None:
    finding = conditional()
    steps = (*finding.steps[:2], finding.steps[1], *finding.steps[2:])
    report = Report(
        (replace(finding, steps=steps),), Summary(functions=1), sources=Sources(tmp_path)
    )
    assert render_terminal(report).count("`!p` is false") == 1


@pytest.mark.parametrize(
    ("terminal", "environ", "expected"),
    [
        (True, {}, True),
        (False, {}, False),
        (True, {"NO_COLOR": "1"}, False),
        (True, {"NO_COLOR": ""}, True),
        (False, {"CLICOLOR_FORCE": "1"}, True),
        (False, {"CLICOLOR_FORCE": "0"}, False),
        (False, {"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}, False),
        (True, {"TERM": "dumb"}, False),
        (True, {"CLICOLOR": "0"}, False),
    ],
)
def test_colour(terminal: bool, environ: dict[str, str], expected: bool) -> None:
    assert use_colour(terminal, environ) is expected


def test_json_follows_its_schema(tmp_path: Path) -> None:
    schema = json_schema()
    Draft202012Validator.check_schema(schema)
    report = sample_report(tmp_path, Choice(baseline=(known(overwritten()),)))
    document = json.loads(render_json(report))
    validator = Draft202012Validator(schema)
    validator.validate(document)
    document["findings"][0]["rule"] = "unheard-of"
    assert not validator.is_valid(document)
    rules = schema["$defs"]["rule"]["enum"]
    assert rules == [rule.value for rule in Rule]
    assert schema["$defs"]["lost_by"]["enum"] == [one.value for one in LostBy]


def test_junit_counts(tmp_path: Path) -> None:
    root = ElementTree.fromstring(render_junit(sample_report(tmp_path)))
    suite = root[0]
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("4", "3", "1")
    assert len(suite.findall("testcase")) == 4


def test_junit_of_a_clean_run_has_a_test() -> None:
    suite = ElementTree.fromstring(render_junit(Report((), Summary(functions=1))))[0]
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("1", "0", "0")


def test_junit_escapes_control_characters() -> None:
    finding = replace(conditional(), variable="\x01&<", allocator="a\x00b")
    suite = ElementTree.fromstring(render_junit(Report((finding,), Summary(functions=1))))[0]
    assert suite.get("failures") == "1"


def test_nothing_analysed_never_looks_clean() -> None:
    report = Report((), Summary(files=2))
    assert "nothing was analysed" in render_summary(report)
    assert "no leaks" not in render_summary(report)
    assert 'errors="1"' in render_junit(report)
    assert not json.loads(render_json(report))["summary"]["complete"]
    run = json.loads(render_sarif(report))["runs"][0]
    assert not run["invocations"][0]["executionSuccessful"]


def test_no_allocations_is_said() -> None:
    text = render_summary(Report((), Summary(files=1, functions=3)))
    assert "nothing to check" in text
    assert "no leaks" not in text


def test_github_escapes() -> None:
    place = Place("odd,name:1%.c", 3, 0)
    finding = replace(conditional(), allocation=place, steps=())
    text = render_github(Report((finding,), Summary(functions=1)))
    assert text.startswith("::error file=odd%2Cname%3A1%25.c,line=3,title=heapflow%3A ")
    assert text.count("\n") == 1


def test_gitlab_fingerprints_are_unique() -> None:
    moved = replace(conditional(), allocation=Place("list.c", 9, 12, "list_add"))
    issues = json.loads(render_gitlab(Report((conditional(), moved), Summary(functions=1))))
    assert conditional().fingerprint == moved.fingerprint
    assert len({issue["fingerprint"] for issue in issues}) == 2
