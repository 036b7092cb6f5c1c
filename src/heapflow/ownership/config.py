"""Bounds of the work on fields and their owners."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class OwnershipConfig:
    """What is beyond a bound is left out and counted."""

    most_effects: int = 300  # of one kind that one function is said to have, its callees included
    most_origins: int = 6  # things that one pointer may be
    deepest_effect: int = 3  # calls down to what a function is said to do
    longest_chain: int = 4  # calls from an allocation out to the function that a client calls
    most_targets: int = 3  # functions that a call by pointer is followed to
    most_size: int = 800  # instructions of the functions that a client calls
    brief_search_steps: int = 500  # of the first search for a client
    instructions_per_step: int = 2  # of the program: one step of longer searches for two of them
    least_longer: int = 30_000  # steps of longer searches in a small program
    most_clients: int = 160  # scripts that are executed for one program
    most_per_field: int = 4  # scripts that are about one field
    most_makers: int = 2  # constructors that are tried in front of a script
    most_steps: int = 1500  # instructions that are executed for one script
    near_loop: int = 2  # calls from an allocation out to a loop that stores it in every turn
    own_depth: int = 2  # calls down to what a function does that is not its own doing any more
    fields_of_initialiser: int = 3  # that a function stores, and none read, to be taken for one
    alike: int = 200  # instructions: clients that differ by less cost about the same
