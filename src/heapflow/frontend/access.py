"""Which source files a report may show.

In:    the files that the compiler opened, the trees that the user named.      Out: `Access`.
`#line 1 "/any/name"` makes the compiler say that code stands in any file at all. Such a file is
shown only if it
is a regular file of a reasonable size, the compiler itself opened it, and it lies in a tree that
the user named or
among the headers that are installed for everybody.
Guarantees: links are followed before the place is judged; a file that is not what the compiler read
counts as
       changed, and is not shown.
Not modelled: bitcode has no list of the files it was made from; its sources have to lie in the trees.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from pathlib import Path

from heapflow.support.files import Refusal, read_regular

LARGEST = 64 * 1024**2  # bytes of a source file
_INSTALLED = "/usr/"
_REPOSITORY = (".git", ".hg", ".svn", ".jj", ".bzr")


def content_digest(data: bytes) -> str:
    """What a file's content is recognised by."""
    return blake2b(data, digest_size=16).hexdigest()


@dataclass(eq=False)
class Access:
    """Decides, reads, and remembers what it refused and what had changed."""

    trees: tuple[str, ...]  # real paths of files and directories that the user named
    opened: Mapping[str, str] = field(default_factory=dict)  # with the digest of what was read
    lists_all: bool = True  # whether `opened` is complete
    changed: set[str] = field(default_factory=set)
    outside: set[str] = field(default_factory=set)

    def read(self, path: Path) -> bytes:
        """The content of a source file; raises `Refusal`."""
        name = os.path.normpath(path)
        digest = self._digest(name)
        if digest is None and self.lists_all:
            raise Refusal("not opened by the compiler")
        real = os.path.realpath(name)
        if not self._is_near(real):
            self.outside.add(name)
            raise Refusal("outside of the tree")
        try:
            data = read_regular(real, LARGEST, follow=False)
        except Refusal:
            # The compiler read it: it is gone since, or is no file any more. One without a digest may
            # only be too large.
            if digest or (digest is not None and not Path(real).is_file()):
                self.changed.add(name)
            raise
        if digest is not None and content_digest(data) != digest:
            self.changed.add(name)
            raise Refusal("changed since it was compiled")
        return data

    def look_again(self, paths: Iterable[Path]) -> None:
        """What has changed by now, of files whose lines may have been shown."""
        for path in paths:
            with suppress(Refusal):
                self.read(path)

    def _digest(self, name: str) -> str | None:
        """Of what the compiler read under this name, or another name of the file."""
        if name in self.opened:
            return self.opened[name]
        known = self._by_last_name.get(Path(name).name, ())
        real = os.path.realpath(name)
        return next((self.opened[one] for one in known if os.path.realpath(one) == real), None)

    @cached_property
    def _by_last_name(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for name in self.opened:
            found.setdefault(Path(name).name, []).append(name)
        return found

    def _is_near(self, real: str) -> bool:
        if any(real == tree or real.startswith(tree.rstrip("/") + "/") for tree in self.trees):
            return True
        return real.startswith(_INSTALLED) and _is_for_everybody(real)


def _is_for_everybody(path: str) -> bool:
    try:
        return bool(Path(path).stat().st_mode & stat.S_IROTH)
    except OSError:
        return False


def trees_of(places: Iterable[Path]) -> tuple[str, ...]:
    """Real paths of what was named, and of the repositories that the directories among it are in."""
    found: dict[str, None] = {}
    for place in places:
        real = os.path.realpath(place)
        found[real] = None
        if Path(real).is_dir():
            found[repository_of(real)] = None
    return tuple(found)


def repository_of(directory: str) -> str:
    """The directory of the repository, or the directory itself; a whole home is no project."""
    for above in (Path(directory), *Path(directory).parents):
        if any((above / name).exists() for name in _REPOSITORY):
            whole = above == above.parent or above == Path(os.path.realpath(Path.home()))
            return directory if whole else str(above)
    return directory
