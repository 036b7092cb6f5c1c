"""The policy `calls-touch-what-they-get`: a call writes to what it can get at, by the points-to sets.

    fill(&mine);        fills `mine`, though other callers' lists are one region with it to `fill`
Acts in: `leaks/handover.py`, where the objects of one call are told apart from those of others.
"""

from __future__ import annotations

from typing import Final

from heapflow.policies.inforce import Policies
from heapflow.policies.policy import Policy, Shape

CALLS_TOUCH_WHAT_THEY_GET: Final = Policy(
    "calls-touch-what-they-get",
    Shape.CALLS,
    "A call writes to objects that its arguments or global variables lead to, and to what"
    " it makes.",
    "what points-to sets miss",
    "leaks/history_container_payload.c",
    "decision 59",
)


def may_write(policies: Policies, gets_at: bool) -> bool:
    """Whether a call may write to an object, given whether it can get at it."""
    return gets_at or not policies.acts(CALLS_TOUCH_WHAT_THEY_GET)
