"""The index of a tree: its C files, and every file that an `#include` could mean.

Guarantees: links that lead out of the tree are not in it; the order does not depend on the file system.
"""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path, PurePosixPath

from heapflow.frontend.buildless.builds import is_build_file, value_in_builds
from heapflow.frontend.cache import digest
from heapflow.support.files import Refusal, read_regular

MOST_FILES = 200_000
LARGEST = 8 * 1024**2  # bytes of a source that is searched
_SKIPPED = frozenset({"node_modules", "__pycache__", "CMakeFiles", "autom4te.cache"})
TEMPLATE_ENDINGS = (".in", ".cmake", ".cmake.in", ".in.cmake", ".meson", ".meson.in", ".tmpl")
_INDEXED = (".c", ".h", ".inc", ".def", ".tab", ".hin", ".x", ".i", ".pc", ".list", ".tbl")
_INCLUDABLE = (*_INDEXED, *TEMPLATE_ENDINGS)
_NOT_THE_PROGRAM = re.compile(
    r"(^|[-_.])(tests?|testing|testsuite|unittests?|t|examples?|demos?|samples?|bench|benchmarks?"
    r"|fuzz(ing|er|ers)?|docs?|contrib)$",
    re.I,
)
_TEST_FILE = re.compile(r"(^|[-_])(test|tests|unittest|bench|fuzz|example|demo)s?([-_]|\d|$)", re.I)
_OTHER_SYSTEM = re.compile(
    r"^(win|win32|win64|windows|winnt|msvc|msvc\d*|vs\d+|vms|os2|dos|msdos|djgpp|amiga|mac|macos|macosx"
    r"|osx|darwin|apple|symbian|wince|netware|beos|haiku|android|ios|freebsd|openbsd|netbsd|dragonfly"
    r"|solaris|sunos|aix|hpux|irix|cygwin|mingw|mingw32|embedded|arduino|esp32|zephyr|freertos)$",
    re.I,
)
_PROCESSORS = {
    "x86": "x86 x64 i386 i586 i686 amd64 sse sse2 avx avx2",
    "arm": "arm arm64 armv7 armv8 aarch64 neon sve",
    "other": """mips mips32 mips64 msa ppc ppc64 powerpc altivec vsx loongarch lsx lasx riscv riscv64
        sparc sparc64 s390 s390x wasm""",
}
_HERE = "arm" if re.match("arm|aarch", platform.machine()) else "x86"
_OTHER_PROCESSOR = frozenset(
    one for kind, names in _PROCESSORS.items() if kind != _HERE for one in names.split()
)


def is_beside_the_program(path: str) -> bool:
    """Tests, examples and the like, by the names of directories and of the file."""
    pure = PurePosixPath(path)
    return any(_NOT_THE_PROGRAM.search(part) for part in pure.parent.parts) or bool(
        _TEST_FILE.search(pure.stem)
    )


def is_for_another_system(path: str) -> bool:
    """By the names of directories, and of the parts of the file's name."""
    words = re.split(r"[-_.]", PurePosixPath(path).stem)
    folders = PurePosixPath(path).parent.parts
    parts = (*folders, *(re.split(r"[-_.]", one)[0] for one in folders), *words)
    return any(_OTHER_SYSTEM.match(one) or one.lower() in _OTHER_PROCESSOR for one in parts)


@dataclass(frozen=True)
class Tree:
    """What lies below a directory, by paths relative to it."""

    root: str  # real path
    files: tuple[str, ...]  # sorted
    builds: tuple[str, ...] = ()  # makefiles and the like, sorted
    cut: bool = False  # there were more
    texts: dict[str, str] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def by_name(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for file in self.files:
            found.setdefault(file.rpartition("/")[2], []).append(file)
        return found

    @cached_property
    def state(self) -> str:
        """Changes with the names of the files and the contents of templates and build files."""
        templates = [file for file in self.files if file.endswith(TEMPLATE_ENDINGS)]
        return digest(*self.files, *(self.text(file) for file in (*templates, *self.builds)))

    def installs(self, directory: str) -> bool:
        """Whether headers of the project are installed into a directory of this name."""
        plain, root = (re.sub(r"[^a-z]", "", one.lower()) for one in (directory, _last(self.root)))
        if plain and root and (plain in root or root in plain):
            return True
        word = re.escape(directory)
        said = re.compile(
            rf"(?:includedir|include/|INCLUDEDIR|DESTINATION|subdir|install)[^\n]*\b{word}\b"
            rf"|\b{word}include_HEADERS\b"
        )
        return any(said.search(self.text(one)) for one in self.builds)

    def given(self, macro: str) -> str | None:
        """The value that a build file gives to a macro; those near the root first."""
        nearest = sorted(self.builds, key=lambda file: (file.count("/"), file))
        return value_in_builds(macro, map(self.text, nearest))

    def path(self, file: str) -> str:
        return f"{self.root}/{file}"

    def text(self, file: str) -> str:
        """The content of one of its files; "" if it cannot be read."""
        if file not in self.texts:
            self.texts[file] = read_text(self.path(file))
        return self.texts[file]

    def relative(self, path: str) -> str | None:
        """How a path is called in it."""
        return path[len(self.root) + 1 :] if path.startswith(self.root + "/") else None


def read_text(path: str) -> str:
    try:
        return read_regular(path, LARGEST).decode("utf-8", "surrogateescape")
    except Refusal:
        return ""


@lru_cache(maxsize=8)
def index_tree(root: str) -> Tree:
    """The index of the directory with this real path."""
    found: list[str] = []
    builds: list[str] = []
    for file in _walk(root):
        if is_build_file(file.rpartition("/")[2]):
            builds.append(file)
        if file.endswith(_INCLUDABLE):
            found.append(file)
        if len(found) + len(builds) >= MOST_FILES:
            break
    cut = len(found) + len(builds) >= MOST_FILES
    return Tree(root, tuple(sorted(found)), tuple(sorted(builds)), cut)


def _walk(root: str) -> Iterator[str]:
    for directory, inner, names in os.walk(root):
        inner[:] = sorted(one for one in inner if one not in _SKIPPED and not one.startswith("."))
        where = directory[len(root) :].strip("/")
        for name in sorted(names):
            wanted = name.endswith(_INCLUDABLE) or is_build_file(name)
            if not wanted or name.startswith("@"):
                continue
            path = Path(directory, name)
            if path.is_symlink() and not os.path.realpath(path).startswith(root + "/"):
                continue
            yield f"{where}/{name}" if where else name


def programs_files(tree: Tree, below: str) -> list[str]:
    """The C files below a directory that are compiled on their own: not those that others include."""
    prefix = f"{below}/" if below else ""
    found = [file for file in tree.files if file.endswith(".c") and file.startswith(prefix)]
    files, included = frozenset(tree.files), set[str]()
    for file in tree.files:
        if not file.endswith((".c", ".h")):
            continue
        for name in _INCLUDED_C.findall(tree.text(file)):
            beside = os.path.normpath(PurePosixPath(file).parent / name)
            included.add(beside if beside in files else name.rpartition("/")[2])
    return [
        file
        for file in found
        if file not in included
        and (file.rpartition("/")[2] not in included or len(tree.by_name[_last(file)]) > 1)
    ]


def _last(file: str) -> str:
    return file.rpartition("/")[2]


_INCLUDED_C = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]+\.c)[">]', re.M)
