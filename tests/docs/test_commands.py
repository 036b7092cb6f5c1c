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
from heapflow.support.errors import UserError

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
    wrong = mistake_in(heapflow_command, words)
    assert wrong == "", f"{page}: {line}: {wrong}"


def mistake_in(command: click.Command, words: list[str]) -> str:
    """What the command line would say against arguments, without running anything; "" if nothing."""
    if not isinstance(command, click.Group):
        try:
            with command.make_context(command.name, words):
                return ""
        except click.UsageError as mistake:
            return mistake.format_message()
        except UserError as mistake:
            return str(mistake)
        except click.exceptions.Exit:  # --help, --version
            return ""
    if not words or words[0] in ("--version", "--help", "-h"):
        return ""
    inner = command.get_command(click.Context(command, info_name="heapflow"), words[0])
    return f"no command {words[0]!r}" if inner is None else mistake_in(inner, words[1:])


def test_commands_are_found() -> None:
    found = commands()
    assert len(found) > 20
    assert {page for page, _ in found} >= {"README.md", "quickstart.md", ".pre-commit-hooks.yaml"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["check", "--no-such-option"], "No such option"),
        (["chek", "."], "no command 'chek'"),
        (["check", ".", "--format", "pdf"], "pdf"),
        (["check", ".", "-j", "none"], "none"),
        (["cache", "trim", "--nothing"], "No such option"),
    ],
)
def test_mistakes_are_seen(words: list[str], said: str) -> None:
    assert said in mistake_in(heapflow_command, words)


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
