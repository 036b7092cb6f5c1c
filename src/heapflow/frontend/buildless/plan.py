"""The units of a directory that has no compile database."""

from __future__ import annotations

import os
from pathlib import Path

from heapflow.frontend.access import repository_of
from heapflow.frontend.buildless.tree import index_tree, programs_files
from heapflow.frontend.cache import digest
from heapflow.frontend.units import SourceUnit

_SYSTEM = ("/usr/include", "/usr/lib/pkgconfig", "/usr/share/pkgconfig", "/usr/local/include")

# What lies in the top directory of a project.
_ROOTS = (
    *("configure.ac", "configure.in", "configure"),
    *("LICENSE", "LICENSE.md", "LICENSE.txt", "COPYING", "COPYRIGHT"),
)
_DESCRIBED = ("README", "README.md", "readme.md", "README.txt", "README.rst")
_MOST_ABOVE = 3


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
    """The directory of the project: its repository, or the nearest above that has its build or licence.

    Archives have no repository, and `src/` needs the headers of `../include`. A directory that is a
    project itself is not left.
    """
    repository = repository_of(directory)
    if repository != directory or any((Path(directory) / one).exists() for one in _ROOTS):
        return repository
    home = Path(os.path.realpath(Path.home()))
    described = directory
    for above in list(Path(directory).parents)[:_MOST_ABOVE]:
        if above == above.parent or above == home:
            break
        if any((above / one).exists() for one in _ROOTS):
            return str(above)
        if any((above / one).exists() for one in _DESCRIBED):
            described = str(above)
    return described


def _stamp(path: str) -> str:
    """Changes when something is installed."""
    try:
        return str(Path(path).stat().st_mtime_ns)
    except OSError:
        return ""
