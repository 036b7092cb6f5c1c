"""The assumptions that can be switched off, one row each.

In:    one file per assumption.     Out: `POLICIES`.
Each can be switched off (`--without NAME`), is counted where it acts (`--stats`), and has a C file in
tests/c that changes without it (tests/policies). docs/unsoundness.md lists them from here.
A new one: a file of its name beside this one, with its row and what it decides; the row below; and a
call of that decision at the one place where it acts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from heapflow.policies.calls_touch_what_they_get import CALLS_TOUCH_WHAT_THEY_GET
from heapflow.policies.error_codes import ERROR_CODES
from heapflow.policies.fields_keep import FIELDS_KEEP
from heapflow.policies.inforce import Policies
from heapflow.policies.long_lived_keeps import LONG_LIVED_KEEPS
from heapflow.policies.long_lived_of_others import LONG_LIVED_OF_OTHERS
from heapflow.policies.loops_release import LOOPS_RELEASE
from heapflow.policies.named_pairs import NAMED_PAIRS
from heapflow.policies.named_setters import NAMED_SETTERS
from heapflow.policies.owners_tell import OWNERS_TELL
from heapflow.policies.passed_on_is_there import PASSED_ON_IS_THERE
from heapflow.policies.stores_into_new_blocks import STORES_INTO_NEW_BLOCKS
from heapflow.policies.unwritten_globals import UNWRITTEN_GLOBALS

POLICIES: Final = (
    LOOPS_RELEASE,
    LONG_LIVED_KEEPS,
    LONG_LIVED_OF_OTHERS,
    OWNERS_TELL,
    CALLS_TOUCH_WHAT_THEY_GET,
    ERROR_CODES,
    UNWRITTEN_GLOBALS,
    STORES_INTO_NEW_BLOCKS,
    PASSED_ON_IS_THERE,
    FIELDS_KEEP,
    NAMED_PAIRS,
    NAMED_SETTERS,
)
NAMES: Final = tuple(policy.name for policy in POLICIES)


def policies_without(names: Iterable[str]) -> Policies:
    """All assumptions but some."""
    left_out = frozenset(names)
    assert left_out <= set(NAMES), f"no such policy: {left_out.difference(NAMES)}"
    return Policies(left_out)


def in_force(policies: Policies) -> tuple[tuple[str, int], ...]:
    """The assumptions that were made, and how often each acted."""
    made = (policy for policy in POLICIES if policies.makes(policy))
    return tuple((policy.name, policies.acted[policy.name]) for policy in made)


def in_order(names: Collection[str]) -> tuple[str, ...]:
    """Names as the table has them."""
    return tuple(name for name in NAMES if name in names)
