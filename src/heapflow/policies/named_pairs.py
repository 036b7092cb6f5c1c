"""The policy `named-pairs`: unknown functions that are named as `malloc` and `free` stand for them.

    module->state = lib_calloc(n);  …  lib_free(module->state);
In:    the functions that are such pairs, by their names and prototypes.     Out: whether they stand.
Acts in: `ownership/named.py`, before beliefs are formed.
"""

from __future__ import annotations

from typing import Final

from heapflow.policies.inforce import Policies
from heapflow.policies.policy import Policy, Shape

NAMED_PAIRS: Final = Policy(
    "named-pairs",
    Shape.CALLS,
    "Unknown functions whose names begin alike and end in `alloc` and `free`, of which one "
    "gives a `void *` and the other gets one that nobody touches afterwards, stand for "
    "`malloc` and `free`.",
    "nothing; where such a `free` releases what hangs on its argument, too, it is told as lost",
    "leaks/named_pairs.c",
    "decision 95",
)


def are_made(policies: Policies) -> bool:
    """Whether names are looked at."""
    return policies.makes(NAMED_PAIRS)


def stand_for(policies: Policies, func: int) -> bool:
    """Whether a function that is named so stands for the library's: that it does is counted."""
    before, policies.at = policies.at, func
    acts = policies.acts(NAMED_PAIRS)
    policies.at = before
    return acts
