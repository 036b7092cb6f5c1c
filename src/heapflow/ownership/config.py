"""Bounds and weights of beliefs, bounds of the work on fields and their owners."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BeliefConfig:
    """How what callers show is weighed (docs/decisions), and how far it is looked for."""

    rounds: int = 3  # allocators, what releases their blocks, what is lent of them
    # A loan is believed if what speaks for it reaches `strong`.
    strong: int = 4  # a caller who releases it later, or gives what nobody may release
    const_untyped: int = 4  # for a `const void *`
    const_typed: int = 12  # for a pointer to something const
    against: int = 8  # a fresh block that nobody releases
    against_const: int = 4  # the same, of what is const
    no_place: int = 3  # it could be kept in a variable of the callee's own only
    buffer: int = 4  # the same of numbers or text that go in with a number, their length perhaps
    sites_of_pair: int = 3  # where a function is only seen to end what another one makes
    sites_of_ender: int = 6  # where it is the last that callers do with what calls gave them
    sites_by_field: int = 2  # results that are kept in fields which somebody releases
    marks: int = 2  # call sites at which only a release makes sense
    tolerated: int = 8  # of so many call sites one may disagree: a value that a loop brings back
    tolerated_if_named: int = 3  # the same, of a function that is named after a release
    deepest_handing: int = 4  # functions that hand on what functions hand on
    deepest_struct: int = 6  # structs inside of each other
    deepest_release: int = 8  # releasers that call releasers
    most_names: int = 64  # of one pointer; more: those found so far
    most_unseen: int = 200  # unknown functions that are counted one by one, those with most calls


@dataclass(frozen=True, slots=True)
class OwnershipConfig:
    """What is beyond a bound is left out and counted."""

    most_effects: int = 300  # of one kind that one function is said to have, its callees included
    most_origins: int = 6  # things that one pointer may be
    farthest_base: int = 12  # members and loads on the way to an address, or to its loop
    deepest_effect: int = 3  # calls down to what a function is said to do
    longest_chain: int = 4  # calls from an allocation out to the function that a client calls
    most_targets: int = 3  # functions that a call by pointer is followed to
    most_size: int = 800  # instructions of the functions that a client calls
    brief_search_steps: int = 500  # of the first search for a client
    brief_per_instruction: int = 1  # steps of all first searches, for an instruction of the program
    least_brief: int = 20_000  # the same for small programs
    instructions_per_step: int = 4  # of the program: one step of longer searches for four of them
    least_longer: int = 10_000  # steps of longer searches in a small program
    most_clients: int = 160  # scripts that are executed for one program
    most_per_field: int = 4  # scripts that are about one field
    most_makers: int = 2  # constructors that are tried in front of a script
    most_steps: int = 1500  # instructions that are executed for one script
    near_loop: int = 2  # calls from an allocation out to a loop that stores it in every turn
    own_depth: int = 2  # calls down to what a function does that is not its own doing any more
    fields_of_initialiser: int = 3  # that a function stores, and none read, to be taken for one
    alike: int = 200  # instructions: clients that differ by less cost about the same
