"""`heapflow dump`: what a phase computed, readably and stably."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from heapflow.cli.choices import configured, model_options
from heapflow.cli.frontend import (
    ProgramCommand,
    config_from,
    exit_code,
    program_options,
    read_program,
)
from heapflow.cli.said import show
from heapflow.cli.valueflow import memory_model_option, memory_ssa, value_flow
from heapflow.support.run import Run


@click.group(name="dump")
def command() -> None:
    """Print what a phase of the analysis computed."""


@command.command(cls=ProgramCommand, name="program")
@program_options
@click.option("--stats", is_flag=True, help="Counts instead of the tables.")
@click.pass_context
def program(
    ctx: click.Context,
    /,
    stats: bool,
    **options: Any,
) -> int:
    """Print the program tables: functions, blocks, instructions, globals."""
    loaded = read_program(ctx, options, config_from(options), Run())
    if loaded.program is not None:
        from heapflow.frontend.dump import dump_program, program_stats

        text = program_stats(loaded.program) if stats else dump_program(loaded.program)
        show(text)
    return exit_code(loaded)


@command.command(cls=ProgramCommand, name="points-to")
@program_options
@click.option("--stats", is_flag=True, help="Sizes of the sets instead of the sets.")
@click.option("--calls", is_flag=True, help="The call graph instead of the sets.")
@click.pass_context
def points_to(
    ctx: click.Context,
    /,
    stats: bool,
    calls: bool,
    **options: Any,
) -> int:
    """Print what every pointer may point to, or the call graph."""
    config = config_from(options)
    loaded = read_program(ctx, options, config, Run())
    if loaded.program is not None:
        from heapflow.modelled.take import take_models
        from heapflow.models.load import load_models
        from heapflow.pointsto.analyse import analyse_points_to
        from heapflow.pointsto.stats import points_to_stats

        modelled = take_models(loaded.program, load_models(config.models))
        analysis = analyse_points_to(modelled.program, modelled.models, config.pointsto)
        if stats:
            show(points_to_stats(analysis))
        else:
            show(analysis.calls.dump() if calls else analysis.points_to.dump())
    return exit_code(loaded)


@command.command(cls=ProgramCommand, name="memssa")
@program_options
@memory_model_option
@click.pass_context
def memssa(
    ctx: click.Context,
    /,
    memory_model: str,
    **options: Any,
) -> int:
    """Print regions, may-uses, may-defs and versions of every function."""
    loaded = read_program(ctx, options, config_from(options), Run())
    if loaded.program is not None:
        from heapflow.memssa.dump import dump_memory_ssa

        show(dump_memory_ssa(memory_ssa(loaded.program, memory_model)))
    return exit_code(loaded)


def _inside(ctx: click.Context, shown: str, options: dict[str, Any]) -> int:
    """Run the analysis, as `check` would, and print what one of its later phases computed."""
    with configured(options) as config:
        loaded = read_program(ctx, options, config, Run())
        if loaded.program is not None:
            from heapflow.inside import Inside, Shown
            from heapflow.models.load import load_models
            from heapflow.pipeline import find_leaks
            from heapflow.report.source import Sources

            inside = Inside(Shown(shown))
            models = load_models(config.models)
            find_leaks(loaded.program, models, config, Run(), Sources(Path.cwd()), inside)
            show(inside.text)
    return exit_code(loaded)


@command.command(cls=ProgramCommand, name="guards")
@program_options
@model_options
@click.pass_context
def guards(ctx: click.Context, /, **options: Any) -> int:
    """Print the conditions under which control comes to every block."""
    return _inside(ctx, "guards", options)


@command.command(cls=ProgramCommand, name="flow")
@program_options
@model_options
@click.pass_context
def flow(ctx: click.Context, /, **options: Any) -> int:
    """Print where every allocated block goes in its function, and under which conditions."""
    return _inside(ctx, "flow", options)


@command.command(cls=ProgramCommand, name="verdicts")
@program_options
@model_options
@click.pass_context
def verdicts(ctx: click.Context, /, **options: Any) -> int:
    """Print what value flow and execution say of every allocated block."""
    return _inside(ctx, "verdicts", options)


@command.command(cls=ProgramCommand, name="invariants")
@program_options
@click.pass_context
def invariants(ctx: click.Context, /, **options: Any) -> int:
    """Print what the program keeps true of its own members and global variables."""
    config = config_from(options)
    loaded = read_program(ctx, options, config, Run())
    if loaded.program is not None:
        from heapflow.invariants.find import find_invariants
        from heapflow.modelled.take import take_models
        from heapflow.models.load import load_models
        from heapflow.pointsto.analyse import solve_points_to

        modelled = take_models(loaded.program, load_models(config.models))
        program, models = modelled.program, modelled.models
        _, calls = solve_points_to(program, models, config.pointsto)
        show(find_invariants(program, calls, models, config.invariants, check=True).dump())
    return exit_code(loaded)


@command.command(cls=ProgramCommand, name="svfg")
@program_options
@memory_model_option
@click.pass_context
def svfg(
    ctx: click.Context,
    /,
    memory_model: str,
    **options: Any,
) -> int:
    """Print the sparse value-flow graph: nodes, edges by rule, sources and sinks."""
    loaded = read_program(ctx, options, config_from(options), Run())
    if loaded.program is not None:
        from heapflow.svfg.dump import dump_svfg

        show(dump_svfg(*value_flow(loaded.program, memory_model)))
    return exit_code(loaded)
