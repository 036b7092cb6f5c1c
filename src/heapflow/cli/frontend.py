"""What the commands that read programs share: options, progress, what to say about the files."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import click

from heapflow.cli.said import tell
from heapflow.config import Config
from heapflow.frontend.inputs import Inputs, Search, find_inputs
from heapflow.frontend.load import FrontendSettings, Loaded, Progress, load_program
from heapflow.frontend.units import display_path
from heapflow.ir.program import Program
from heapflow.report.source import Sources
from heapflow.report.wording import count
from heapflow.support.errors import ExitCode
from heapflow.support.run import Run
from heapflow.support.visible import visible

Command = Callable[..., Any]
_SHOWN_FAILURES = 20
_SHOWN_FLAGS = 8
_LONGEST_FLAG = 200  # characters


def program_options(function: Command) -> Command:
    """The arguments and options that say what to read and how."""
    for decorate in reversed(
        (
            click.argument("inputs", nargs=-1, type=click.Path(), metavar="[INPUT]... [-- CFLAGS]"),
            click.option(
                "-p",
                "build",
                type=click.Path(),
                metavar="BUILD",
                help="Directory of compile_commands.json.",
            ),
            click.option(
                "--no-database", is_flag=True, help="C files have no flags but those after `--`."
            ),
            click.option(
                "--buildless", is_flag=True, help="Guess how files are compiled; use no database."
            ),
            click.option("-j", "jobs", type=click.IntRange(1), help="Processes  [all cores]"),
            click.option(
                "--clang",
                type=click.Path(),
                metavar="PATH",
                help="clang to use  [found, or ziglang's]",
            ),
            click.option("--no-cache", is_flag=True, help="Neither read nor write the cache."),
        )
    ):
        function = decorate(function)
    return function


class ProgramCommand(click.Command):
    """A command that takes compiler flags after `--`, which click itself throws away."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.obj = ()
        if "--" in args:
            split = args.index("--")
            args, ctx.obj = args[:split], tuple(args[split + 1 :])
        return super().parse_args(ctx, args)


def config_from(options: Mapping[str, Any]) -> Config:
    return Config(
        frontend=FrontendSettings(
            clang=options["clang"],
            jobs=options["jobs"] or 0,
            use_cache=not options["no_cache"],
        ),
    )


def read_program(
    ctx: click.Context, options: Mapping[str, Any], config: Config, run: Run
) -> Loaded:
    """Run the front end and tell the user about what was lost."""
    return read_inputs(ctx, options, config, run)[0]


def read_inputs(
    ctx: click.Context, options: Mapping[str, Any], config: Config, run: Run
) -> tuple[Loaded, Inputs]:
    """The program, and what it was read from."""
    found = inputs_from(ctx, options)
    tell_about_inputs(found)
    with progress_bar() as progress:
        loaded = load_program(found, config.frontend, run, progress)
    tell_about(loaded)
    return loaded, found


def inputs_from(ctx: click.Context, options: Mapping[str, Any]) -> Inputs:
    """What a command that has `program_options` is to read."""
    search = Search.NONE if options["no_database"] else Search.NEAREST
    if options["buildless"]:
        search = Search.BUILDLESS
    return find_inputs(options["inputs"], ctx.obj, options["build"], search)


def tell_about_inputs(inputs: Inputs) -> None:
    """Where flags came from, and what is not C."""
    for note in inputs.notes:
        tell(f"note: {note}")


def tell_about(loaded: Loaded, verbose: bool = False) -> None:
    """What the user should hear about files and flags that were lost, on stderr."""
    for failure in loaded.failures[:_SHOWN_FAILURES]:
        tell(failure.error)
    if len(loaded.failures) > _SHOWN_FAILURES:
        tell(f"… and {len(loaded.failures) - _SHOWN_FAILURES} more files")
    for hint in (*loaded.notes, *_hints(loaded)):
        tell(f"note: {hint}")
    if loaded.program is not None and (said := _without_lines(loaded.program)):
        tell(f"warning: {said}")
    if loaded.dropped_flags:
        _tell_about_flags(loaded, verbose)


def _tell_about_flags(loaded: Loaded, verbose: bool) -> None:
    shown = [_short(flag) for flag, _ in loaded.dropped_flags[:_SHOWN_FLAGS]]
    more = " …" if len(loaded.dropped_flags) > _SHOWN_FLAGS else ""
    what = "flags that clang does not know, or that are not known to be needed, were left out"
    number = len(loaded.dropped_flags)
    if not verbose:
        tell(f"note: {what} ({number}): {', '.join(shown)}{more}")
        return
    tell(f"note: {what} ({number}):")
    for flag, files in loaded.dropped_flags:
        tell(f"  {count(files, 'file'):>10}  {_short(flag)}")


def _short(flag: str) -> str:
    return flag if len(flag) <= _LONGEST_FLAG else flag[: _LONGEST_FLAG - 1] + "…"


def tell_about_sources(sources: Sources, named: Iterable[str] = ()) -> None:
    """Files of which no lines are shown, or other ones than were compiled, and why; `named` are those
    that findings speak of."""
    if sources.access is None:
        return
    sources.access.look_again(sources.root.absolute() / name for name in dict.fromkeys(named))
    for names, why in (
        (
            sources.access.changed,
            "changed or gone since it was compiled: lines may be wrong or missing; run again",
        ),
        (
            sources.access.outside,
            "outside of the tree: lines of it are not shown; name it by --root",
        ),
    ):
        for name in sorted(names)[:_SHOWN_FLAGS]:
            tell(f"note: {display_path(Path(name))}: {why}")
        if len(names) > _SHOWN_FLAGS:
            tell(f"note: … and {len(names) - _SHOWN_FLAGS} more: {why}")


def _hints(loaded: Loaded) -> Iterator[str]:
    """Ways out of the failures that have one."""
    errors = [failure.error for failure in loaded.failures]
    if any("file not found" in error for error in errors):
        yield (
            "for headers of your own, add -I after `--` or record the build: heapflow capture -- make; "
            "for a library's, install its development package"
        )
    if any("function definition is not allowed here" in error for error in errors):
        yield "nested functions are GCC's own; clang compiles no file that has them"


def _without_lines(program: Program) -> str:
    """The bitcode that has no debug information, in words; "" if all of it has."""
    bare = program.without_debug_info()
    if not bare:
        return ""
    shown = ", ".join(display_path(Path(name)) for name in bare[:_SHOWN_FLAGS])
    more = f" and {len(bare) - _SHOWN_FLAGS} more" if len(bare) > _SHOWN_FLAGS else ""
    return (
        f"no debug information in {shown}{more}: places are functions with numbers of instructions "
        "(as `heapflow dump program` counts them), variables have no names, and some findings need "
        "types and scopes; compile with -g"
    )


def exit_code(loaded: Loaded) -> ExitCode:
    return ExitCode.PARTLY_ANALYSED if loaded.failures else ExitCode.CLEAN


@contextmanager
def progress_bar(run: Run | None = None) -> Iterator[Progress | None]:
    """A progress bar, if someone is watching; else the run is told, if there is one."""
    if not sys.stderr.isatty():
        yield partial(run.step, unit="files") if run else None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("reading"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.description}", markup=False),
    )
    # No refresh thread: the bar moves when a file is done, and workers are forked from this process.
    bar = Bar(*columns, console=Console(stderr=True), transient=True, auto_refresh=False)
    task = None

    def show(done: int, total: int, name: str) -> None:
        nonlocal task
        if task is None:
            bar.start()
            task = bar.add_task(visible(name), total=total)
        bar.update(task, completed=done, description=visible(name))
        bar.refresh()
        if done == total:
            bar.stop()

    try:
        yield show
    finally:
        bar.stop()
