"""Path patterns of `include` and `exclude`, as in ignore files.

`third_party/` and `third_party/**` mean everything below; `*.gen.c`, without a slash, any file of that
name; `src/*.c` only files directly in `src`; `**/` any number of directories.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern and the directory that it is relative to; it matches nothing outside of it."""

    text: str
    base: Path


def matches(path: Path, patterns: Iterable[Pattern]) -> bool:
    """Does an absolute path match one of the patterns?"""
    return any(
        path.is_relative_to(pattern.base)
        and _compiled(pattern.text).fullmatch(path.relative_to(pattern.base).as_posix())
        for pattern in patterns
    )


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
