"""Bounds of the search for functions that models stand for."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ModelledConfig:
    """What is beyond a bound keeps its body, and is counted."""

    most_values: int = 2_000  # on the way of one pointer; an allocator's messages need a handful
    deepest_handing: int = (
        8  # functions that hand on to each other; more than three were never seen
    )
