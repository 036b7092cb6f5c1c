"""The units of a directory that has no compile database."""

from __future__ import annotations

import os
from pathlib import Path

from heapflow.frontend.access import repository_of
from heapflow.frontend.buildless.tree import index_tree, programs_files
from heapflow.frontend.cache import digest
from heapflow.frontend.units import SourceUnit

_SYSTEM = ("/usr/include", "/usr/lib/pkgconfig", "/usr/share/pkgconfig", "/usr/local/include")


def units_below(directory: Path, flags: tuple[str, ...]) -> list[SourceUnit]:
    """A unit for each C file below a directory that no other file includes."""
    real = os.path.realpath(directory)
    tree = index_tree(repository_of(real))
    below = tree.relative(real) or ""
    state = digest(tree.state, *(_stamp(one) for one in _SYSTEM))
    return [
        SourceUnit(tree.path(file), tree.root, own_flags=flags, tree=tree.root, tree_state=state)
        for file in programs_files(tree, below)
    ]


def unit_in_tree(file: Path, flags: tuple[str, ...]) -> SourceUnit:
    """One file of a tree, compiled by guessing."""
    real = os.path.realpath(file)
    tree = index_tree(repository_of(os.path.dirname(real)))  # noqa: PTH120 - a text
    state = digest(tree.state, *(_stamp(one) for one in _SYSTEM))
    return SourceUnit(real, tree.root, own_flags=flags, tree=tree.root, tree_state=state)


def _stamp(path: str) -> str:
    """Changes when something is installed."""
    try:
        return str(Path(path).stat().st_mtime_ns)
    except OSError:
        return ""
