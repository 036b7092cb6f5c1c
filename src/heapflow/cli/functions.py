"""`heapflow functions`: the allocators and deallocators that were found, with the reason."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from heapflow.cli.frontend import (
    ProgramCommand,
    config_from,
    exit_code,
    program_options,
    read_program,
)
from heapflow.cli.said import show
from heapflow.support.run import Run


@click.command(cls=ProgramCommand, name="functions")
@program_options
@click.option(
    "--models",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Models of further external functions.",
)
@click.pass_context
def command(
    ctx: click.Context,
    /,
    models: tuple[Path, ...],
    **options: Any,
) -> int:
    """List the functions that allocate for their callers or release what they are given."""
    loaded = read_program(ctx, options, config_from(options), Run())
    if loaded.program is not None:
        from heapflow.modelled.take import take_models
        from heapflow.models.load import load_models
        from heapflow.pointsto.allocators import find_allocators

        modelled = take_models(loaded.program, load_models(models))
        show(find_allocators(modelled.program, modelled.models).dump())
    return exit_code(loaded)
