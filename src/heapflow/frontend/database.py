"""Read a compile database, and the record of what is linked into what beside it.

In:    compile_commands.json (`command` and `arguments` forms), heapflow-links.json if there is one.
Out:   `SourceUnit`s in the order of the database, without exact repetitions.
Guarantees: relative paths mean the entry's directory; response files are expanded, and an entry
with one
       that cannot be gives a unit that says so; two entries for one file with different flags give
       two units.
Not modelled: entries for other languages than C (named in `Database.others`).
"""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from heapflow.frontend.cache import digest
from heapflow.frontend.commandline import C_LANGUAGES, C_SUFFIXES, parse_command
from heapflow.frontend.responses import ResponseError, expand_response_files
from heapflow.frontend.units import SourceUnit
from heapflow.support.errors import UserError
from heapflow.support.files import Refusal, read_regular

DATABASE_NAME = "compile_commands.json"
LINKS_NAME = "heapflow-links.json"
LARGEST = 2 * 1024**3  # bytes
_ADVICE = "  record one from any build:  heapflow capture -- make"


@dataclass(frozen=True, slots=True)
class Database:
    """The units of a compile database, and the files whose entries are not C."""

    units: tuple[SourceUnit, ...]
    others: tuple[Path, ...] = ()

    def below(self, directory: Path) -> Database:
        """What of it lies below a directory, given by its real path."""

        def lies_below(path: Path) -> bool:
            return path.resolve().is_relative_to(directory)

        return Database(
            tuple(part_of(self.units, [unit for unit in self.units if lies_below(unit.path)])),
            tuple(path for path in self.others if lies_below(path)),
        )


def part_of(units: Sequence[SourceUnit], chosen: Sequence[SourceUnit]) -> list[SourceUnit]:
    """Those that were chosen of a build's units: with files left out, what is linked with them is not
    whole."""
    kept = set(chosen)
    cut = {target for unit in units if unit not in kept for target in unit.targets}
    return [replace(unit, whole=unit.whole and cut.isdisjoint(unit.targets)) for unit in chosen]


def find_database(place: Path) -> Path:
    """The database at a path: the file itself, or compile_commands.json in the directory."""
    if place.is_file():
        return place
    if not place.is_dir():
        raise UserError(f"{place}: no such file or directory")
    for candidate in (place, *sorted(place.glob("build*"))):
        if (candidate / DATABASE_NAME).is_file():
            return candidate / DATABASE_NAME
    raise UserError(f"{place}: there is no {DATABASE_NAME} in it\n{_ADVICE}")


def read_database(path: Path) -> Database:
    """Read the database at `path`."""
    units: dict[SourceUnit, list[str]] = {}
    others: dict[Path, None] = {}
    open_units: set[SourceUnit] = set()
    links = _read_links(path.parent / LINKS_NAME)
    for number, entry in enumerate(_entries(path)):
        unit = _unit_of_entry(entry, path, number)
        if unit is None:
            others[path.parent.resolve() / entry.get("directory", ".") / entry["file"]] = None
            continue
        # The same call twice (libtool compiles for two libraries) is one unit, in the targets of both.
        targets = units.setdefault(unit, [])
        targets += links.units.get(entry_key(entry), ()) if links.units else ()
        if not links.is_whole(entry_key(entry)):
            open_units.add(unit)
    if not units:
        what = "has no entries" if not others else f"has no C files ({len(others)} other files)"
        raise UserError(f"{path}: the compile database {what}\n{_ADVICE}")
    found = (
        replace(unit, targets=tuple(dict.fromkeys(targets)), whole=unit not in open_units)
        for unit, targets in units.items()
    )
    return Database(tuple(found), tuple(others))


def _entries(path: Path) -> list[dict[str, Any]]:
    data = _json(path, "not a compile database", _ADVICE)
    if not isinstance(data, list) or not all(isinstance(entry, dict) for entry in data):
        raise UserError(f"{path}: not a compile database: a list of entries is expected\n{_ADVICE}")
    return data


def _json(path: Path, what: str, advice: str) -> Any:
    try:
        data = read_regular(path, LARGEST)
        # A byte order mark is no part of the text, though JSON has no word for it.
        text = data.decode("utf-8", "surrogateescape").removeprefix("\ufeff")
        return json.loads(text)
    except Refusal as error:
        raise UserError(f"{path}: cannot be read: {error}") from error
    except ValueError as error:
        raise UserError(f"{path}: {what}: {error}\n{advice}") from error
    except RecursionError as error:
        raise UserError(f"{path}: {what}: nested too deeply\n{advice}") from error


def entry_key(entry: dict[str, Any]) -> str:
    """Identifies a captured entry in the list of links: the index would not survive an edit."""
    words = entry.get("arguments", ())
    # In a database that somebody else wrote, any of these may be missing or of another type.
    arguments = map(str, words) if isinstance(words, list | tuple) else ()
    return digest(str(entry.get("directory", ".")), str(entry.get("file")), *arguments)


def _unit_of_entry(entry: dict[str, Any], path: Path, number: int) -> SourceUnit | None:
    """The unit of an entry; None: it is not C."""
    source, directory = entry.get("file"), entry.get("directory", ".")
    if not isinstance(source, str) or not isinstance(directory, str):
        raise UserError(f'{path}: entry {number + 1} has no "file" or no "directory"\n{_ADVICE}')
    arguments = _arguments(entry, path, number)
    _require_possible((source, directory, *arguments), f"{path}: entry {number + 1}")
    where = path.parent.resolve() / directory
    problem = ""
    try:
        arguments = list(expand_response_files(arguments[1:], where))
    except ResponseError as error:
        problem = str(error)
    command = parse_command(arguments)
    if not _is_c(source, command.language):
        return None
    if command.working:
        source, where = str(where / source), where / command.working
    return SourceUnit(
        source,
        os.path.normpath(where),
        command.flags,
        language=command.language,
        problem=problem,
    )


def _require_possible(words: Iterable[str], where: str) -> None:
    """No program can be given a word with a NUL character, or half of a character."""
    for word in words:
        try:
            possible = b"\0" not in os.fsencode(word)
        except UnicodeEncodeError:
            possible = False
        if not possible:
            raise UserError(f"{where}: {word!r} cannot be an argument of a compiler")


def _arguments(entry: dict[str, Any], path: Path, number: int) -> list[str]:
    arguments, text = entry.get("arguments"), entry.get("command")
    if isinstance(arguments, list) and all(isinstance(word, str) for word in arguments):
        return skip_launchers(arguments)
    if isinstance(text, str):
        try:
            return skip_launchers(shlex.split(text))
        except ValueError as error:
            raise UserError(
                f"{path}: entry {number + 1}: cannot split its command: {error}"
            ) from error
    raise UserError(f'{path}: entry {number + 1} has neither "arguments" nor "command"\n{_ADVICE}')


def skip_launchers(arguments: list[str]) -> list[str]:
    """Without `ccache`, `distcc` and the like in front of the compiler."""
    launchers = {"ccache", "distcc", "sccache", "icecc", "nice", "time", "env"}
    while len(arguments) > 1 and Path(arguments[0]).name in launchers:
        # Only a word that can be a command follows a launcher; `ccache -c` cleans the cache.
        if arguments[1].startswith("-"):
            break
        arguments = arguments[1:]
    return arguments


def _is_c(source: str, language: str) -> bool:
    return language in C_LANGUAGES if language else Path(source).suffix in C_SUFFIXES


@dataclass(frozen=True, slots=True)
class _Links:
    """What is linked into what."""

    # Entry key to the programs and libraries that the file is part of; empty without a record.
    units: dict[str, tuple[str, ...]] = field(default_factory=dict)
    whole: frozenset[str] = frozenset()  # programs and libraries that are known as a whole
    archived: frozenset[str] = frozenset()  # keys of what other programs may take out of an archive

    def is_whole(self, key: str) -> bool:
        """Whether no file that is not known can name the functions of an entry."""
        targets = self.units.get(key, ())
        return bool(targets) and self.whole.issuperset(targets) and key not in self.archived


def _read_links(path: Path) -> _Links:
    if not path.exists():
        return _Links()
    data = _json(path, "damaged", "  delete it or capture the build again")
    try:
        whole = {_text(one["output"]) for one in data.get("targets", ()) if one.get("whole")}
        return _Links(
            {key: tuple(map(_text, targets)) for key, targets in data["units"].items()},
            frozenset(whole),
            frozenset(map(_text, data.get("archived", ()))),
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise UserError(
            f"{path}: damaged ({error}); delete it or capture the build again"
        ) from error


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("a target that is no text")
    return value
