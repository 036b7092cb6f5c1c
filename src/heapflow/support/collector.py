"""Python's cyclic garbage collector, switched off for a while.

Tables and guards live as long as the run and hold hardly any cycles; looking for them again and again
takes a tenth of the time.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_collector() -> Iterator[None]:
    """No collection of cycles inside; afterwards as before."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
