"""Path patterns of `include` and `exclude`, as in ignore files.

`third_party/` and `third_party/**` mean everything below; `*.gen.c`, without a slash, any file of that
name; `src/*.c` only files directly in `src`; `**/` any number of directories.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache


def matches(name: str, patterns: Iterable[str]) -> bool:
    """Does a relative path with forward slashes match one of the patterns?"""
    return any(_compiled(pattern).fullmatch(name) for pattern in patterns)


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> re.Pattern[str]:
    pattern = pattern.removeprefix("./")
    below = "" if pattern.endswith("**") else "(?:/.*)?"
    anchored = "/" in pattern.rstrip("/")
    text = "".join(
        _translate(part) for part in re.split(r"(\*\*/|\*\*|\*|\?)", pattern.rstrip("/"))
    )
    return re.compile(("" if anchored else "(?:.*/)?") + text + below)


def _translate(part: str) -> str:
    special = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return special.get(part) or re.escape(part)
