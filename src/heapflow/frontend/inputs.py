"""From what the user named to the units to read.

In:    files and directories, `-p BUILD`, flags after `--`, how to look for a database.
Out:   `Inputs`.
Guarantees: at least one unit, or a `UserError` that says what would work. A file has the flags of the
       nearest database that knows it; a directory means what the nearest database has below it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path

from heapflow.frontend.buildless.plan import unit_in_tree, units_below
from heapflow.frontend.commandline import parse_command
from heapflow.frontend.database import Database, find_database, part_of, read_database
from heapflow.frontend.nearest import Databases, databases_in
from heapflow.frontend.responses import ResponseError, expand_response_files
from heapflow.frontend.units import SourceUnit, UnitKind, display_path, unit_of_file
from heapflow.support.errors import UserError


class Search(Enum):
    """Where flags come from."""

    NEAREST = "nearest"  # a database beside what was named, or above it
    NONE = "none"  # files are read with the flags after `--` only
    BUILDLESS = "buildless"  # nothing is known of a build, even if there is a database


@dataclass(frozen=True, slots=True)
class Inputs:
    """What to read, and what of it is left out."""

    units: tuple[SourceUnit, ...]
    others: tuple[Path, ...] = ()  # files of the databases that are not C
    named: tuple[
        Path, ...
    ] = ()  # files and directories that the user named, and their databases' places
    notes: tuple[str, ...] = ()  # how it was found

    @property
    def languages(self) -> tuple[tuple[str, int], ...]:
        """The languages that are left out, with their numbers of files."""
        return languages_of(self.others)


def find_inputs(
    paths: Sequence[str],
    cflags: Sequence[str] = (),
    build: str | None = None,
    search: Search = Search.NEAREST,
) -> Inputs:
    """The units that the user asked for; with `build`, names select from its database."""
    flags = _flags(cflags)
    if build is not None:
        return _from_build(Path(build), paths, flags)
    work = _Search(search, flags)
    for path in paths or ["."]:
        work.add(path)
    return work.found()


@dataclass(slots=True)
class _Search:
    """What is found so far."""

    search: Search
    flags: tuple[str, ...]
    databases: Databases = field(default_factory=Databases)
    units: list[SourceUnit] = field(default_factory=list)
    others: list[Path] = field(default_factory=list)
    named: list[Path] = field(default_factory=list)
    used: Counter[Path] = field(default_factory=Counter)  # databases, with the files that use them

    def add(self, path: str) -> None:
        """One file, database or directory."""
        self.named.append(Path(path))
        if Path(path).name.endswith(".json") and not Path(path).is_dir():
            place = find_database(Path(path))
            self._add_database(place, read_database(place))
        elif Path(path).is_dir():
            self._add_directory(Path(path))
        else:
            self._add_file(path)

    def _add_directory(self, directory: Path) -> None:
        found = None if self.search is not Search.NEAREST else self.databases.below(directory)
        if found is None and self.search is Search.NEAREST and any(databases_in(directory)):
            place = find_database(directory)  # named with its directory: what is wrong is told
            found = place, read_database(place)
        if found is not None:
            self._add_database(*found)
            return
        units = units_below(directory, self.flags)
        if not units:
            raise UserError(
                f"{directory}: there is no compile database for it, and no C file in it\n"
                "  record a database from any build:  heapflow capture -- make"
            )
        self.units += units
        self.databases.note(
            f"{directory}: no compile database; {len(units)} files are compiled by guessing. "
            "For all flags and generated files:  heapflow capture -- make"
        )

    def _add_database(self, place: Path, database: Database) -> None:
        self.units += (_with_flags(unit, self.flags) for unit in database.units)
        self.others += database.others
        self.named.append(place.absolute().parent)

    def _add_file(self, path: str) -> None:
        unit = unit_of_file(path, self.flags)
        self.named.append(Path(path).absolute().parent)
        found = None
        if self.search is Search.BUILDLESS and unit.kind is UnitKind.C:
            self.units.append(unit_in_tree(Path(path), self.flags))
            return
        if self.search is Search.NEAREST and unit.kind is UnitKind.C:
            found = self.databases.for_file(Path(path))
        if found is None:
            self.units.append(unit)
            return
        place, units = found
        self.units += (_with_flags(one, self.flags) for one in units)
        self.named.append(place.parent)
        self.used[place] += 1

    def found(self) -> Inputs:
        notes = [*self.databases.notes]
        for place, number in self.used.items():
            files = "1 file" if number == 1 else f"{number} files"
            notes.append(f"flags of {files} come from {display_path(place)} (--no-database: none)")
        return Inputs(
            tuple(dict.fromkeys(self.units)),
            tuple(dict.fromkeys(self.others)),
            tuple(self.named),
            tuple(notes),
        )


def _from_build(build: Path, paths: Sequence[str], flags: tuple[str, ...]) -> Inputs:
    path = find_database(build)
    database = read_database(path)
    units = [_with_flags(unit, flags) for unit in database.units]
    named = (path.absolute().parent, build, *(Path(name) for name in paths))
    if not paths:
        return Inputs(tuple(units), database.others, named)
    chosen: dict[SourceUnit, None] = {}
    others: dict[Path, None] = {}
    missing = []
    for name in paths:
        real = Path(name).resolve()
        found = [unit for unit in units if unit.path.resolve().is_relative_to(real)]
        chosen |= dict.fromkeys(found)
        others |= dict.fromkeys(database.below(real).others)
        missing += [] if found else [name]
    if missing:
        raise UserError(
            f"{path}: has no entry for {', '.join(missing)}\n  without -p they are read on their own"
        )
    kept = part_of(units, [unit for unit in units if unit in chosen])
    return Inputs(tuple(kept), tuple(others), named)


def _flags(cflags: Sequence[str]) -> tuple[str, ...]:
    try:
        return parse_command(expand_response_files(cflags, Path.cwd())).flags
    except ResponseError as error:
        raise UserError(f"compiler flags after `--`: {error}") from error


def _with_flags(unit: SourceUnit, flags: tuple[str, ...]) -> SourceUnit:
    return replace(unit, own_flags=flags) if flags else unit


_LANGUAGES = {
    "C++": ".cc .cp .cpp .cxx .CPP .C .c++ .ii .hh .hpp .hxx",
    "Objective-C": ".m .mm .mi .M",
    "assembly": ".s .S .sx .asm",
    "Fortran": ".f .F .for .f77 .f90 .F90 .f95 .f03 .f08",
    "CUDA": ".cu",
}
_BY_SUFFIX = {suffix: name for name, suffixes in _LANGUAGES.items() for suffix in suffixes.split()}


def languages_of(files: Iterable[Path]) -> tuple[tuple[str, int], ...]:
    """Languages by the names of files, the most frequent first."""
    counts = Counter(_BY_SUFFIX.get(file.suffix, "another language") for file in files)
    return tuple(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
