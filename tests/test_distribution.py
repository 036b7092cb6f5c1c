"""What cannot be run here is at least parsed: workflows, the action, the image, metadata, editors."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from email.message import Message
from pathlib import Path
from typing import Any

import pytest
import yaml

from heapflow import version
from heapflow.report.render import sarif

TOP = Path(__file__).parents[1]


def read_yaml(name: str) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((TOP / name).read_text())
    return found


def workflows() -> list[str]:
    return sorted(str(one.relative_to(TOP)) for one in (TOP / ".github/workflows").glob("*.yml"))


@pytest.mark.parametrize("name", workflows())
def test_workflows(name: str) -> None:
    workflow = read_yaml(name)
    assert workflow["name"]
    assert {True, "on"} & set(workflow)  # YAML 1.1 reads `on` as a truth value
    assert workflow["permissions"]
    for job in workflow["jobs"].values():
        assert job["runs-on"]
        for step in job["steps"]:
            assert ("uses" in step) != ("run" in step)
            # What somebody else can write must not become code.
            assert "${{ github.event" not in step.get("run", "")


def test_workflows_call_what_there_is() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (TOP / "Makefile").read_text(), re.M))
    for name in ("ci", "release"):
        text = (TOP / f".github/workflows/{name}.yml").read_text()
        assert set(re.findall(r"\bmake ([a-z-]+)", text)) <= targets


def test_the_action() -> None:
    action = read_yaml("action.yml")
    assert action["runs"]["using"] == "composite"
    inputs = set(action["inputs"])
    text = (TOP / "action.yml").read_text()
    assert set(re.findall(r"\$\{\{ inputs\.([\w-]+)", text)) <= inputs
    for step in action["runs"]["steps"]:
        if "run" in step:
            assert step["shell"] == "bash"
            assert "${{" not in step["run"]  # inputs come through the environment
            subprocess.run(["bash", "-n", "-c", step["run"]], check=True)
    options = subprocess.run(
        [sys.executable, "-m", "heapflow", "check", "--help"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert "--format" in options


def test_the_image() -> None:
    lines = (TOP / "Dockerfile").read_text().replace("\\\n", " ").splitlines()
    words = {line.split()[0] for line in lines if line.strip() and not line.startswith("#")}
    assert words <= {"FROM", "RUN", "COPY", "USER", "WORKDIR", "ENTRYPOINT", "CMD"}
    assert lines[[line.startswith("USER") for line in lines].index(True)] == "USER heapflow"
    for line in lines:
        if line.startswith("RUN "):
            subprocess.run(["sh", "-n", "-c", line.removeprefix("RUN ")], check=True)


def test_metadata_names_no_place_that_does_not_exist() -> None:
    text = (TOP / "pyproject.toml").read_text()
    urls = tomllib.loads(text)["project"].get("urls", {})
    for one in urls.values():
        assert not re.search(r"example\.(org|com|net)|\.(example|invalid|test)\b", one)


def test_sarif_says_where_it_is_published(monkeypatch: pytest.MonkeyPatch) -> None:
    told = Message()
    monkeypatch.setattr(version, "metadata", lambda _: told)
    assert "informationUri" not in sarif._driver()
    told["Project-URL"] = "Homepage, https://a.b/c"
    assert sarif._driver()["informationUri"] == "https://a.b/c"


def test_the_problem_matcher() -> None:
    page = (TOP / "docs" / "editors.md").read_text()
    (block,) = re.findall(r"```json\n(.*?)```", page, re.S)
    matcher = json.loads(block)["tasks"][0]["problemMatcher"]["pattern"]
    line = (TOP / "tests/golden/report/terminal.txt").read_text().splitlines()[0]
    found = re.match(matcher["regexp"], line)
    assert found is not None
    assert found[matcher["file"]] == "list.c"
    assert found[matcher["line"]].isdigit()
    assert found[matcher["severity"]] in ("error", "note")
    assert found[matcher["code"]]
    failed = re.match(matcher["regexp"], "b.c:1:13: error: expected parameter declarator")
    assert failed is not None
    assert failed[matcher["message"]] == "expected parameter declarator"
    assert re.match(matcher["regexp"], "      = note: other paths free it at b.c:3") is None


def test_the_man_page() -> None:
    run = [sys.executable, "-m", "heapflow", "manual"]
    page = subprocess.run(run, capture_output=True, text=True, check=True).stdout
    assert page.startswith(".TH HEAPFLOW 1")
    assert page.isascii()
    for name in ("check", "capture", "functions", "graph"):
        assert f".SS heapflow {name}" in page
    for option in ("\\-\\-buildless", "\\-\\-new\\-since"):
        assert option in page
    known = (".TH", ".SH", ".SS", ".PP", ".TP", ".B", ".I", ".br", ".nf", ".fi")
    assert {line.split()[0] for line in page.splitlines() if line.startswith(".")} <= set(known)
