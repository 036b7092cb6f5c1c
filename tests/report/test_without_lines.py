"""Bitcode without debug information: the same findings, told by functions and instructions."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from xml.etree.ElementTree import fromstring

import pytest
from jsonschema import Draft202012Validator

from heapflow.pipeline import analyse_files
from heapflow.report.assemble import make_report
from heapflow.report.document import Report
from heapflow.report.finding import Summary
from heapflow.report.grouping import group_findings
from heapflow.report.render.html import render_html
from heapflow.report.render.json import json_schema, render_json
from heapflow.report.render.junit import render_junit
from heapflow.report.render.sarif import render_sarif
from heapflow.report.render.terminal import render_terminal
from tests.frontend.bitcode.compile import compile_to_bitcode

PROGRAMS = Path(__file__).parent.parent / "c"
BOTH = """#include <stdlib.h>
#define BOTH(a, b) (a) = malloc(1); (b) = malloc(2)
static int make(char **x, char **y) { *x = malloc(3); *y = malloc(4); return 0; }
int results(void) { char *p = 0, *q = 0; make(&p, &q); return 0; }
int macro(void) { char *p, *q; BOTH(p, q); return p == q; }
"""


def bitcode(source: Path, folder: Path, *flags: str) -> Path:
    folder.mkdir(exist_ok=True)
    compile_to_bitcode(source, folder, *flags)
    return folder / f"{source.stem}.bc"


def both(tmp_path: Path) -> Path:
    source = tmp_path / "both.c"
    source.write_text(BOTH)
    return bitcode(source, tmp_path, "-g0")


def report_of(tmp_path: Path) -> Report:
    found = analyse_files([both(tmp_path)])
    return make_report(found, Summary(files=1, functions=3), tmp_path)


@pytest.mark.parametrize("name", ["leaks/contexts.c", "rules/released.c", "rules/resources.c"])
def test_no_finding_is_lost_without_lines(name: str, tmp_path: Path) -> None:
    counts = []
    for folder, flag in (("with", "-g"), ("without", "-g0")):
        file = bitcode(PROGRAMS / name, tmp_path / folder, flag)
        found = group_findings(analyse_files([file]))
        counts.append(Counter(one.primary.function for one in found))
    # Whether a descriptor has a name is not known without debug information (decision 105).
    nameless = {"fills_closed_ok", "fills_null_ok"} if name == "rules/resources.c" else set()
    assert not counts[0] - counts[1]
    assert set(counts[1] - counts[0]) == nameless
    assert counts[0].total() > 8


def test_places_are_instructions(tmp_path: Path) -> None:
    text = render_terminal(report_of(tmp_path))
    told = [line.split(": ")[0] for line in text.splitlines() if ": error: " in line]
    assert len(told) == 4
    assert [one.split("+")[0] for one in told] == ["both.bc:macro"] * 2 + ["both.bc:results"] * 2
    assert told[0] != told[1], "two blocks of one function"
    assert ":0" not in text


def test_every_format_tells_them_apart(tmp_path: Path) -> None:
    report = report_of(tmp_path)
    document = json.loads(render_json(report))
    Draft202012Validator(json_schema()).validate(document)
    places = [one["allocation"] for one in document["findings"]]
    assert all(place["line"] == 0 and place["instruction"] >= 0 for place in places)
    steps = {json.dumps(one["steps"]) for one in document["findings"]}
    assert len(steps) == 4
    keys = {(one["fingerprint"], one["ordinal"]) for one in document["findings"]}
    assert len(keys) == 4
    cases = fromstring(render_junit(report)).iter("testcase")
    assert any("macro+" in (case.get("name") or "") for case in cases)
    results = json.loads(render_sarif(report))["runs"][0]["results"]
    where = [one["locations"][0]["logicalLocations"][0] for one in results]
    assert all("+" in one["fullyQualifiedName"] for one in where)
    assert "both.bc" in render_html(report)


def test_the_user_is_warned(tmp_path: Path) -> None:
    file = both(tmp_path)
    check = [sys.executable, "-m", "heapflow", "check", "--no-cache", file.name]
    warned = subprocess.run(check, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert warned.returncode == 1
    assert "warning: no debug information in both.bc" in warned.stderr
    bitcode(tmp_path / "both.c", tmp_path, "-g")
    fine = subprocess.run(check, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert fine.returncode == 1
    assert "no debug information" not in fine.stderr
