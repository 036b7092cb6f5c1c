"""Settings of memory SSA and the value-flow graph: every choice and limit, its default, its reason."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class MemoryModel(StrEnum):
    """How finely memory is told apart (`--memory-model`)."""

    REGIONS = "regions"  # TSE'14 §4.2.2: a region per access, per local variable, per behaviour
    DISTINCT = "distinct"  # every location a region of its own
    TOP_LEVEL = "top-level"  # values that enter memory are not followed: FASTCHECK's precision


@dataclass(frozen=True, slots=True)
class MemorySsaConfig:
    """Frozen; part of the run's Config."""

    memory_model: MemoryModel = MemoryModel.REGIONS
    # A second store through the same pointer value replaces what the first one stored. Showing that
    # takes a private copy of the region's versions from the first store on; a store that would need
    # more copies than this keeps its weak update.
    max_private_versions: int = 64
    # A global that one function and what it calls use alone is a local of theirs; so many functions are
    # tried for one, the nearest first.
    most_owner_tries: int = 40
    most_codes: int = (
        8  # constants that a function returns; with more, which one it was is not asked
    )
    most_nowhere_values: int = 200  # looked at to see that a pointer leads nowhere
