"""The command line: arguments to `Config`, `Config` to the pipeline, its outcome to an exit code.

No analysis in here. Sub-commands are loaded when they are called, so that `heapflow --version` and
wrong arguments answer at once.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module

import click

from heapflow.support.collector import in_a_short_life
from heapflow.support.errors import ExitCode, HeapflowError, InternalError, ToolError
from heapflow.version import full_version

_COMMANDS = {
    "check": ("heapflow.cli.check", "Look for memory leaks in a C program."),
    "capture": ("heapflow.cli.capture", "Record a compile database from a build."),
    "explain": ("heapflow.cli.explain", "Say what a rule means and how to fix what it finds."),
    "config": ("heapflow.cli.settings", "Print the effective settings and where they come from."),
    "dump": ("heapflow.cli.dump", "Print what a phase of the analysis computed."),
    "functions": (
        "heapflow.cli.functions",
        "List the allocators and deallocators that were found, and why.",
    ),
    "graph": ("heapflow.cli.graph", "Draw where the value of an allocation goes."),
    "cache": ("heapflow.cli.cache", "Show, trim or clear the cache of compiled files."),
    "completion": ("heapflow.cli.completion", "Print the completion script of a shell."),
}


class _LazyGroup(click.Group):
    """Knows its sub-commands by name and loads one when it is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        command: click.Command = import_module(_COMMANDS[cmd_name][0]).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in _COMMANDS.items()])


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(full_version(), message="heapflow %(version)s")
def command() -> None:
    """heapflow: a static memory-leak detector for C.

    Exit status: 0 nothing found, 1 leaks found, 2 could not run, 3 ran, but part of the program could
    not be analysed.
    """


def main() -> None:
    """Run the command line and leave the process with the right status."""
    try:
        with in_a_short_life():
            # Not standalone: click would otherwise give 1 to what is our 2.
            status = command.main(prog_name="heapflow", standalone_mode=False)
    except HeapflowError as error:
        status = _report(error)
    except click.ClickException as error:
        error.show()
        status = ExitCode.COULD_NOT_RUN
    except (KeyboardInterrupt, click.Abort):
        click.echo("heapflow: interrupted", err=True)
        status = 130
    except BrokenPipeError:
        # The reader of our output left: not our failure, and nobody is there to be told.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = ExitCode.CLEAN
    except Exception as error:
        if os.environ.get("HEAPFLOW_DEBUG"):
            raise
        status = _report(InternalError(f"{type(error).__name__}: {error}"))
    sys.exit(int(status or 0))


def _report(error: HeapflowError) -> ExitCode:
    click.echo(f"heapflow: error: {error}", err=True)
    if isinstance(error, ToolError):
        if error.command:
            click.echo(f"  command: {error.command}", err=True)
        if error.output:
            click.echo(f"  it said: {error.output.strip()}", err=True)
    if isinstance(error, InternalError):
        click.echo(
            "  this is a bug in heapflow; please report it with the input and the output of the "
            "same command with HEAPFLOW_DEBUG=1 set",
            err=True,
        )
    return ExitCode.COULD_NOT_RUN
