"""heapflow: a static memory-leak detector for C."""

from typing import TYPE_CHECKING, Any

from heapflow.version import __version__

if TYPE_CHECKING:
    from heapflow.api import check
    from heapflow.report.document import Report
    from heapflow.report.finding import Finding, Level, Place, Rule, Step

__all__ = ["Finding", "Level", "Place", "Report", "Rule", "Step", "__version__", "check"]

_LAZY = {
    "check": "heapflow.api",
    "Report": "heapflow.report.document",
    "Finding": "heapflow.report.finding",
    "Level": "heapflow.report.finding",
    "Place": "heapflow.report.finding",
    "Rule": "heapflow.report.finding",
    "Step": "heapflow.report.finding",
}


def __getattr__(name: str) -> Any:
    """Loaded when used: `heapflow --version` should not wait for the analysis."""
    if name not in _LAZY:
        raise AttributeError(f"module 'heapflow' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_LAZY[name]), name)
