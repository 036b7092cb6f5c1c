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
from heapflow.frontend.commandline import C_LANGUAGES, VALUE_OPTIONS, Command, parse_command
from heapflow.frontend.database import Database, find_database, part_of, read_database
from heapflow.frontend.flags import translate_flags
from heapflow.frontend.nearest import Databases, databases_in
from heapflow.frontend.responses import ResponseError, expand_response_files
from heapflow.frontend.units import SourceUnit, UnitKind, display_path, unit_of_file
from heapflow.support.errors import UserError

_SHOWN = 8  # words after `--`


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
    own = _own_flags(cflags)
    if build is not None:
        found = _from_build(Path(build), paths, own.flags)
    else:
        work = _Search(search, own.flags, own.language)
        for path in paths or ["."]:
            work.add(path)
        found = work.found()
    units = tuple(map(own.applied, found.units))
    return replace(found, units=units, notes=(*found.notes, *own.notes))


@dataclass(slots=True)
class _Search:
    """What is found so far."""

    search: Search
    flags: tuple[str, ...]
    language: str = ""  # that the user names
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
        unit = unit_of_file(path, self.flags, self.language)
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


@dataclass(frozen=True, slots=True)
class _Own:
    """What the user wrote after `--`."""

    flags: tuple[str, ...]
    language: str
    notes: tuple[str, ...]

    def applied(self, unit: SourceUnit) -> SourceUnit:
        """A unit that is read as the user says; another language is no C."""
        if not self.language or unit.kind is not UnitKind.C:
            return unit
        if self.language in C_LANGUAGES:
            return replace(unit, language=self.language)
        return replace(unit, problem=f"is not C: -x {self.language} after `--`")


def _own_flags(cflags: Sequence[str]) -> _Own:
    try:
        words = list(expand_response_files(cflags, Path.cwd()))
    except ResponseError as error:
        raise UserError(f"compiler flags after `--`: {error}") from error
    command = parse_command(words)
    unused = [*_not_flags(words, command), *translate_flags(command.flags, own=True).silent]
    if not unused:
        return _Own(command.flags, command.language, ())
    shown = ", ".join(dict.fromkeys(unused[:_SHOWN]))
    more = " …" if len(unused) > _SHOWN else ""
    note = f"words after `--` that the analysis has no use for ({len(unused)}): {shown}{more}"
    return _Own(command.flags, command.language, (note,))


def _not_flags(words: Sequence[str], command: Command) -> list[str]:
    """Inputs, outputs, stages and libraries, as they were written; `-x` is none of these."""
    flags = Counter(command.flags)
    found: list[str] = []
    queue = iter(words)
    for word in queue:
        one = [word, *([next(queue, "")] if word in VALUE_OPTIONS else [])]
        if flags[word]:
            flags.subtract(one)
        elif not word.startswith(("-x", "--language")):
            found.append(" ".join(one))
    return found


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
