"""The version, in one place, and whether the phases that can be compiled are."""

from importlib.machinery import EXTENSION_SUFFIXES
from importlib.metadata import PackageNotFoundError, metadata
from importlib.util import find_spec

__version__ = "0.1.0"


def is_compiled() -> bool:
    """Whether Python finds the compiled leak phase (hatch_build.py) before its source."""
    found = find_spec("heapflow.leaks.detect")
    return found is not None and (found.origin or "").endswith(tuple(EXTENSION_SUFFIXES))


def full_version() -> str:
    return f"{__version__} (compiled)" if is_compiled() else __version__


def home() -> str | None:
    """Where this version is published, as its package says; None: nowhere."""
    try:
        urls = metadata("heapflow").get_all("Project-URL") or []
    except PackageNotFoundError:
        return None
    named = dict(one.split(", ", 1) for one in urls if ", " in one)
    return named.get("Homepage")
