"""Bounds of conditions, each with its reason."""

from __future__ import annotations

from dataclasses import dataclass

from heapflow.logic.config import SpaceLimits


@dataclass(frozen=True, slots=True)
class GuardLimits(SpaceLimits):
    """Bounds that keep guards small. Hitting one is counted, never silent."""

    most_cases: int = 8  # values that a φ or call result is split into
    most_nodes: int = 150  # BDD nodes of a block's reach condition
    most_condition_nodes: int = 60  # of one branch's condition, and of one case of a value
    most_renamed_nodes: int = 24  # of what one condition of a callee is in its caller
    most_summary_nodes: int = 60  # of a condition that is carried into callers
    most_partial_nodes: int = 8  # of the condition under which a function returns, for its callers
    deepest_reads: int = 2  # calls within calls whose effect on one place is looked up
    deepest_calls: int = 6  # nesting of callee conditions
    # Values that are made of each other, through memory and calls; what is beyond is opaque. Chains of
    # operations of any length are evaluated from their beginning.
    deepest_values: int = 50
    most_memory_steps: int = (
        400_000  # blocks and writes of a function that are visited to read its memory
    )
    deepest_term: int = 12  # operations within each other; a value beyond is opaque
    most_words: int = 3  # cases of a word whose bits are tested
    far_too_large: int = 8  # times the bound of one case: joining more costs too much
    # Walks back from a value through copies and choices, to see where it comes from.
    farthest_root: int = 12  # steps to the variable or block that an address lies in
    farthest_origin: int = 12  # values on the way to what a pointer may be
    farthest_counter: int = 24  # values that a loop's counter is made of
    farthest_fresh: int = 24  # values of which all have to be new blocks
    # Facts that are added to a finished condition.
    most_narrowed_nodes: int = 2000  # of a condition that is narrowed further
    most_constants: int = 24  # that one term is compared with
    most_loop_cases: int = 5  # of a variable after its loop; more tell little and go into much
    most_loop_case_nodes: int = 40  # of the condition of one of these
    most_store_nodes: int = 200  # of what is said about stores into an object
    most_way_blocks: int = 1500  # that are passed on the ways out
    most_way_nodes: int = 300  # of the condition of one way, beyond those of the whole
    # Questions that are asked about one object.
    most_written_nodes: int = 60  # of the condition under which a function writes a place
    most_turn_nodes: int = 200  # of what one turn says of the next; more is left unsaid
    most_turn_choices: int = 16  # values that a turn passes on to the next
    deepest_turn_phi: int = 3  # φs of φs among these
