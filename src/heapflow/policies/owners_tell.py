"""The policy `owners-tell`: what is lost together with the block that holds it is told with that block.

    struct user *u = malloc(…);  u->name = strdup(…);  return -1;        one finding, which names both
Acts in: `leaks/detect.py`, in the verdict on what is held.
"""

from __future__ import annotations

from typing import Final, TypeVar

from heapflow.policies.inforce import Policies
from heapflow.policies.policy import Policy, Shape

OWNERS_TELL: Final = Policy(
    "owners-tell",
    Shape.RELEASES,
    "What is lost together with the block that holds it is told with that block.",
    "nothing: it is named in the finding of its owner",
    "leaks/accessors.c",
    "decision 56",
)
_Owner = TypeVar("_Owner")


def told_by(policies: Policies, lost_owners: list[_Owner]) -> list[_Owner]:
    """The owners with which something is told, of those that are lost."""
    return lost_owners if lost_owners and policies.acts(OWNERS_TELL) else []
