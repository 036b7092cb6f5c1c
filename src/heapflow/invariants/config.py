"""Bounds of the search for what the program keeps true."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class InvariantConfig:
    """What is beyond a bound is taken for anything, and counted."""

    most_constants: int = 8  # that one value is said to be; of more only the signs are known
    most_visits: int = 60  # of one instruction, on average; then nothing is said
    largest_counter: int = 1 << 16  # a step by no more than this is that of a counter
    most_maker_blocks: int = (
        400  # of a function, from where an object is cleared to where it is set
    )
    farthest_maker: int = 4  # callers to whom a cleared object is handed before it is set
    # That are called by, or after, a function that empties globals as the program ends.
    most_ending_functions: int = 400
    # Ways out of one function that are told apart by what they ask of its parameters. Each call asks
    # all that each way asks; what a table written as a chain of tests gives is taken for anything.
    most_ways: int = 60
    most_origins: int = 24  # copies that one pointer is looked for behind
