"""The page of a rule: the same text in the docs, in `heapflow explain` and as SARIF help.

The pages are docs/rules/*.md; an installed package carries them as data.
"""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache
from importlib import resources
from pathlib import Path

from heapflow.report.finding import Rule
from heapflow.support.errors import InternalError, UserError

_IN_REPOSITORY = Path(__file__).parents[3] / "docs" / "rules"


@cache
def rule_page(rule: Rule) -> str:
    """The page as Markdown."""
    name = f"{rule.value}.md"
    packaged = resources.files("heapflow.report").joinpath("rules", name)
    for page in (packaged, _IN_REPOSITORY / name):
        if page.is_file():
            return page.read_text("utf-8")
    raise InternalError(f"the page of rule {rule.value} is missing")


@cache
def brief(rule: Rule) -> str:
    """The page's first paragraph as one line."""
    paragraphs = rule_page(rule).split("\n\n")
    text = next(text for text in paragraphs[1:] if not text.startswith(("#", "|")))
    return " ".join(text.split())


def find_rule(name: str) -> Rule:
    """The rule that the user named, with a suggestion if there is none."""
    names = [rule.value for rule in Rule]
    if name in names:
        return Rule(name)
    close = get_close_matches(name, names, 1)
    meant = f"did you mean {close[0]}?" if close else f"rules: {', '.join(names)}"
    raise UserError(f"there is no rule {name}\n  {meant}")
