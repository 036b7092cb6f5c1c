"""The three kinds of failure, told apart by who can mend them.

`UserError`: wrong input; the message says what was given and what would work.
`ToolError`: a compiler or solver failed; the message carries its command and its own words.
`InternalError`: our bug; the message says in which phase and how to report it.
"""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """What the process returns to the shell."""

    CLEAN = 0
    FINDINGS = 1
    COULD_NOT_RUN = 2
    PARTLY_ANALYSED = 3


class HeapflowError(Exception):
    """Base of all errors that are shown without a traceback."""


class UserError(HeapflowError):
    """The input is wrong."""


class ToolError(HeapflowError):
    """A program that we call failed."""

    def __init__(self, message: str, command: str = "", output: str = "") -> None:
        super().__init__(message)
        self.command = command
        self.output = output


class InternalError(HeapflowError):
    """A bug in heapflow."""
