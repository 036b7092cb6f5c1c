"""Bounds of replay, each with its reason. All count steps, none counts time."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ReplayConfig:
    """A candidate that meets a bound is not confirmed, and says which one it was."""

    most_steps: int = 14_000  # instructions executed for one candidate, all of its paths
    most_search_steps: int = 6_000  # of one search; 9 of 10 paths are found within 700
    most_misuse_steps: int = 8000  # of one search for a misuse
    # Rounds. Every candidate is searched for briefly, calls passed (the scout); where that finds a
    # path, what it rests on is looked into; the others are searched for once more; what only its
    # steps ended is then searched for with all that one candidate may take. Each round has a budget
    # that grows with the program, and a least one for small programs.
    scout_search_steps: int = 500  # 4 of 5 losses that are ever found are found so
    scout_misuse_steps: int = 120  # of one search for a misuse; all that were found needed 90
    scouts: bool = False  # one search, and no more
    skips_loops: bool = True  # passed where they do nothing with the block (`loops`)
    scout_per_instruction: int = 2
    least_scout: int = 40_000
    # Of scouts that pass loops, for losses of which the first scout saw no path.
    passing_scout_per_instruction: int = 1
    least_passing_scout: int = 20_000
    refine_search_steps: int = 1500  # of one search with calls entered, or from a caller
    refine_misuse_steps: int = 600  # of one search for a misuse
    third_misuse_steps: int = 3000  # of one for a misuse that has no path yet: 100 turns take 700
    refine_steps: int = 6000  # of one candidate, trying decisions the other way included
    refine_per_instruction: int = 5
    least_refine: int = 60_000
    second_per_instruction: int = 1  # for candidates of which the scout saw no path
    least_second: int = 20_000
    passing_per_instruction: int = 2  # for losses of which a path was seen, with loops passed
    least_passing: int = 40_000
    # A round of second searches ends once it has used this part of its budget without an answer, and so
    # do short looks at what seems safe. On the eight programs where this was counted, none of the
    # candidates that are confirmed came later.
    patient_part: int = 3
    long_per_instruction: int = 1
    least_long: int = 20_000
    most_refined_steps: int = 30_000  # for one misuse, as long as each search finds a path
    # States are compared where ways meet, which takes as long as a step for every so many values,
    # objects and conditions in them. Those of ordinary functions have few, and are not charged.
    uncharged_size: int = 100
    size_per_step: int = 16
    most_path_steps: int = 12_000  # instructions of one path
    most_straight_steps: int = 400  # of one path without a choice, while others wait
    most_states: int = 1500  # paths that were begun for one candidate
    most_unmerged: int = 24  # paths, before states are compared to follow equal ones once
    most_waiting: int = 400  # paths begun and not yet followed: each keeps its memory
    most_turns: int = 3  # turns of one loop in which something was chosen; more hardly help
    most_forced_turns: int = 32  # of a loop whose own test leaves no choice
    most_turns_after: int = 24  # of loops behind a loss: who turns so often does not end at once
    most_late_turns: int = 12  # beyond these, once all paths with fewer turns were followed
    most_late_steps: int = 1500  # of one search, for paths with such turns
    most_fail_steps: int = 2500  # of a search with an allocation that fails, if others met a bound
    most_other_paths: int = 3  # that are tried where one rests on what was made up
    most_other_steps: int = 500  # for each of these
    # For further places at which a confirmed block is lost, so that all can be mended at once.
    most_elsewhere_steps: int = 500
    most_elsewhere: int = 5  # of these places
    most_plain_decisions: int = 6  # that matter on a path; of more, one with fewer is looked for
    # Of a callee that is executed alone, to see whether it can come back as a path takes it that
    # rests on it; 0: such a path is not confirmed.
    most_alone_steps: int = 800
    deepest_calls: int = 14  # functions that are active at once
    most_rounds: int = 16  # times that calls which were passed are entered instead
    # Of the solver's own counter, for one question; each is 0.1 ms. Counted on indent, 5 of 338
    # questions with an answer took more than 200, and those without one half of the solver's time.
    most_solver_checks: int = 200
    most_questions: int = 150  # to the solver, in one search; long ones count for several
    # A question takes as long as many instructions: it is charged as so many steps, and one more for
    # every so many times that the solver asked whether to go on.
    steps_per_question: int = 4
    checks_per_step: int = 32
    most_unsolved: int = 4  # questions of one candidate that meet that bound; then it asks no more
    most_values: int = 8  # of an index that is not known, one after the other
    most_objects: int = 4000  # blocks, variables and unknowns behind pointers, of one path
    deepest_term: int = 200  # of a computation over unknowns; beyond, its value is an unknown, too
    widest_term: int = (
        200  # unknowns, and parts of a sum: one of thousands is made anew at each step
    )
    most_targets: int = 6  # functions that a call by pointer is tried with
    most_beside: int = 1 << 20  # bytes of a block beside what is counted (`malloc(count + 1)`)
    most_bytes: int = 4096  # of memory that one call copies, compares or searches byte by byte
    most_hint_nodes: int = 400  # BDD nodes of a condition that proposes a path
    # Choices at one instruction, after which its alternatives wait behind others; the last rank is what
    # is tried when nothing else is left.
    often: int = 3
    last_rank: int = 40
    # Before the solver is asked, values are guessed: of questions with no more conditions than this.
    most_guessed_conditions: int = 40
    most_tried_conditions: int = 12  # the same, for values next to constants, one after the other
    most_tried_values: int = 16  # of one unknown
    long_question: int = 16  # conditions of one that takes about twice as long as a short one
    # What it costs to assume something that hardly anybody expects: of two paths, the cheaper one.
    null_argument: int = 2
    null_behind_argument: int = 1
    unlikely_failure: int = 2  # of a function of the library
    long_text: int = 2  # a text that does not fit where there is room for so many bytes
    expected_text: int = 60
    most_table_bytes: int = 4096  # of a constant table that is read at an index which is not known
    most_chosen_cells: int = 16  # places written so far that an index which is not known may mean
    most_table_runs: int = 48  # stretches of equal values in it
    longest_text: int = 1 << 31  # bytes, if its object has no known size
    most_tied: int = 64  # bytes known so far that are tied to a length at once
    longest_format: int = 400  # bytes that are read
    most_padding: int = 1 << 20  # bytes that strncpy fills up
    longest_comparison: int = 200  # bytes of a comparison that become one condition
    most_copied_cells: int = 512  # bytes that are copied cell by cell; beyond, as a stretch
    least_batch: int = 2  # candidates that are begun together
    most_flips: int = 16  # decisions that are tried the other way to see whether they matter
    flip_steps: int = 200  # instructions for each of these
    most_other_ways: int = 3  # of each of these decisions
    most_flip_ways: int = 12  # that one of them may open
    # Of decisions that are open then, the last ones are tried for longer, with equal ways merged.
    most_longer_flips: int = 3
    longer_flip_steps: int = 800
    most_merged_ways: int = 60
    most_aside: int = 6  # calls on one path that are passed to see whether the loss needs them
    aside_steps: int = 600  # instructions for each of these
    # A second look at what stage 1 calls safe. Nine of ten losses that such a search finds, it finds
    # within 200 instructions.
    glance_steps: int = 200  # instructions executed for one block
    # Of a second try, from what the first tries left of the budget: loops over a few elements of a
    # container need more than 200.
    glance_long_steps: int = 600
    # Of a third one, for what only a limit of stage 1 makes safe: ways through a function that is
    # too large for its conditions are long.
    glance_limited_steps: int = 1500
    instructions_per_glance_step: int = 4  # of the program: one step for four of them
    least_glance_steps: int = 24_000  # the same for small programs
    glance_callers: int = 6  # of one function that get a block which stage 1 did not hand on
    glance_depth: int = 3  # calls through which it is followed so
    most_ending_steps: int = 400  # behind one call, to see whether the program ends there
    most_ending_callers: int = 6  # of a function after which it ends
    farthest_caller: int = 2  # callers outwards from which a path is started again
    most_callers: int = 4  # of one function that are tried
    small_callee: int = 24  # instructions of one without calls that is entered in any case
    jumping_callee: int = 60  # of one that may leave by a jump, while a block is there
    ending_callee: int = 150  # of one that is entered to see whether it comes back
    largest_builder: int = 120  # instructions of a callee that is entered to build a structure
