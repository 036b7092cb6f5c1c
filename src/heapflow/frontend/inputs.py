"""From what the user named to the units to read.

In:    files and directories, `-p BUILD`, flags after `--`.
Out:   `Inputs`.
Guarantees: at least one unit, or a `UserError` that says what would work.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from heapflow.frontend.commandline import parse_command
from heapflow.frontend.database import find_database, read_database
from heapflow.frontend.responses import ResponseError, expand_response_files
from heapflow.frontend.units import SourceUnit, unit_of_file
from heapflow.support.errors import UserError


@dataclass(frozen=True, slots=True)
class Inputs:
    """What to read, and how many database entries are not C."""

    units: tuple[SourceUnit, ...]
    skipped: int = 0
    named: tuple[
        Path, ...
    ] = ()  # files and directories that the user named, and their databases' places


def find_inputs(
    paths: Sequence[str], cflags: Sequence[str] = (), build: str | None = None
) -> Inputs:
    """The units that the user asked for.

    With `build`, file names select from its database; without, each names a file or a directory.
    """
    if build is not None:
        return _from_build(Path(build), paths, cflags)
    if not paths:
        raise UserError(
            "no input files\n"
            "  name C files:        heapflow check main.c util.c -- -Iinclude\n"
            "  or a build:          heapflow capture -- make && heapflow check ."
        )
    flags = _flags(cflags)
    units: list[SourceUnit] = []
    skipped = 0
    named = [Path(path) for path in paths]
    for path in paths:
        if Path(path).is_dir() or Path(path).name.endswith(".json"):
            place = find_database(Path(path))
            database = read_database(place)
            units += (_with_flags(unit, flags) for unit in database.units)
            skipped += database.skipped
            named.append(place.absolute().parent)
        else:
            units.append(unit_of_file(path, flags))
            named.append(Path(path).absolute().parent)
    return Inputs(tuple(dict.fromkeys(units)), skipped, tuple(named))


def _from_build(build: Path, paths: Sequence[str], cflags: Sequence[str]) -> Inputs:
    path = find_database(build)
    database = read_database(path)
    flags = _flags(cflags)
    units = [_with_flags(unit, flags) for unit in database.units]
    named = (path.absolute().parent, build, *(Path(name) for name in paths))
    if not paths:
        return Inputs(tuple(units), database.skipped, named)
    wanted = {Path(name).resolve(): name for name in paths}
    chosen = tuple(unit for unit in units if unit.path.resolve() in wanted)
    missing = set(wanted) - {unit.path.resolve() for unit in chosen}
    if missing:
        names = ", ".join(sorted(wanted[name] for name in missing))
        raise UserError(
            f"{path}: has no entry for {names}\n  without -p they are read on their own"
        )
    return Inputs(chosen, named=named)


def _flags(cflags: Sequence[str]) -> tuple[str, ...]:
    try:
        return parse_command(expand_response_files(cflags, Path.cwd())).flags
    except ResponseError as error:
        raise UserError(f"compiler flags after `--`: {error}") from error


def _with_flags(unit: SourceUnit, flags: tuple[str, ...]) -> SourceUnit:
    return replace(unit, own_flags=flags) if flags else unit
