"""Every `heapflow …` line in the docs has options that exist; hooks and CI examples are valid."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from heapflow.cli import command as heapflow_command

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
_FENCE = re.compile(r"```(\w*)\n(.*?)```", re.S)
_COMMAND = re.compile(r"(?:^|&& |\s- (?:run: )?)(heapflow [^\n#&|>]*)", re.M)


def commands() -> list[tuple[str, str]]:
    found = []
    for page in PAGES:
        for language, body in _FENCE.findall(page.read_text()):
            if language in ("", "yaml", "sh"):
                found += [(page.name, line.strip()) for line in _COMMAND.findall(body)]
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    return found + [(".pre-commit-hooks.yaml", hook["entry"]) for hook in hooks]


@pytest.mark.parametrize(("page", "line"), commands())
def test_options_exist(page: str, line: str) -> None:
    words = shlex.split(line.replace("${{ github.base_ref }}", "main"))[1:]
    parse(heapflow_command, words)


def parse(command: click.Command, words: list[str]) -> None:
    """Read arguments as the command line would, without running anything."""
    if not isinstance(command, click.Group):
        command.make_context(command.name, words).close()
        return
    context = click.Context(command, info_name="heapflow")
    if words and words[0] != "--version":
        inner = command.get_command(context, words[0])
        assert inner is not None, words[0]
        parse(inner, words[1:])


def test_commands_are_found() -> None:
    assert len(commands()) > 20
    with pytest.raises(click.NoSuchOption):
        parse(heapflow_command, ["check", "--no-such-option"])


def test_ci_examples_are_yaml() -> None:
    blocks = [
        yaml.safe_load(body)
        for language, body in _FENCE.findall((ROOT / "docs" / "ci.md").read_text())
        if language == "yaml"
    ]
    assert len(blocks) == 3
    workflow: dict[Any, Any] = blocks[0]
    assert workflow["permissions"]["security-events"] == "write"
    assert blocks[1]["leaks"]["artifacts"]["reports"]["codequality"] == "heapflow.json"
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert blocks[2]["repos"][0]["hooks"][0]["id"] in {hook["id"] for hook in hooks}
    for hook in hooks:
        assert {"id", "name", "entry", "language"} <= set(hook)
