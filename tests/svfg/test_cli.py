"""`heapflow dump memssa|svfg` and `heapflow graph`."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner

from heapflow.cli import command
from tests.svfg.programs import C_FILES

MOTIVATING = str(C_FILES / "svfg" / "motivating.c")


def run(*args: str) -> str:
    result = CliRunner().invoke(command, args, standalone_mode=False)
    assert result.exception is None, result.output
    return result.output


def test_dumps() -> None:
    assert "R1_1 = χ(R1_0)" in run("dump", "memssa", MOTIVATING)
    assert "[V-CSCHI )k@22]" in run("dump", "svfg", MOTIVATING)
    assert "V-MU" in run("dump", "svfg", "--memory-model", "distinct", MOTIVATING)


def test_graph_of_a_source(tmp_path: Path) -> None:
    base = str(tmp_path / "out")
    run("graph", MOTIVATING, "--source", "motivating.c:8", "-o", base)
    document = json.loads(Path(base + ".json").read_text())
    marks = [mark for node in document["nodes"] for mark in node["marks"]]
    assert marks.count("source") == 1 and "free" in marks
    assert any(node["source"] == "*buf = text;" for node in document["nodes"])
    assert Path(base + ".dot").read_text().startswith("digraph")
    page = Path(base + ".html").read_text()
    assert "<svg" in page and "http://" not in page.replace("http://www.w3.org/2000/svg", "")
    assert "src=" not in page and "href=" not in page


def test_graph_of_a_function(tmp_path: Path) -> None:
    base = str(tmp_path / "out")
    run("graph", MOTIVATING, "--function", "freeBuf", "-o", base)
    names = {node["function"] for node in json.loads(Path(base + ".json").read_text())["nodes"]}
    assert names == {"freeBuf", "SerialReadBuf"}


def test_wrong_position() -> None:
    result = CliRunner().invoke(
        command, ["graph", MOTIVATING, "--source", "motivating.c:1"], standalone_mode=False
    )
    assert "no allocation at motivating.c:1" in str(result.exception)
    assert "7, 8" in str(result.exception)
