"""`heapflow check`: the analysis. In this version: the front end, and what it read."""

from __future__ import annotations

import click

from heapflow.cli.frontend import (
    ProgramCommand,
    config_from,
    exit_code,
    program_options,
    read_program,
)
from heapflow.frontend.load import Loaded
from heapflow.support.run import Run


@click.command(cls=ProgramCommand, name="check")
@program_options
@click.pass_context
def command(
    ctx: click.Context,
    inputs: tuple[str, ...],
    build: str | None,
    jobs: int | None,
    clang: str | None,
    no_cache: bool,
) -> int:
    """Look for memory leaks in a C program.

    INPUT is a C file, a .bc or .ll file, or a directory with a compile_commands.json, which
    `heapflow capture -- make` records from a build. Compiler flags for C files follow `--`.
    """
    run = Run()
    loaded = read_program(ctx, inputs, build, config_from(jobs, clang, no_cache), run)
    click.echo(_summary(loaded), err=True)
    click.echo("note: this version reads programs; it does not look for leaks yet", err=True)
    return exit_code(loaded)


def _summary(loaded: Loaded) -> str:
    read = loaded.units - len(loaded.failures)
    parts = [f"read {read} of {loaded.units} files"]
    if loaded.from_cache:
        parts.append(f"{loaded.from_cache} unchanged")
    if loaded.program is not None:
        defined = sum(
            not loaded.program.is_declaration(func) for func in range(len(loaded.program.functions))
        )
        parts.append(f"{defined} functions")
        parts.append(f"{len(loaded.program.instrs)} instructions")
    return ", ".join(parts)
