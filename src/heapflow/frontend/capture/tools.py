"""Which programs of a build matter, by name."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import Enum
from pathlib import Path


class Tool(Enum):
    """What a program does for us to know."""

    COMPILER = "compiler"
    CXX = "c++ compiler"  # links C objects, and compiles C only if told so
    LAUNCHER = "launcher"  # runs the compiler in its arguments, or knows what it would say
    ARCHIVER = "archiver"
    LINKER = "linker"
    COPY = "copy"


_NAMES = {
    Tool.COMPILER: "cc gcc clang c89 c99 c11 c17 tcc icc icx pcc xgcc zig".split(),
    Tool.CXX: "c++ g++ clang++ icpc icpx".split(),
    Tool.LAUNCHER: "ccache sccache distcc icecc".split(),
    Tool.ARCHIVER: ["ar"],
    Tool.LINKER: "ld lld mold".split(),
    # Builds move objects and libraries about; what they are made of moves with them.
    Tool.COPY: "mv cp ln install".split(),
}
_KINDS = {name: tool for tool, names in _NAMES.items() for name in names}
_VERSION_SUFFIX = re.compile(r"-[0-9.]+$")  # not cc1, which is the inside of gcc


def tool_names(compilers: Iterable[str]) -> tuple[str, ...]:
    """All names to record; `compilers` are those that the user or CC adds."""
    return tuple(dict.fromkeys((*_KINDS, *compilers)))


def tool_of(program: str, compilers: Iterable[str] = ()) -> Tool | None:
    """What a program is, by its name without directory, version and cross prefix.

    The same rules as `is_tool` in interpose.c.
    """
    name = Path(program).name
    if name in compilers:
        return Tool.COMPILER
    if name.startswith("ld."):
        return Tool.LINKER
    plain = _VERSION_SUFFIX.sub("", name)
    for candidate in (name, plain, plain.rpartition("-")[2]):
        if candidate in _KINDS:
            return _KINDS[candidate]
    return None
