"""The command line: arguments to `Config`, `Config` to the pipeline, its outcome to an exit code.

No analysis in here. Sub-commands are loaded when they are called, so that `heapflow --version` and
wrong arguments answer at once.
"""

from __future__ import annotations

import os
import sys
import traceback
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path

import click

from heapflow.cli.said import flush, require_streams, silence, tell
from heapflow.cli.supervise import supervised
from heapflow.support.collector import in_a_short_life
from heapflow.support.errors import ExitCode, HeapflowError, InternalError, ToolError, UserError
from heapflow.support.memory import FOR_CONDITIONS, address_space_advice, address_space_left
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
    "manual": ("heapflow.cli.manual", "Print the man page."),
    "completion": ("heapflow.cli.completion", "Print the completion script of a shell."),
}
# These run the analysis; a debugger works better without a second process.
_SUPERVISED = {"check", "dump", "functions", "graph"}


class _LazyGroup(click.Group):
    """Knows its sub-commands by name and loads one when it is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        if cmd_name in _SUPERVISED:
            _require_address_space(cmd_name)
        command: click.Command = import_module(_COMMANDS[cmd_name][0]).command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name in _COMMANDS or name.startswith("-") or ctx.resilient_parsing:
            return super().resolve_command(ctx, args)
        close = get_close_matches(name, _COMMANDS, 1)
        if close:
            hint = f"did you mean `heapflow {close[0]}`?"
        elif Path(name).exists():
            hint = f"to look for leaks in it:  heapflow check {name}"
        else:
            hint = f"there are: {', '.join(_COMMANDS)}"
        raise UserError(f"there is no command `{name}`\n  {hint}")

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in _COMMANDS.items()])


_ADDRESS_SPACE = "if the address space is limited (ulimit -v), allow for more"
# What the libraries of the analysis map. With less, one of them ends the process in its own way.
_LIBRARIES = 400 << 20


def _require_address_space(name: str) -> None:
    left = address_space_left()
    needed = _LIBRARIES + (FOR_CONDITIONS if name in ("check", "dump") else 0)
    least = needed if name == "check" else _LIBRARIES  # of what is dumped, not all has conditions
    if left is not None and left < least:
        raise UserError(f"the analysis: {address_space_advice(needed, left)}")


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(full_version(), message="heapflow %(version)s")
def command() -> None:
    """heapflow: a static memory-leak detector for C.

    Exit status: 0 nothing found, 1 leaks found, 2 could not run, 3 ran, but part of the program could
    not be analysed.
    """


def start() -> None:
    """The program `heapflow`: what takes long is done in a process that can be ended at any moment."""
    require_streams()
    alone = _SUPERVISED.isdisjoint(sys.argv[1:2]) or bool(os.environ.get("HEAPFLOW_DEBUG"))
    sys.exit(_run() if alone else supervised(_run))


def main() -> None:
    """Run the command line in this process and leave it with the right status.

    1 means findings, and nothing else: whatever goes wrong is 2.
    """
    require_streams()
    sys.exit(_run())


def _run() -> int:
    """The status of the command, once all that it said is written."""
    status = _command()
    failure = flush()
    return int(status if failure is None else _report(_cannot_write(failure)))


def _command() -> int:
    try:
        with in_a_short_life():
            # Not standalone: click would otherwise give 1 to what is our 2.
            return int(command.main(prog_name="heapflow", standalone_mode=False) or 0)
    except HeapflowError as error:
        return _report(error)
    except click.ClickException as error:
        return _show(error)
    except (KeyboardInterrupt, click.Abort):
        tell("heapflow: interrupted")
        return 130
    except BrokenPipeError:
        # The reader of our output left: not our failure, and nobody is there to be told.
        silence(1)
        return ExitCode.CLEAN
    except MemoryError:
        _trace()
        return _report(UserError(f"memory is used up; {_ADDRESS_SPACE}"))
    except OSError as error:
        _trace()
        return _report(_cannot_write(error))
    except Exception as error:
        _trace()
        return _report(InternalError(f"{type(error).__name__}: {error}"))


def _cannot_write(error: OSError) -> UserError:
    """A full disk, or a place that is closed to us: the system's answer, and not our fault.

    An error without a number is none of the system: a library that does not fit into memory.
    """
    if error.errno is None:
        return UserError(f"a library cannot be loaded; {_ADDRESS_SPACE}\n  {error}")
    where = error.filename or "standard output"
    return UserError(f"{where}: {error.strerror or error}")


def _trace() -> None:
    if os.environ.get("HEAPFLOW_DEBUG"):
        tell(traceback.format_exc())


def _show(error: click.ClickException) -> ExitCode:
    try:
        error.show()
    except OSError:
        silence(2)
    return ExitCode.COULD_NOT_RUN


def _report(error: HeapflowError) -> ExitCode:
    tell(f"heapflow: error: {error}")
    if isinstance(error, ToolError):
        if error.command:
            tell(f"  command: {error.command}")
        if error.output:
            tell(f"  it said: {error.output.strip()}")
    if isinstance(error, InternalError):
        tell(
            "  this is a bug in heapflow; please report it with the input and the output of the "
            "same command with HEAPFLOW_DEBUG=1 set"
        )
    return ExitCode.COULD_NOT_RUN
