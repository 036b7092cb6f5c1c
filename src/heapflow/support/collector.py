"""Python's cyclic garbage collector, switched off for a while.

Tables and guards live as long as the run and hold hardly any cycles; looking for them again and again
takes a tenth of the time.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from heapflow.support.memory import give_back

_COLLECT_AFTER = 20_000  # objects that were not freed by themselves: some 8 MB of states and terms


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


@contextmanager
def in_a_short_life() -> Iterator[None]:
    """For a process that shows what it found and ends: nothing is looked through for cycles.

    The first collection after a run would go through all its tables and guards, and another one when
    Python ends would do so again: seconds in which nothing is gained.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was_on:
            gc.enable()


@contextmanager
def cycles_collected() -> Iterator[Callable[[], None]]:
    """For many small tasks in one process: what they leave behind goes, what was there before stays
    and is not looked through. Gives the function to call after each task."""
    gc.freeze()
    try:
        yield collect_if_many
    finally:
        gc.unfreeze()


def collect_if_many() -> None:
    """Collect the youngest objects, if there are many; the collector need not be on.

    What survives is knowledge for the tasks to come, and is not looked through again.
    """
    if gc.get_count()[0] > _COLLECT_AFTER:
        gc.collect()
        gc.freeze()
        give_back()


def collect_cycles() -> None:
    """Give back what a run leaves behind, before another one begins."""
    gc.collect()
    give_back()
