"""Memory that this process has and may have."""

from __future__ import annotations

import ctypes
import resource
import sys
from functools import cache
from pathlib import Path
from typing import Any

# Bytes that the library of conditions reserves, most of them for the stack of its thread.
FOR_CONDITIONS = 1400 << 20
_ROOM = 300 << 20  # for what is analysed, if it is small
_STATM = Path("/proc/self/statm")  # sizes in pages: all, resident, …


def resident_bytes() -> int:
    """Memory in use; where the system does not tell that, the most that was."""
    if _STATM.exists():
        return int(_STATM.read_text().split()[1]) * resource.getpagesize()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def address_space_left() -> int | None:
    """Bytes that may still be mapped (`ulimit -v`); None: no bound."""
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit == resource.RLIM_INFINITY or not _STATM.exists():
        return None
    used = int(_STATM.read_text().split()[0]) * resource.getpagesize()
    return max(0, limit - used)


def address_space_advice(needed: int, left: int) -> str:
    """What helps if fewer bytes are left than are needed: a number for `ulimit -v` that is enough."""
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    enough = -(-(limit - left + needed + _ROOM) // (100 << 20)) * 100
    return (
        f"{needed >> 20} MB of address space are needed, most of it only reserved, and {left >> 20} MB "
        f"are left\n  allow for it:  ulimit -v {enough << 10}\n"
        "  what is really used is bounded by --memory-limit MB, with a report of what was done by then"
    )


def give_back() -> None:
    """Return free memory to the system, where the C library does so only when it is asked."""
    trim = _trim()
    if trim is not None:
        trim(0)


@cache
def _trim() -> Any:
    """glibc's `malloc_trim`; None elsewhere."""
    try:
        return ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):
        return None
