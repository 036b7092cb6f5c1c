"""`heapflow graph`: a part of the value-flow graph as DOT, JSON and an HTML page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from heapflow.cli.frontend import (
    ProgramCommand,
    config_from,
    exit_code,
    program_options,
    read_inputs,
)
from heapflow.cli.outputs import check_places, write_file
from heapflow.cli.said import tell
from heapflow.cli.valueflow import memory_model_option, value_flow
from heapflow.support.errors import UserError
from heapflow.support.run import Run


@click.command(cls=ProgramCommand, name="graph")
@program_options
@click.option("--source", metavar="FILE:LINE", help="Where the value of this allocation goes.")
@click.option("--function", metavar="NAME", help="Everything in one function.")
@click.option(
    "-o",
    "output",
    default="svfg",
    show_default=True,
    metavar="NAME",
    help="Write NAME.dot, NAME.json and NAME.html.",
)
@memory_model_option
@click.pass_context
def command(
    ctx: click.Context,
    /,
    source: str | None,
    function: str | None,
    output: str,
    memory_model: str,
    **options: Any,
) -> int:
    """Draw where the value of an allocation goes.

    \b
    heapflow graph --source list.c:42 list.c main.c
    heapflow graph --function list_add -p build
    """
    if (source is None) == (function is None):
        raise UserError("say what to draw: either --source FILE:LINE or --function NAME")
    position = None if source is None else _position(source)
    paths = [Path(f"{output}.{suffix}") for suffix in ("dot", "json", "html")]
    check_places(paths)
    loaded, found = read_inputs(ctx, options, config_from(options), Run())
    if loaded.program is None:
        return exit_code(loaded)
    from heapflow.svfg.export import to_dot, to_json
    from heapflow.svfg.names import Names
    from heapflow.svfg.page import to_html
    from heapflow.svfg.slice import slice_from_source, slice_of_function

    access = loaded.access(found, Path.cwd())
    names = Names(*value_flow(loaded.program, memory_model), access)
    if position is not None:
        part = slice_from_source(names, *position)
    else:
        part = slice_of_function(names, function or "")
    for path, render in zip(paths, (to_dot, to_json, to_html), strict=True):
        write_file(path, render(names, part))
        tell(f"wrote {path}")
    if part.cut:
        tell(f"note: the graph was cut off at {len(part.nodes)} nodes")
    return exit_code(loaded)


def _position(text: str) -> tuple[str, int]:
    file, colon, line = text.rpartition(":")
    if not colon or not line.isdigit():
        raise UserError(f"--source {text}: expected FILE:LINE, such as list.c:42")
    return file, int(line)
