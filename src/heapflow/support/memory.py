"""Memory that this process has and may have."""

from __future__ import annotations

import resource
import sys
from pathlib import Path

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
