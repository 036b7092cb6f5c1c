"""Limits of leak detection, each with its reason."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LeakConfig:
    """A source that hits a limit is undecided and listed as such."""

    most_nodes: int = 1500  # flow states of one object in one function
    most_nodes_together: int = 4000  # the same, of several objects that are followed together
    most_steps: int = 20_000  # propagations of one object in one function
    most_summary_steps: int = 2000  # propagations inside one summary; beyond, the object is let go
    most_growths: int = 8  # times that a node's guard may grow before it is rounded up
    most_guard_nodes: int = 100  # BDD nodes of a node's guard
    most_outcome_nodes: int = 4000  # of the condition under which an object is freed or escapes
    most_summary_nodes: int = 60  # BDD nodes of a summary's condition; larger ones are simplified
    most_holder_nodes: int = 250  # of the condition under which something holds the object
    # Of two such conditions, one times the other, before they are joined: the result may have so many.
    most_joined_nodes: int = 1 << 20
    # Steps of large conditions (logic/space.py `Work`) in one function; objects that are left then are
    # executed without a condition. Parsers and the like need ten times as much as any other function.
    most_work_per_function: int = 150_000
    # The same in a small program: as many as it has instructions, and at least so many. One function
    # would otherwise take longer than its compiler.
    least_work_per_function: int = 30_000
    most_holders: int = 50  # objects that lead to one, directly or not; with more it is held
    deepest_owners: int = 40  # blocks that hold each other; one that lies deeper is held
    deepest_value_summary: int = 12  # calls through which an argument is followed
    deepest_memory_summary: int = 3  # the same, for an object that callees see only in memory
    # The same, among functions of which so many call each other: half of a shell does, and what happens
    # three calls down there is no longer about one object.
    large_recursion: int = 50
    deepest_in_large_recursion: int = 2
    # Objects that a function takes from others of such a recursion, on average or, where that is used
    # up, each. What more they hand to it is undecided: the edges of a table through which all call each
    # other are the square of its size. bash and tmux take 1 on average, up to 67 in one function.
    most_offers_in_large_recursion: int = 32
    most_assumed_nodes: int = 300  # of what carrying an object says about conditions
    most_leak_nodes: int = 3000  # of the condition under which an object is lost
    deepest_chain: int = 8  # calls through which a fresh object is handed up
    deepest_memory_chain: int = 3  # the same, for objects handed up only inside memory
    most_sources_per_function: int = 600  # objects that callees hand to one function
    most_callees: int = 8  # targets of a call by pointer that are followed one by one
    # Turns of a loop in which an object is followed (N of the papers, plus one).
    most_turns: int = 3
    most_turn_nodes: int = 100  # of a turn's condition; larger ones are not run a second time
    most_opened_nodes: int = 1000  # of a condition from which variables are removed: it may grow
    most_merged_nodes: int = 300  # of the conditions under which two objects exist that are one
    most_frees: int = 8  # releases that a summary names
    most_locations: int = 2000  # behind a call's arguments; with more, anything may be touched
    # Outcomes of one object: few are small together and need no measure; later ones wait until they
    # are this part of those so far.
    measured_from: int = 4
    waiting_share: int = 8
    share_summaries: bool = True  # between location sets that a callee cannot tell apart
    recursion_rounds: int = 3  # recomputations of a recursive function's summary
    # Resource kinds whose loss is a leak; descriptors are numbers, which this phase does not follow.
    families: tuple[str, ...] = ("memory", "file", "directory", "mapping", "library", "handle")
