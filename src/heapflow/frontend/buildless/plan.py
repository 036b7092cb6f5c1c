"""The units of a directory that has no compile database."""

from __future__ import annotations

import os
import re
from pathlib import Path

from heapflow.frontend.access import repository_of
from heapflow.frontend.buildless.tree import index_tree, programs_files, read_text
from heapflow.frontend.cache import digest
from heapflow.frontend.units import SourceUnit

_SYSTEM = ("/usr/include", "/usr/lib/pkgconfig", "/usr/share/pkgconfig", "/usr/local/include")

# What lies in the top directory of a project; a licence may lie in each of its parts as well.
_BUILDS = ("configure.ac", "configure.in", "configure")
_BUILDS_IF_TOP = ("meson.build", "CMakeLists.txt")  # each directory has one, only the top's says so
_NAMES_PROJECT = re.compile(r"^\s*project\s*\(", re.M | re.I)
_LICENCES = ("LICENSE", "LICENSE.md", "LICENSE.txt", "COPYING", "COPYRIGHT")
_DESCRIBED = ("README", "README.md", "readme.md", "README.txt", "README.rst")
_MOST_ABOVE = 5  # directories; src/plugins/KIND/NAME is not rare


def units_below(directory: Path, flags: tuple[str, ...]) -> list[SourceUnit]:
    """A unit for each C file below a directory that no other file includes."""
    real = os.path.realpath(directory)
    tree = index_tree(project_of(real))
    below = tree.relative(real) or ""
    state = digest(tree.state, *(_stamp(one) for one in _SYSTEM))
    return [
        SourceUnit(tree.path(file), tree.root, own_flags=flags, tree=tree.root, tree_state=state)
        for file in programs_files(tree, below)
    ]


def unit_in_tree(file: Path, flags: tuple[str, ...]) -> SourceUnit:
    """One file of a tree, compiled by guessing."""
    real = os.path.realpath(file)
    tree = index_tree(project_of(os.path.dirname(real)))  # noqa: PTH120 - a text
    state = digest(tree.state, *(_stamp(one) for one in _SYSTEM))
    return SourceUnit(real, tree.root, own_flags=flags, tree=tree.root, tree_state=state)


def project_of(directory: str) -> str:
    """The directory of the project: its repository, or the farthest with a build, else the nearest
    with a licence.

    Archives have no repository, and `src/` needs the headers of `../include`. Parts have builds of
    their own (`AC_CONFIG_SUBDIRS`), and use each other's headers.
    """
    repository = repository_of(directory)
    if repository != directory:
        return repository
    home = Path(os.path.realpath(Path.home()))
    built, licensed, described = "", "", directory
    for number, one in enumerate([Path(directory), *Path(directory).parents][: _MOST_ABOVE + 1]):
        if number and (one == one.parent or one == home):
            break
        if _has_build(one):
            built = str(one)
        if not licensed and any((one / name).exists() for name in _LICENCES):
            licensed = str(one)
        if number and any((one / name).exists() for name in _DESCRIBED):
            described = str(one)
    return built or licensed or described


def _has_build(directory: Path) -> bool:
    """Whether the build of a whole project begins in a directory."""
    if any((directory / name).exists() for name in _BUILDS):
        return True
    return any(
        _NAMES_PROJECT.search(read_text(str(directory / name))) is not None
        for name in _BUILDS_IF_TOP
    )


def _stamp(path: str) -> str:
    """Changes when something is installed."""
    try:
        return str(Path(path).stat().st_mtime_ns)
    except OSError:
        return ""
