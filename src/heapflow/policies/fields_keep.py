"""The policy `fields-keep`: members of the program's own structs hold what the program stores in them.

    s->state = IDLE;  …  s->state = BUSY;        `s->state` is one of the two, whoever made `s`
Acts in: `stages/execution.py`, for every load that execution then knows something of;
`invariants/` finds what members hold.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from heapflow.policies.inforce import Policies
from heapflow.policies.policy import Policy, Shape

FIELDS_KEEP: Final = Policy(
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
)


def is_made(policies: Policies) -> bool:
    """Whether members are looked at."""
    return policies.makes(FIELDS_KEEP)


def count_loads(policies: Policies, funcs: Iterable[int]) -> int:
    """Note loads of which something is known, by their functions; how often this acted in all."""
    for func in funcs if is_made(policies) else ():
        policies.at = func
        policies.acts(FIELDS_KEEP)
    return policies.acted[FIELDS_KEEP.name]
