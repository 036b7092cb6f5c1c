"""Limits of leak detection, each with its reason."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LeakConfig:
    """A source that hits a limit is undecided and listed as such."""

    most_nodes: int = 3000  # flow states of one object in one function
    most_steps: int = 20_000  # propagations of one object in one function
    most_summary_nodes: int = 80  # BDD nodes of a summary's condition; larger ones are simplified
    deepest_chain: int = 8  # calls through which a fresh object is handed up
    most_sources_per_function: int = 600  # objects that callees hand to one function
    recursion_rounds: int = 3  # recomputations of a recursive function's summary
    report_at_exit: bool = True  # rule leak-at-exit
    families: tuple[str, ...] = ("memory",)  # resource kinds whose loss is a leak
