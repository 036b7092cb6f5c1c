"""The policy `stores-into-new-blocks`: storing into a new block changes nothing older.

    n = get(c);  n->name = …;  if (c->arena) …        `c->arena` is what it was where `n` is a new block
Acts in: `guards/identity.py`, which finds the stores and what they may have changed.
"""

from __future__ import annotations

from typing import Final

from heapflow.logic.space import Guard
from heapflow.policies.inforce import Policies
from heapflow.policies.policy import Policy, Shape

STORES_INTO_NEW_BLOCKS: Final = Policy(
    "stores-into-new-blocks",
    Shape.NARROWS,
    "Storing into a new block changes nothing that the function was called with.",
    "what a store through a pointer that is sometimes the new block does otherwise",
    "leaks/stores_into_new_blocks.c",
    "decision 54",
)


def unchanged(policies: Policies, into_new_block: Guard, after: Guard, before: Guard) -> Guard:
    """That a comparison is what it was before a store, if the store goes into the new block."""
    policies.acts(STORES_INTO_NEW_BLOCKS)
    return ~into_new_block | ~(after ^ before)
