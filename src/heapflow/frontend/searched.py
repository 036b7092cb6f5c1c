"""Where clang looks for the headers of a unit.

In:    a unit, the environment.       Out: directories, in the order of the search.
Guarantees: every directory that the unit's flags and the environment name is there, with a slash at
       its end.
Not modelled: the directories that a clang brings along; where GCC lies.
"""

from __future__ import annotations

import os
import platform
from functools import lru_cache
from pathlib import Path

from heapflow.frontend.units import SourceUnit

# In the order in which clang looks through them; CPATH and C_INCLUDE_PATH come behind -I and
# -isystem, and what the system has before -idirafter.
_OPTIONS = ("-iquote", "-I", "-isystem", "-idirafter")
_VARIABLES = {"-I": "CPATH", "-isystem": "C_INCLUDE_PATH"}
_SYSTEM = ("/usr/local/include", f"/usr/include/{platform.machine()}-linux-gnu", "/usr/include")
# Options whose directory begins with something else.
_PREFIXED = {"-iwithprefixbefore": "-I", "-iwithprefix": "-idirafter", "-iwithsysroot": "-isystem"}
_PREFIX = "-iprefix"
_ROOTS = ("--sysroot=", "--sysroot", "-isysroot")
_ALL = (*_PREFIXED, _PREFIX, *_ROOTS, *_OPTIONS)


def search_directories(unit: SourceUnit) -> tuple[str, ...]:
    """Where the search starts: beside the source, then what the unit's own flags name."""
    beside = os.path.normpath(unit.path.parent).rstrip("/") + "/"
    variables = tuple(os.environ.get(name, "") for name in _VARIABLES.values())
    return (beside, *_directories_of(unit.directory, unit.all_flags, variables))


@lru_cache(maxsize=64)
def _directories_of(
    directory: str, flags: tuple[str, ...], variables: tuple[str, ...]
) -> tuple[str, ...]:
    found: dict[str, list[str]] = {option: [] for option in _OPTIONS}
    prefix, roots = "", [""]
    options = _options(flags)
    roots += [value for option, value in options if option in _ROOTS]
    for option, value in options:
        if option == _PREFIX:
            prefix = value
        elif option == "-iwithsysroot":
            found["-isystem"] += [root + value for root in roots]
        elif option in _PREFIXED:
            found[_PREFIXED[option]].append(prefix + value)
        elif option in _OPTIONS and value:
            # `-I=dir` lies below the root of the system.
            found[option] += [r + value[1:] for r in roots] if value[0] == "=" else [value]
    for option, value in zip(_VARIABLES, variables, strict=True):
        found[option] += [name or "." for name in value.split(os.pathsep)] if value else []
    found["-isystem"] += [root + place for root in roots for place in _SYSTEM]
    names = [name for option in _OPTIONS for name in found[option] if name]
    return tuple(
        dict.fromkeys(os.path.normpath(Path(directory, name)).rstrip("/") + "/" for name in names)
    )


def _options(flags: tuple[str, ...]) -> list[tuple[str, str]]:
    """The options about headers, joined to their values or not."""
    found = []
    queue = iter(flags)
    for flag in queue:
        option = next((one for one in _ALL if flag.startswith(one)), None)
        if option is not None:
            found.append((option, next(queue, "") if flag == option else flag[len(option) :]))
    return found
