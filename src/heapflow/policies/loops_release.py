"""The policy `loops-release`: a loop that releases something runs at least once.

    while (list) { struct node *next = list->next; free(list); list = next; }
The loop's own conditions are dropped from that of the release.
Acts in: `flow/track.py`, where a block is released inside a loop that it was not made in.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from heapflow.logic.space import Guard, GuardSpace
from heapflow.policies.inforce import Policies
from heapflow.policies.policy import Policy, Shape

LOOPS_RELEASE: Final = Policy(
    "loops-release",
    Shape.RELEASES,
    "A loop that releases something runs at least once.",
    "blocks that are lost where such a loop has nothing to do",
    "leaks/loops.c",
    "SPARROW",
)


def without_loop(
    policies: Policies, space: GuardSpace, released: Guard, variables: Iterable[int]
) -> Guard:
    """The condition of a release, without what decides whether the loop around it has a turn."""
    return space.forget(released, variables) if policies.acts(LOOPS_RELEASE) else released
