"""Which directories' settings may name programs and output files: those that the user trusted
explicitly.

A settings file comes with the tree, and the tree may come from anybody. What it says about rules
and paths
counts; a program that it names would be run, and a file that it names would be written. So these
count only from
the command line, from the user's own configuration, and from directories that `--trust` was once
given for.
The list is a file of the user's own: one real path per line.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from heapflow.support.errors import UserError
from heapflow.support.files import Refusal, belongs_to_user, read_regular

_LARGEST = 16 * 1024**2  # bytes


def user_directory() -> Path:
    """Where the user's own configuration lies: $XDG_CONFIG_HOME/heapflow, or ~/.config/heapflow."""
    base = os.environ.get("XDG_CONFIG_HOME")
    # The specification says to ignore a relative path.
    if base and Path(base).is_absolute():
        return Path(base, "heapflow")
    return Path.home() / ".config" / "heapflow"


def is_trusted(directory: Path) -> bool:
    """Whether the user trusted this very directory."""
    return os.path.realpath(directory) in _trusted()


def trust(directory: Path) -> None:
    """Remember that a directory is trusted."""
    name = os.path.realpath(directory)
    if "\n" in name:
        raise UserError(f"--trust: a directory with a line break in its name: {name!r}")
    known = _trusted()
    if name in known:
        return
    path = _list()
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, aside = tempfile.mkstemp(prefix=".trusted-", dir=path.parent)
        with os.fdopen(handle, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.writelines(f"{one}\n" for one in (*known, name))
        Path(aside).replace(path)
    except OSError as error:
        raise UserError(f"--trust: {path} cannot be written: {error.strerror}") from error


def _list() -> Path:
    return user_directory() / "trusted"


def _trusted() -> tuple[str, ...]:
    path = _list()
    if not belongs_to_user(path):
        return ()
    try:
        text = read_regular(path, _LARGEST).decode("utf-8", "surrogateescape")
    except Refusal:
        return ()
    return tuple(line for line in text.split("\n") if line)
