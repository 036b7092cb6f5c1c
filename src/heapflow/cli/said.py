"""What is said to the user beside the results: on stderr, and no reason to fail."""

from __future__ import annotations

import os
import sys

import click

from heapflow.support.visible import no_command, visible


def tell(text: str) -> None:
    """A line or several on stderr. If nobody can be told, the work goes on."""
    try:
        click.echo(no_command(visible(text, keep="\n")), err=True, nl=not text.endswith("\n"))
    except OSError:
        silence(2)


def show(text: str) -> None:
    """Results of a command that prints the program itself, as they are but for hidden characters."""
    click.echo(visible(text, keep="\n\t"), nl=False)


def silence(number: int) -> None:
    """Let a stream that cannot be written lead nowhere, so that closing it does not fail either."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), number)


def require_streams() -> None:
    """Open what is closed, so that no file of ours takes the number of a standard stream."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            # The lowest free number is taken, and all below are open.
            os.open(os.devnull, os.O_RDWR)
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, "r" if number == 0 else "w", closefd=False))


def flush() -> OSError | None:
    """Write out what is buffered; the error if results are lost."""
    failure = None
    for stream, number in ((sys.stdout, 1), (sys.stderr, 2)):
        if stream is None or stream.closed:
            continue
        try:
            stream.flush()
        except OSError as error:
            silence(number)
            failure = error if number == 1 else failure
    return failure
