"""The policy `named-setters`: what is named as the setter of a member may be called twice.

    reply_set_method(r, "PUT");  reply_set_method(r, "GET");      the member is released elsewhere only
In:    a function that stores a new block in the member that its name ends in.     Out: whether it may.
Acts in: `ownership/clients.py`, where calls of a client are proposed.
"""

from __future__ import annotations

from typing import Final

from heapflow.policies.inforce import Policies
from heapflow.policies.policy import Policy, Shape

NAMED_SETTERS: Final = Policy(
    "named-setters",
    Shape.CALLS,
    "A function that is named as what sets a member (`reply_set_method`) may be called twice "
    "on one struct, if the member is released elsewhere.",
    "nothing; where callers set it only once, it is told as overwritten",
    "leaks/field_setters.c",
    "decision 95",
)


def may_be_called_twice(policies: Policies, func: int) -> bool:
    """Of a function with such a name; that it may is counted."""
    before, policies.at = policies.at, func
    acts = policies.acts(NAMED_SETTERS)
    policies.at = before
    return acts
