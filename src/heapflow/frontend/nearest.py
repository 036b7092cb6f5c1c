"""Find the compile database that holds for a file or a directory, as other tools do.

In:    a file or a directory.     Out: databases, nearest first: beside it, in the directories above,
       and in their `build*` directories.
Guarantees: a database that belongs to another user is passed over, and named: it was not asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from heapflow.frontend.database import DATABASE_NAME, Database, part_of, read_database
from heapflow.frontend.units import SourceUnit, display_path
from heapflow.support.errors import UserError
from heapflow.support.files import belongs_to_user

_MOST_BUILDS = 64  # directories `build*` in one directory


@dataclass(slots=True)
class Databases:
    """Reads each database once, and remembers what it passed over."""

    read: dict[Path, Database | None] = field(default_factory=dict)
    notes: dict[str, None] = field(default_factory=dict)

    def for_file(self, file: Path) -> tuple[Path, list[SourceUnit]] | None:
        """The nearest database that knows a file, with its units."""
        real = file.resolve()
        passed = None
        for place in databases_above(file.absolute().parent):
            units = [unit for unit in self._units(place) if unit.path.resolve() == real]
            if units:
                return place, part_of(self._units(place), units)
            passed = passed or place
        if passed is not None:
            self.note(
                f"{display_path(passed)} has no entry for {display_path(file.absolute())}: "
                "it is compiled without flags of the build"
            )
        return None

    def below(self, directory: Path) -> tuple[Path, Database] | None:
        """The nearest database with entries below a directory, and those entries."""
        real = directory.resolve()
        for place in databases_above(directory.absolute()):
            database = self.get(place)
            if database is None:
                continue
            if place.parent.resolve().is_relative_to(real):
                return place, database
            inside = database.below(real)
            if inside.units:
                return place, inside
        return None

    def _units(self, place: Path) -> tuple[SourceUnit, ...]:
        database = self.get(place)
        return database.units if database is not None else ()

    def get(self, place: Path) -> Database | None:
        """A database that nobody named; None, with a note, if it cannot be used."""
        if place not in self.read:
            self.read[place] = None
            if not belongs_to_user(place):
                self.note(f"{place} is not read: it belongs to another user; -p names it")
            else:
                try:
                    self.read[place] = read_database(place)
                except UserError as error:
                    self.note(f"not used: {str(error).splitlines()[0]}")
        return self.read[place]

    def note(self, text: str) -> None:
        self.notes[text] = None


def databases_above(directory: Path) -> Iterator[Path]:
    """The databases of a directory and of those above it."""
    for above in (directory, *directory.parents):
        yield from databases_in(above)


def databases_in(directory: Path) -> Iterator[Path]:
    """compile_commands.json in a directory, then in its `build`, then in its other `build*`."""
    if (directory / DATABASE_NAME).is_file():
        yield directory / DATABASE_NAME
    try:
        builds = sorted(one for one in directory.glob("build*") if (one / DATABASE_NAME).is_file())
    except OSError:
        return
    for build in builds[:_MOST_BUILDS]:
        yield build / DATABASE_NAME
