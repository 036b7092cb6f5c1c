"""The values of the macros that a configure step would set, decided by looking at this system.

In:    names (`HAVE_SYS_STAT_H`, `HAVE_STRLCPY`, `SIZEOF_LONG`, `PACKAGE_VERSION`).
Out:   their values; None: not defined.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from heapflow.frontend.buildless.system import System

_YES = frozenset("STDC_HEADERS TIME_WITH_SYS_TIME PROTOTYPES HAVE_PROTOTYPES _GNU_SOURCE".split())
_TEXT = re.compile(
    r"PACKAGE|VERSION|(\w+_)?(DIR|PATH|PREFIX|NAME|VERSION|URL|STRING|FILE)$|PACKAGE_\w+"
)
_SIZES = {
    "INT": "__SIZEOF_INT__",
    "UNSIGNED_INT": "__SIZEOF_INT__",
    "SHORT": "__SIZEOF_SHORT__",
    "UNSIGNED_SHORT": "__SIZEOF_SHORT__",
    "CHAR": "1",
    "UNSIGNED_CHAR": "1",
    "LONG": "__SIZEOF_LONG__",
    "UNSIGNED_LONG": "__SIZEOF_LONG__",
    "LONG_LONG": "__SIZEOF_LONG_LONG__",
    "SIZE_T": "__SIZEOF_SIZE_T__",
    "WCHAR_T": "__SIZEOF_WCHAR_T__",
    "FLOAT": "__SIZEOF_FLOAT__",
    "DOUBLE": "__SIZEOF_DOUBLE__",
}
_MOST_SPLITS = 8
_LITTLE = re.compile(r"(?:\w+_)?(?:IS|HOST|CPU|TARGET|ARCH)_(?:IS_)?LITTLE_?ENDIAN")
_BIG = re.compile(r"(?:\w+_)?(?:IS|HOST|CPU|TARGET|ARCH|WORDS)_(?:IS_)?BIG_?ENDIAN")


@dataclass(frozen=True)
class Macros:
    """Decides; `right` are the declarations that the system's headers allow."""

    system: System
    right: frozenset[str]

    def value(self, name: str) -> str | None:
        """What a configure script would define it to."""
        if name in _YES or name == "HAVE_CONFIG_H":
            return "1"
        if name.startswith("SIZEOF_"):
            return _SIZES.get(name.removeprefix("SIZEOF_"), "__SIZEOF_POINTER__")
        if name == "RETSIGTYPE":
            return "void"
        if _LITTLE.fullmatch(name):
            return "1" if sys.byteorder == "little" else None
        if _BIG.fullmatch(name):
            return "1" if sys.byteorder == "big" else None
        if what := asked_by(name):
            return self._have(what)
        if _TEXT.fullmatch(name):
            return f'"{name.lower()}"'
        return None

    def _have(self, what: str) -> str | None:
        if what.startswith("DECL_"):
            return "1" if self._declared(what.removeprefix("DECL_")) else "0"
        if re.match(r"_*(FUNC_)?ATTR(IBUTE)?_", what):
            return "1"  # clang takes any, and ignores those that it does not know
        if what.endswith("_H"):
            names = header_names(what.removesuffix("_H"))
            return "1" if any(self.system.has_header(one) for one in names) else None
        if any(question in self.right for question in _questions(what)):
            return "1"
        library = what.removeprefix("LIB").lower()
        packages = self.system.packages
        known = packages.has(library) or packages.has(f"lib{library}")
        return "1" if known or self.system.has_header(f"{library}.h") else None

    def _declared(self, what: str) -> bool:
        return any(question in self.right for question in _questions(what))


def make_macros(system: System, names: Iterable[str]) -> Macros:
    """Ask the system about all names at once."""
    asked: list[str] = []
    for name in sorted(set(names)):
        what = asked_by(name)
        if what and not name.endswith("_H"):
            asked += _questions(what.removeprefix("DECL_"))
    return Macros(system, system.answers(asked))


def asked_by(name: str) -> str:
    """`FORK` of `HAVE_FORK` and `PROJECT_HAVE_FORK`; "" of other names."""
    before, found, what = name.partition("HAVE_")
    return what if found and (not before or before.endswith("_")) else ""


def _questions(what: str) -> list[str]:
    """Declarations, any of which being right means that we have it."""
    low = what.lower()
    if not re.fullmatch(r"[a-z_]\w*", low):
        return []
    found = [_fits(f"&{low}"), _fits(low), _fits(what)]
    if low.startswith("struct_"):
        rest = low.removeprefix("struct_")
        found.append(_fits(f"struct {rest}"))
        words = rest.split("_")
        for cut in range(1, min(len(words), _MOST_SPLITS)):
            tag, member = "_".join(words[:cut]), "_".join(words[cut:])
            found.append(_fits(f"((struct {tag} *)0)->{member}"))
    return found


def _fits(expression: str) -> str:
    return f'_Static_assert(sizeof({expression}) > 0, "")'


def header_names(what: str) -> list[str]:
    """`SYS_SENDFILE` is `sys/sendfile.h` or `sys_sendfile.h`."""
    words = what.lower().split("_")
    found = ["_".join(words) + ".h", "/".join(words) + ".h"]
    for cut, _ in pairwise(range(len(words))):
        found.append("_".join(words[: cut + 1]) + "/" + "_".join(words[cut + 1 :]) + ".h")
    found.append("-".join(words) + ".h")
    return list(dict.fromkeys(found))
