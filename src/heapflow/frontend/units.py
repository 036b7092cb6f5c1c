"""What there is to read: one `SourceUnit` per compiler call per C file, or per bitcode file.

Paths in a unit are as the build wrote them, relative to `directory`; `name` is what people read.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from heapflow.support.errors import UserError


class UnitKind(Enum):
    """What the file holds."""

    C = "c"
    BITCODE = "bitcode"
    ASSEMBLY = "assembly"  # LLVM IR as text


@dataclass(frozen=True, slots=True)
class SourceUnit:
    """One thing to compile and read."""

    source: str  # as on the command line
    directory: str  # absolute; relative paths mean this directory
    flags: tuple[str, ...] = ()  # of the build: what is not on the list of `allowed.py` is left out
    kind: UnitKind = UnitKind.C
    language: str = ""  # -x LANGUAGE, where the name does not tell
    targets: tuple[str, ...] = ()  # programs and libraries that it is linked into, where known
    whole: bool = False  # no other file can name its functions
    own_flags: tuple[str, ...] = ()  # that the user typed, after those of the build
    problem: str = ""  # why it cannot be compiled, if that is known before
    tree: str = ""  # the tree that it is guessed from; "": its flags are known
    tree_state: str = ""  # changes when guesses might

    @property
    def path(self) -> Path:
        return Path(self.directory, self.source)

    @property
    def all_flags(self) -> tuple[str, ...]:
        return (*self.flags, *self.own_flags)

    @property
    def name(self) -> str:
        """The path for people: relative to the current directory where it lies below that."""
        return display_path(self.path)


def display_path(path: Path) -> str:
    full = os.path.normpath(path)
    here = str(Path.cwd())
    if full.startswith(here.rstrip("/") + "/"):
        return full[len(here.rstrip("/")) + 1 :]
    return full


_KINDS = {".c": UnitKind.C, ".i": UnitKind.C, ".bc": UnitKind.BITCODE, ".ll": UnitKind.ASSEMBLY}


def unit_of_file(path: str, flags: tuple[str, ...], language: str = "") -> SourceUnit:
    """The unit for a file that was named on heapflow's own command line; who names a language, too, is
    asked for nothing else."""
    kind = _KINDS.get(Path(path).suffix, UnitKind.C if language else None)
    if kind is None:
        raise UserError(
            f"{path}: not a C file\n"
            "  heapflow reads .c and .i files, .bc and .ll files, and directories with a "
            "compile_commands.json"
        )
    if not Path(path).exists():
        raise UserError(f"{path}: no such file")
    own = flags if kind is UnitKind.C else ()
    return SourceUnit(path, str(Path.cwd()), kind=kind, own_flags=own)
