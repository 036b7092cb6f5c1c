"""Know without compiling which earlier result fits the files as they are now.

In:    a unit, the compiler.       Out: its earlier result, or None: it must be compiled.
Guarantees: a key is returned only if every file that the compiler read then has the same content
       now, no header has appeared that the search path would find before one of them, and none where
       `__has_include` looked in vain. What asks so by names that cannot be read off it is not kept.
Not modelled: `__DATE__` and `__TIME__`.

A manifest lists, per unit and compiler, the dependencies of a few earlier compilations with their
digests. Beside each digest it keeps the file's size, times and inode: while these are the same the
file is not read, so that checking a unit costs a dictionary look-up per header.
"""

from __future__ import annotations

import json
import os
import stat
import time
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from heapflow.frontend.access import content_digest
from heapflow.frontend.asked import asks, headers_asked_for
from heapflow.frontend.cache import Cache, digest
from heapflow.frontend.compiler import Compiler
from heapflow.frontend.searched import search_directories
from heapflow.frontend.units import SourceUnit

# Going back and forth between a few versions of a header finds each of them.
_VARIANTS = 4
# A file changed this recently may change again within its clock tick: its times prove nothing.
_SETTLED_NS = 2_000_000_000
# What clang's driver reads besides its command line.
_ENVIRONMENT = (
    *(
        "CPATH",
        "C_INCLUDE_PATH",
        "CCC_OVERRIDE_OPTIONS",
        "CCC_ADD_ARGS",
        "SOURCE_DATE_EPOCH",
        "SDKROOT",
    ),
    *(
        "GCC_EXEC_PREFIX",
        "COMPILER_PATH",
        "CLANG_CONFIG_FILE_SYSTEM_DIR",
        "CLANG_CONFIG_FILE_USER_DIR",
    ),
)

Stamp = tuple[int, int, int, int]


class Dependency(NamedTuple):
    """A file that a result was made from."""

    path: str
    digest: str
    stamp: Stamp | None  # None: changed too recently to be recognised by its times


class Variant(NamedTuple):
    """One compilation: what it read, headers that it asked for (`asked.py`), what lies in other places
    where a header is looked for, lost flags."""

    dependencies: list[Dependency]
    asked: list[str]
    elsewhere: list[str]
    dropped_flags: list[str]
    guesses: dict[str, list[str]] = {}  # noqa: RUF012 - a default that nobody changes


class Found(NamedTuple):
    """An earlier result that fits."""

    key: str
    dropped_flags: tuple[str, ...]
    opened: tuple[tuple[str, str], ...]  # files that it was made from, with their digests
    guesses: dict[str, list[str]]


class Content(NamedTuple):
    """What is known of the bytes of a file."""

    digest: str
    asked: frozenset[str] | None  # headers that it asks for; None: unknown ones


Contents = dict[tuple[str, Stamp], Content | None]


class FileState:
    """What files look like now; each is looked at once per instance.

    `contents` may outlive the instance: they are kept by stamp, so a changed file is read again.
    """

    def __init__(self, contents: Contents | None = None) -> None:
        self._stamps: dict[str, Stamp | None] = {}
        self._contents: Contents = {} if contents is None else contents
        self._names: dict[str, frozenset[str]] = {}

    def stamp(self, path: str) -> Stamp | None:
        if path not in self._stamps:
            try:
                status = os.stat(path)  # noqa: PTH116 - a Path per header is a third of the cost
                is_file = stat.S_ISREG(status.st_mode)
            except (OSError, ValueError):
                is_file = False
            if not is_file:
                self._stamps[path] = None
            else:
                self._stamps[path] = (
                    status.st_size,
                    status.st_mtime_ns,
                    status.st_ctime_ns,
                    status.st_ino,
                )
        return self._stamps[path]

    def digest(self, path: str) -> str | None:
        content = self.content(path)
        return None if content is None else content.digest

    def content(self, path: str) -> Content | None:
        stamp = self.stamp(path)
        if stamp is None:
            return None
        if (path, stamp) not in self._contents:
            try:
                data = Path(path).read_bytes()
            except OSError:
                self._contents[path, stamp] = None
            else:
                known = Content(content_digest(data), headers_asked_for(data))
                self._contents[path, stamp] = known
        return self._contents[path, stamp]

    def names_in(self, directory: str) -> frozenset[str]:
        if directory not in self._names:
            try:
                self._names[directory] = frozenset(os.listdir(directory))  # noqa: PTH208 - names only
            except OSError:
                self._names[directory] = frozenset()
        return self._names[directory]

    def find(self, directory: str, name: str) -> str | None:
        """The file of a header's name that lies below a directory."""
        first = name.partition("/")[0]
        if first not in ("", ".", "..") and first not in self.names_in(directory):
            return None
        path = name if name.startswith("/") else directory + name
        return path if self.stamp(path) is not None else None

    def matches(self, dependency: Dependency) -> bool:
        stamp = self.stamp(dependency.path)
        if stamp is None:
            return False
        if stamp == dependency.stamp:
            return True
        return self.digest(dependency.path) == dependency.digest


def manifest_key(unit: SourceUnit, compiler: Compiler, reader: str) -> str:
    """Identifies what the user asked to be compiled, by name; contents are in the manifest."""
    environment = [os.environ.get(name, "") for name in _ENVIRONMENT]
    identity = [unit.source, unit.directory, unit.name, unit.kind.value, unit.language]
    flags = [*unit.flags, "", *unit.own_flags, "", unit.tree_state]
    return digest(compiler.fingerprint, reader, *identity, *environment, *flags)


def find_result(cache: Cache, key: str, unit: SourceUnit, files: FileState) -> Found | None:
    """The result of an earlier run that fits the files as they are now."""
    for variant in _read_variants(cache, key):
        if (
            all(files.matches(one) for one in variant.dependencies)
            and _elsewhere(unit, variant.dependencies, variant.asked, files) == variant.elsewhere
        ):
            opened = tuple((one.path, one.digest) for one in variant.dependencies)
            dropped = tuple(variant.dropped_flags)
            return Found(result_key(key, variant.dependencies), dropped, opened, variant.guesses)
    return None


def record_result(
    cache: Cache,
    key: str,
    unit: SourceUnit,
    paths: Sequence[str],
    dropped_flags: Sequence[str],
    files: FileState,
    started_ns: int,
    guesses: dict[str, list[str]] | None = None,
) -> str | None:
    """Remember what a result was made from. None: it cannot be cached, a file changed meanwhile, or
    asks for headers of unknown names."""
    if asks(unit.all_flags):
        return None
    dependencies = []
    asked: set[str] = set()
    settled = time.time_ns() - _SETTLED_NS
    for path in paths:
        stamp, content = files.stamp(path), files.content(path)
        if stamp is None or content is None or content.asked is None:
            return None
        asked |= content.asked
        changed = max(stamp[1], stamp[2])
        if changed >= started_ns:
            return None
        known = stamp if changed < settled else None
        dependencies.append(Dependency(path, content.digest, known))
    names = sorted(asked)
    elsewhere = _elsewhere(unit, dependencies, names, files)
    new = Variant(dependencies, names, elsewhere, list(dropped_flags), guesses or {})
    contents = [(one.path, one.digest) for one in dependencies]
    others = [
        variant
        for variant in _read_variants(cache, key)
        if [(one.path, one.digest) for one in variant.dependencies] != contents
    ]
    variants = [new, *others][:_VARIANTS]
    cache.put("manifest", key, json.dumps(variants, separators=(",", ":")).encode())
    return result_key(key, dependencies)


def result_key(manifest: str, dependencies: Sequence[Dependency]) -> str:
    # No path has a line break that matters: two lists that read the same name the same files.
    return digest(manifest, "\n".join(f"{one.path}\n{one.digest}" for one in dependencies))


def _read_variants(cache: Cache, key: str) -> list[Variant]:
    data = cache.get("manifest", key)
    if data is None:
        return []
    try:
        variants: list[Any] = json.loads(data)
        return [
            Variant([_dependency(row) for row in rows], asked, elsewhere, dropped, guesses)
            for rows, asked, elsewhere, dropped, guesses in variants
        ]
    except (ValueError, TypeError):
        return []


def _dependency(row: list[Any]) -> Dependency:
    path, content, stamp = row
    return Dependency(path, content, tuple(stamp) if stamp else None)


def _elsewhere(
    unit: SourceUnit, dependencies: Sequence[Dependency], asked: Sequence[str], files: FileState
) -> list[str]:
    """Files that the search for headers comes by: those of the name of one that was taken, in front of
    it, and those that are asked for.

    Some are there for good (`<x.h>` does not look beside the source): only a change means something.
    """
    directories = search_directories(unit)
    found_in = [_found_in(directories, one.path) for one in dependencies[1:]]
    # A map of headers in the place of a directory: what it leads to is not followed.
    found = [one for one in directories if files.stamp(one.rstrip("/")) is not None]
    for index, directory in enumerate(directories):
        names = files.names_in(directory)
        for first, header, place in found_in:
            if index < place and first in names and files.stamp(directory + header) is not None:
                found.append(directory + header)
    if asked:
        also = {place for one in dependencies for place in _places_of(one.path)}
        for directory in dict.fromkeys((*directories, *sorted(also))):
            found += (path for name in asked if (path := files.find(directory, name)) is not None)
    return found


@lru_cache(maxsize=1 << 16)
def _places_of(path: str) -> tuple[str, ...]:
    """Where a file looks for headers beside itself, and where it was probably found."""
    beside, root = path.rpartition("/")[0] + "/", path.rpartition("/include/")[0]
    return (beside, root + "/include/") if root else (beside,)


@lru_cache(maxsize=1 << 16)
def _found_in(directories: tuple[str, ...], path: str) -> tuple[str, str, int]:
    """How a header was spelt, its first component, and the place of its directory in the search."""
    # The longest directory: `-Iinc` lies below the directory of the source.
    fitting = [place for place, one in enumerate(directories) if path.startswith(one)]
    if fitting:
        place = max(fitting, key=lambda one: len(directories[one]))
        header = path[len(directories[place]) :]
    else:
        place, header = len(directories), _system_name(path)
    return header.partition("/")[0], header, place


def _system_name(path: str) -> str:
    """How a header outside the unit's own directories is spelt in an #include, most likely."""
    _, found, rest = path.rpartition("/include/")
    return rest if found else path.rpartition("/")[2]
