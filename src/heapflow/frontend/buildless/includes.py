"""Which file each `#include` means, when nobody gave include paths.

In:    the tree, what the system has.     Out: for one source, spelled names and the files they mean.
A name means the file of the tree whose path ends with it: the nearest directory first, tests and code
for other systems last. Headers that the C library or the kernel own are never taken from the tree.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from heapflow.frontend.buildless.system import System
from heapflow.frontend.buildless.templates import CONFIGURES
from heapflow.frontend.buildless.tree import (
    TEMPLATE_ENDINGS,
    Tree,
    is_beside_the_program,
    is_for_another_system,
)

_INCLUDE = re.compile(
    r'^[ \t]*#[ \t]*(?:include|include_next|import)[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)', re.M
)
_ASKED = re.compile(r'__has_include(?:_next)?[ \t]*\([ \t]*["<]([^">\n]+)[">]')
_UNFILLED = re.compile(r"^[ \t]*#[ \t]*(?:cmake|meson)define", re.M)
_MOST_VISITED = 4_000  # files that one source includes


@dataclass(slots=True)
class Overlay:
    """What the include paths of a build would have found for one source."""

    forwards: dict[str, str] = field(default_factory=dict)  # spelled name: absolute path
    templates: dict[str, str] = field(default_factory=dict)  # spelled name: template in the tree
    missing: dict[str, None] = field(default_factory=dict)  # spelled names that nothing has
    directories: dict[str, None] = field(default_factory=dict)  # of installed packages
    unfilled: tuple[str, ...] = ()  # files of the tree that are templates under their final names
    files: tuple[str, ...] = ()  # of the tree: the source and all that it may include


def overlay_of(tree: Tree, system: System, source: str) -> Overlay:
    """Follow the includes of a source (a path relative to the tree) and find all that they name."""
    overlay = Overlay()
    pending, visited = [source], {source: None}
    asked: set[str] = set()
    while pending and len(visited) < _MOST_VISITED:
        file = pending.pop()
        asked |= _asked(tree.text(file))
        for name, quoted in includes_in(tree.text(file)):
            found = _meant(tree, system, overlay, file, name, quoted, source)
            if found is not None and found not in visited:
                visited[found] = None
                pending.append(found)
    for name in asked:
        overlay.missing.pop(name, None)
    overlay.files = tuple(map(tree.path, visited))
    overlay.unfilled = tuple(
        tree.path(one)
        for one in visited
        if one not in overlay.templates.values() and _UNFILLED.search(tree.text(one))
    )
    return overlay


def includes_in(text: str) -> Iterator[tuple[str, bool]]:
    """Spelled names, and whether they stand in quotes."""
    for found in _INCLUDE.finditer(text):
        yield (found[1], True) if found[1] else (found[2], False)


def _meant(
    tree: Tree, system: System, overlay: Overlay, file: str, name: str, quoted: bool, source: str
) -> str | None:
    """The file of the tree that an include means, if it is one; the overlay learns what is needed."""
    if name.startswith("/") or system.owns(name):
        return None
    if quoted:
        beside = os.path.normpath(PurePosixPath(file).parent / name)
        if beside in tree.by_name.get(beside.rpartition("/")[2], ()):
            if file in overlay.templates.values():  # what is made from it lies elsewhere
                overlay.forwards.setdefault(name, tree.path(beside))
            return beside
    if name in overlay.forwards:
        return None
    near = str(PurePosixPath(source).parent)
    found = best_match(tree, name, near)
    if found is not None and not _configures_another(tree, found, name, near):
        overlay.forwards[name] = tree.path(found)
        return found
    if name in overlay.missing or name in overlay.templates:
        return None
    # The library's own header, also where an older version of the library is installed.
    if (template := template_of(tree, name, near)) is not None:
        overlay.templates[name] = template
        return template
    if system.has_header(name):
        return None
    if directories := system.packages.directories_of(name):
        overlay.directories |= dict.fromkeys(directories)
        return None
    # `#include <project/api.h>` of a header that is installed into a directory of that name.
    directory, _, last = name.rpartition("/")
    alike = tree.by_name.get(last, ())
    if len(alike) == 1 and directory and (quoted or tree.installs(directory.split("/")[0])):
        overlay.forwards[name] = tree.path(alike[0])
        return alike[0]
    overlay.missing[name] = None
    return None


def _configures_another(tree: Tree, found: str, name: str, near: str) -> bool:
    """Whether a configuration header is that of a part (`src/codec/config.h`), where the tree has a
    template for its own."""
    if CONFIGURES.search(name) is None or template_of(tree, name, near) is None:
        return False
    own = PurePosixPath(found).parent
    return own != PurePosixPath(near) and own not in PurePosixPath(near).parents


def _asked(text: str) -> set[str]:
    """Names that a text includes only if they exist."""
    return set(_ASKED.findall(text)) if "__has_include" in text else set()


def best_match(tree: Tree, name: str, near: str) -> str | None:
    """The file whose path ends with a spelled name; None if there is none of the program's own."""
    spelled = os.path.normpath(name).lstrip("./")
    last = spelled.rpartition("/")[2]
    fitting = [
        file
        for file in tree.by_name.get(last, ())
        if file == spelled or file.endswith("/" + spelled)
    ]
    if not is_for_another_system(near + "/x.c"):
        fitting = [one for one in fitting if not is_for_another_system(one)]
    return min(fitting, key=lambda file: _rank(file, near), default=None)


def template_of(tree: Tree, name: str, near: str) -> str | None:
    """The template that a configure step would make a header from."""
    last = name.rpartition("/")[2]
    stem = last.removesuffix(".h")
    names = [last + ending for ending in TEMPLATE_ENDINGS]
    names += [f"{stem}_h.in", f"{stem}-cmake.h.in", f"{stem}.hin", f"cmake_{last}.in"]
    names += [f"{stem}.cmake.h.in", f"{stem}.cmake.h", f"{stem}-meson.h.in", f"{stem}.in.h"]
    found = [file for one in names for file in tree.by_name.get(one, ())]
    return min(found, key=lambda file: _rank(file, near), default=None)


def _rank(file: str, near: str) -> tuple[bool, bool, int, int, str]:
    """Smaller is better."""
    parts, home = PurePosixPath(file).parent.parts, PurePosixPath(near).parts
    common = 0
    for one, other in zip(parts, home, strict=False):
        if one != other:
            break
        common += 1
    aside = is_beside_the_program(file) and not is_beside_the_program(near + "/x.c")
    return is_for_another_system(file), aside, -common, len(parts), file
