"""The assumptions of stage 1, one row each.

In:    nothing.     Out: `POLICIES`.
A policy is no part of the method: it says what programs are taken to do where the method alone could
not tell, and so keeps candidates from execution. Each can be switched off (`--without NAME`), is
counted where it acts (`--stats`), and has a C file in tests/c that changes without it (tests/policies).
docs/unsoundness.md lists them from here.
A new one: a row here, and `policies.acts("name")` at the one place where it acts.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final


class Shape(Enum):
    """What a policy does when it acts."""

    DECIDES = "decides a comparison"
    NARROWS = "narrows a finished condition"
    RELEASES = "releases a block, or keeps it"
    CALLS = "says what a call may do"
    KEEPS = "says what memory holds"


@dataclass(frozen=True, slots=True)
class Policy:
    """One assumption."""

    name: str
    shape: Shape
    says: str  # the assumption, as a sentence
    lost: str  # what may be missed because of it
    needed_by: str  # the C file in tests/c that changes without it
    origin: str = ""  # the paper, or the decision


POLICIES: Final = (
    Policy(
        "loops-release",
        Shape.RELEASES,
        "A loop that releases something runs at least once.",
        "blocks that are lost where such a loop has nothing to do",
        "leaks/loops.c",
        "SPARROW",
    ),
    Policy(
        "long-lived-keeps",
        Shape.RELEASES,
        "What is stored in memory that global variables lead to is kept there.",
        "blocks in long-lived structures that are overwritten or forgotten outside of the "
        "function that made the structure",
        "leaks/linked_lists.c",
        "SMOKE, figure 8",
    ),
    Policy(
        "long-lived-of-others",
        Shape.RELEASES,
        "What a callee stores in memory that global variables lead to, and that the caller "
        "did not make, is not the caller's loss.",
        "blocks that only such memory held",
        "leaks/long_lived_lists.c",
    ),
    Policy(
        "owners-tell",
        Shape.RELEASES,
        "What is lost together with the block that holds it is told with that block.",
        "nothing: it is named in the finding of its owner",
        "leaks/accessors.c",
        "decision 56",
    ),
    Policy(
        "calls-touch-what-they-get",
        Shape.CALLS,
        "A call writes to objects that its arguments or global variables lead to, and to what"
        " it makes.",
        "what points-to sets miss",
        "leaks/history_container_payload.c",
        "decision 59",
    ),
    Policy(
        "error-codes",
        Shape.DECIDES,
        "A function that returns a negative constant on some ways and a computed number on "
        "others does not compute that constant, nor any negative number.",
        "blocks that are lost where it does",
        "leaks/result_codes.c",
    ),
    Policy(
        "unwritten-globals",
        Shape.DECIDES,
        "A global variable that no analysed file writes has its initial value, also if it is "
        "visible elsewhere.",
        "what happens where a file that is not given sets it",
        "leaks/global_flags.c",
        "decision 53",
    ),
    Policy(
        "stores-into-new-blocks",
        Shape.NARROWS,
        "Storing into a new block changes nothing that the function was called with.",
        "what a store through a pointer that is sometimes the new block does otherwise",
        "leaks/stores_into_new_blocks.c",
        "decision 54",
    ),
    Policy(
        "passed-on-is-there",
        Shape.NARROWS,
        "A pointer that is loaded and passed on is not NULL as far as the callee tests its "
        "parameter, unless the caller tests it before.",
        "blocks that the callee does not keep for want of a table, list or pool",
        "leaks/kept_by_callee.c",
        "decision 59",
    ),
    Policy(
        "fields-keep",
        Shape.KEEPS,
        "A member of a struct of the program's own holds what some store to such a member stores, "
        "or zero if somebody may read it before its maker has set it; a number that is counted "
        "up does not wrap. Other code writes only to members whose address it gets, and no bytes "
        "over a struct with pointers. Allocations elsewhere succeed.",
        "what is lost where a member is written in another way: at an offset from a table, by a "
        "file that is not given",
        "leaks/fields_keep.c",
        "decision 88",
    ),
)
NAMES: Final = tuple(policy.name for policy in POLICIES)
