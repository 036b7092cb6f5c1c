"""What the docs show is run: files are written, commands run, Python executed, the site built.

A comment before a fenced block says what it is: `<!-- file: NAME -->`, `<!-- run: STATUS -->` with the
exit status of each command, `<!-- python -->`.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
_BLOCK = re.compile(r"<!-- (file|run|python)(?:: (\S+))? -->\n```\w*\n(.*?)```", re.S)
PAGES = sorted(page for page in DOCS.glob("*.md") if _BLOCK.search(page.read_text()))


def run(command: list[str], cwd: Path) -> subprocess.CompletedProcess[str]:
    tools = Path(sys.executable).parent
    environ = os.environ | {"PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.run(
        command, cwd=cwd, env=environ, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_page(page: Path, tmp_path: Path) -> None:
    for kind, argument, body in _BLOCK.findall(page.read_text()):
        if kind == "file":
            (tmp_path / argument).write_text(body)
        elif kind == "python":
            done = run([sys.executable, "-c", body], tmp_path)
            assert done.returncode == 0, done.stderr
        else:
            for line in body.splitlines():
                done = run(["bash", "-c", line], tmp_path)
                said = f"{line}\n{done.stdout}{done.stderr}"
                assert done.returncode == int(argument), said


def test_pages_with_commands_are_found() -> None:
    names = {page.stem for page in PAGES}
    assert {"quickstart", "configuration", "suppressions", "baseline", "python"} <= names


def test_quick_start_says_what_heapflow_says(tmp_path: Path) -> None:
    found = {
        argument: body
        for kind, argument, body in _BLOCK.findall((DOCS / "quickstart.md").read_text())
        if kind == "file"
    }
    (tmp_path / "greet.c").write_text(found["greet.c"])
    out = run(["heapflow", "check", "greet.c"], tmp_path).stdout
    assert "is not freed when `strlen(copy) > 20` [conditional-leak]" in out
    assert "other paths free it at greet.c:12" in out


def test_every_key_and_option_is_described() -> None:
    from heapflow.settings.schema import FORMATS, KEYS

    text = (DOCS / "configuration.md").read_text()
    assert all(f"`{name}`" in text for name in KEYS)
    output = (DOCS / "output.md").read_text()
    assert all(f"| `{name}` |" in output for name in FORMATS)


def test_every_json_field_is_described() -> None:
    from heapflow.report.render.json import json_schema

    text = (DOCS / "json.md").read_text()
    schema = json_schema()
    parts = [schema, *(schema["$defs"][name] for name in ("summary", "finding", "step", "place"))]
    for part in parts:
        assert all(f"`{name}`" in text for name in part["properties"])
    for name in ("lost_by",):
        assert all(f"`{value}`" in text for value in schema["$defs"][name]["enum"])


def test_site_builds(tmp_path: Path) -> None:
    pytest.importorskip("mkdocs")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-q", "-d", str(tmp_path)]
    done = run(command, DOCS.parent)
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "rules" / "never-freed" / "index.html").read_text()
    assert "Known misses" in page
    loaded = re.findall(r'(?:src|href)="(https?://[^"]+)"', page)
    assert all("mkdocs.org" in address for address in loaded)  # the footer's link
