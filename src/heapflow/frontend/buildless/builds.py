"""Values that the build files of a tree give to macros, read as text.

In:    texts of makefiles, configure.ac, CMakeLists.txt, meson.build.      Out: a value by name.
Words such as `-DFUSE_USE_VERSION=31` look alike in all of them. Nothing is evaluated, and a value is
only asked for where a macro is missing: under which conditions the build would give it is not known.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_FILES = re.compile(
    r"(GNU)?[Mm]akefile([.-].*)?|.*\.(mk|mak|am|cmake)|CMakeLists\.txt|configure\.(ac|in)|meson\.build"
    r"|SCons(truct|cript)|wscript|.*\.pr[oi]|build\.zig|BUCK|BUILD(\.bazel)?"
)
_WORDS = {"true": "1", "false": "0"}
_NUMBER = re.compile(r"(0[xX][0-9a-fA-F]+|\d+)[uUlL]*")


def is_build_file(name: str) -> bool:
    """By its name without directories."""
    return _FILES.fullmatch(name) is not None


def value_in_builds(name: str, texts: Iterable[str]) -> str | None:
    """What the first build file that names a macro defines it to; None: nothing that can be used."""
    word = re.escape(name)
    patterns = (
        re.compile(rf"-D[ \t]*{word}(?:=((?:\\.|[^\s,;\])])*)|(?=[\s'\",)\]]|$))", re.M),
        re.compile(rf"\bAC_DEFINE(?:_UNQUOTED)?\(\s*\[?{word}\]?\s*,\s*\[?([^],)]*)"),
        re.compile(rf"\.set(?:10)?\(\s*'{word}'\s*,\s*([^,)]+)"),
        re.compile(rf"\.set_quoted\(\s*'{word}'(\s*)"),
    )
    for text in texts:
        if name not in text:
            continue
        for number, pattern in enumerate(patterns):
            if found := pattern.search(text):
                quoted = number == len(patterns) - 1
                value = _usable(name, '"' if quoted else found[1])
                if value is not None:
                    return value
    return None


def _usable(name: str, value: str | None) -> str | None:
    if value is None:
        return "1"
    if '"' in value:
        return f'"{name.lower()}"'
    plain = value.strip().strip("'\\")
    plain = _WORDS.get(plain, plain)
    return plain if _NUMBER.fullmatch(plain) else None
