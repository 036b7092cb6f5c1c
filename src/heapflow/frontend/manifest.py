"""Know without compiling which earlier result fits the files as they are now.

In:    a unit, the compiler.       Out: its earlier result, or None: it must be compiled.
Guarantees: a key is returned only if every file that the compiler read then has the same content
       now, and no header has appeared that the search path would find before one of them.
Not modelled: headers that appear where `__has_include` looked in vain; `__DATE__` and `__TIME__`.

A manifest lists, per unit and compiler, the dependencies of a few earlier compilations with their
digests. Beside each digest it keeps the file's size, times and inode: while these are the same the
file is not read, so that checking a unit costs a dictionary look-up per header.
"""

from __future__ import annotations

import json
import os
import platform
import stat
import time
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from heapflow.frontend.access import content_digest
from heapflow.frontend.cache import Cache, digest
from heapflow.frontend.compiler import Compiler
from heapflow.frontend.units import SourceUnit

# Going back and forth between a few versions of a header finds each of them.
_VARIANTS = 4
# A file changed this recently may change again within its clock tick: its times prove nothing.
_SETTLED_NS = 2_000_000_000
# In the order in which clang looks through them; CPATH and C_INCLUDE_PATH come behind -I and
# -isystem, and what
# the system has before -idirafter.
_SEARCH_OPTIONS = ("-iquote", "-I", "-isystem", "-idirafter")
_SEARCH_VARIABLES = {"-I": "CPATH", "-isystem": "C_INCLUDE_PATH"}
_SYSTEM = ("/usr/local/include", f"/usr/include/{platform.machine()}-linux-gnu", "/usr/include")
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
    """One compilation: what it read, headers of the same names that it passed over, lost flags."""

    dependencies: list[Dependency]
    shadows: list[str]
    dropped_flags: list[str]
    guesses: dict[str, list[str]] = {}  # noqa: RUF012 - a default that nobody changes


class Found(NamedTuple):
    """An earlier result that fits."""

    key: str
    dropped_flags: tuple[str, ...]
    opened: tuple[tuple[str, str], ...]  # files that it was made from, with their digests
    guesses: dict[str, list[str]]


Digests = dict[tuple[str, Stamp], str | None]


class FileState:
    """What files look like now; each is looked at once per instance.

    `digests` may outlive the instance: they are kept by stamp, so a changed file is read again.
    """

    def __init__(self, digests: Digests | None = None) -> None:
        self._stamps: dict[str, Stamp | None] = {}
        self._digests: Digests = {} if digests is None else digests
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
        stamp = self.stamp(path)
        if stamp is None:
            return None
        if (path, stamp) not in self._digests:
            try:
                data = Path(path).read_bytes()
            except OSError:
                self._digests[path, stamp] = None
            else:
                self._digests[path, stamp] = content_digest(data)
        return self._digests[path, stamp]

    def names_in(self, directory: str) -> frozenset[str]:
        if directory not in self._names:
            try:
                self._names[directory] = frozenset(os.listdir(directory))  # noqa: PTH208 - names only
            except OSError:
                self._names[directory] = frozenset()
        return self._names[directory]

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
            and _shadows(unit, variant.dependencies, files) == variant.shadows
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
    """Remember what a result was made from. None: it cannot be cached, a file changed meanwhile."""
    dependencies = []
    settled = time.time_ns() - _SETTLED_NS
    for path in paths:
        stamp, content = files.stamp(path), files.digest(path)
        if stamp is None or content is None:
            return None
        changed = max(stamp[1], stamp[2])
        if changed >= started_ns:
            return None
        dependencies.append(Dependency(path, content, stamp if changed < settled else None))
    shadows = _shadows(unit, dependencies, files)
    new = Variant(dependencies, shadows, list(dropped_flags), guesses or {})
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
            Variant([_dependency(row) for row in rows], shadows, dropped, guesses)
            for rows, shadows, dropped, guesses in variants
        ]
    except (ValueError, TypeError):
        return []


def _dependency(row: list[Any]) -> Dependency:
    path, content, stamp = row
    return Dependency(path, content, tuple(stamp) if stamp else None)


def _shadows(unit: SourceUnit, dependencies: Sequence[Dependency], files: FileState) -> list[str]:
    """Files that the search path passes before the header that was taken, with the same name.

    Some are there for good (`<x.h>` does not look beside the source): only a change means something.
    """
    directories = _search_directories(unit)
    found_in = [_found_in(directories, one.path) for one in dependencies[1:]]
    found = []
    for index, directory in enumerate(directories):
        names = files.names_in(directory)
        for first, header, place in found_in:
            if index < place and first in names and files.stamp(directory + header) is not None:
                found.append(directory + header)
    return found


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


def _search_directories(unit: SourceUnit) -> tuple[str, ...]:
    """Where the search starts: beside the source, then what the unit's own flags name."""
    beside = os.path.normpath(unit.path.parent).rstrip("/") + "/"
    variables = tuple(os.environ.get(name, "") for name in _SEARCH_VARIABLES.values())
    return (beside, *_directories_of(unit.directory, unit.all_flags, variables))


@lru_cache(maxsize=64)
def _directories_of(
    directory: str, flags: tuple[str, ...], variables: tuple[str, ...]
) -> tuple[str, ...]:
    found: dict[str, list[str]] = {option: [] for option in _SEARCH_OPTIONS}
    queue = iter(flags)
    for flag in queue:
        for option in _SEARCH_OPTIONS:
            if flag == option:
                found[option].append(next(queue, ""))
            elif flag.startswith(option):
                found[option].append(flag[len(option) :])
            else:
                continue
            break
    for option, value in zip(_SEARCH_VARIABLES, variables, strict=True):
        found[option] += [name or "." for name in value.split(os.pathsep)] if value else []
    found["-isystem"] += _SYSTEM
    names = [name for option in _SEARCH_OPTIONS for name in found[option] if name]
    return tuple(
        dict.fromkeys(os.path.normpath(Path(directory, name)).rstrip("/") + "/" for name in names)
    )


def _system_name(path: str) -> str:
    """How a header outside the unit's own directories is spelt in an #include, most likely."""
    _, found, rest = path.rpartition("/include/")
    return rest if found else path.rpartition("/")[2]
