"""`heapflow explain`: what a rule means and how to fix what it finds."""

from __future__ import annotations

import os
import sys

import click
from click.shell_completion import CompletionItem

from heapflow.report.explain import find_rule, rule_page
from heapflow.report.finding import Rule
from heapflow.report.render.terminal import use_colour


def _rules(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(rule.value) for rule in Rule if rule.value.startswith(incomplete)]


@click.command(name="explain")
@click.argument("rule", required=False, shell_complete=_rules)
def command(rule: str | None) -> None:
    """Say what a RULE means and how to fix what it finds; without one, list the rules."""
    if rule is None:
        for one in Rule:
            click.echo(f"{one.value:<18} {one.level.label:<8} {one.title}")
        return
    page = rule_page(find_rule(rule))
    if not use_colour(sys.stdout.isatty(), os.environ):
        click.echo(page, nl=False)
        return
    from rich.console import Console
    from rich.markdown import Markdown

    Console(force_terminal=True).print(Markdown(page))
