"""The policy `long-lived-keeps`: memory that global variables lead to keeps what is stored in it.

    node->next = table.first;  table.first = node;
Acts in: `flow/track.py`, where the block that is followed comes to lie in such memory.
"""

from __future__ import annotations

from typing import Final

from heapflow.policies.inforce import Policies
from heapflow.policies.policy import Policy, Shape

LONG_LIVED_KEEPS: Final = Policy(
    "long-lived-keeps",
    Shape.RELEASES,
    "What is stored in memory that global variables lead to is kept there.",
    "blocks in long-lived structures that are overwritten or forgotten outside of the "
    "function that made the structure",
    "leaks/linked_lists.c",
    "SMOKE, figure 8",
)


def keeps(policies: Policies, made_here: frozenset[int], memory: frozenset[int]) -> bool:
    """Whether long-lived memory keeps what lies in it: not if the same function made that memory."""
    return not made_here & memory and policies.acts(LONG_LIVED_KEEPS)
