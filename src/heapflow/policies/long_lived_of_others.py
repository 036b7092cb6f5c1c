"""The policy `long-lived-of-others`: what a callee hangs into others' long-lived memory is not the
caller's loss.

    register_handler(name);        keeps a copy of `name` in a table that a global variable leads to
Acts in: `leaks/handover.py`, where objects that leave a function are offered to its callers.
"""

from __future__ import annotations

from typing import Final

from heapflow.policies.inforce import Policies
from heapflow.policies.policy import Policy, Shape

LONG_LIVED_OF_OTHERS: Final = Policy(
    "long-lived-of-others",
    Shape.RELEASES,
    "What a callee stores in memory that global variables lead to, and that the caller "
    "did not make, is not the caller's loss.",
    "blocks that only such memory held",
    "leaks/long_lived_lists.c",
)


def is_the_callers(policies: Policies, arrives_in_its_hands: bool) -> bool:
    """Whether a caller answers for an object that a callee made."""
    return arrives_in_its_hands or not policies.acts(LONG_LIVED_OF_OTHERS)
