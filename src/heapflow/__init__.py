"""heapflow: a static memory-leak detector for C."""

from heapflow.version import __version__

__all__ = ["__version__"]
