"""Bounds of the search for candidates, each with its reason."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PropertiesConfig:
    """What is beyond a bound is not looked at, and counted."""

    misuse: bool = True  # whether rules about the order of events are asked for
    descriptors: bool = True  # whether those about numbers that stand for resources are
    most_events: int = 200  # of one function that its callers hear of
    most_exits: int = 60  # places that a function leaves in a state that matters to callers
    most_rounds: int = 6  # over the blocks of one function; loops settle in three
    most_names: int = 400  # that one block passes on
    deepest_place: int = 6  # loads and steps in one place
    deepest_branch: int = 6  # computations between a branch and what it reads
    most_equal: int = 24  # names of one released pointer
    most_put: int = 12  # places in which a function puts its arguments
    longest_chain: int = 4  # calls through which a descriptor is handed up
    most_candidates: int = 4000  # of one program
