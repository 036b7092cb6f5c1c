"""`heapflow functions`: allocators, deallocators, borrowers and takers, and how each is known."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from heapflow.cli.choices import configured, model_options
from heapflow.cli.frontend import (
    ProgramCommand,
    exit_code,
    program_options,
    read_program,
)
from heapflow.cli.said import show
from heapflow.settings.schema import UNKNOWN_FUNCTIONS
from heapflow.support.run import Run
from heapflow.support.visible import escape_json, visible

if TYPE_CHECKING:
    from heapflow.ownership.ownership import Listed

_SHOWN = 3  # reasons


@click.command(cls=ProgramCommand, name="functions")
@program_options
@model_options
@click.option(
    "--unknown-functions",
    type=click.Choice(UNKNOWN_FUNCTIONS),
    help="Of functions without body and model: what callers show, or all the same.",
)
@click.option("--format", "form", type=click.Choice(["terminal", "json"]), default="terminal")
@click.pass_context
def command(
    ctx: click.Context,
    /,
    form: str,
    **options: Any,
) -> int:
    """List allocators, deallocators, borrowers and takers.

    Each is found in a body, modelled, or believed: then with the number of call sites that speak for
    it and against it.
    """
    with configured(options) as config:
        loaded = read_program(ctx, options, config, Run())
        if loaded.program is not None:
            from heapflow.modelled.take import take_models
            from heapflow.models.load import load_models
            from heapflow.ownership.ownership import form_beliefs, list_functions

            modelled = take_models(loaded.program, load_models(config.models))
            program, models = modelled.program, modelled.models
            beliefs = form_beliefs(program, models, config.unknown_functions, config.beliefs)
            rows = list_functions(program, models, beliefs)
            show(_as_json(rows) if form == "json" else "".join(f"{_line(row)}\n" for row in rows))
    return exit_code(loaded)


def _as_json(rows: list[Listed]) -> str:
    document = {"version": 1, "functions": [asdict(row) for row in rows]}
    return escape_json(json.dumps(document, indent=1, ensure_ascii=False)) + "\n"


def _line(row: Listed) -> str:
    places = [f"argument {at}" if at else "result" for at in row.arguments]
    more = len(row.reasons) - _SHOWN
    reasons = "; ".join(row.reasons[:_SHOWN]) + (f"; and {more} more" if more > 0 else "")
    counts = f" ({row.support} for, {row.against} against)" if row.how == "believed" else ""
    why = f": {reasons}" if reasons else ""
    return visible(f"{row.function}: {row.role}, {', '.join(places)}, {row.how}{counts}{why}")
