"""What is certain of single terms, under any condition.

    p = xmalloc(n);  if (!p) …        `xmalloc` returned, so p is not NULL
A term is entered when a call's result is put into the caller's terms: before anything compares it.
"""

from __future__ import annotations

from typing import Final

from heapflow.ir.codes import CMP_EQ, CMP_NE
from heapflow.ir.kinds import CmpPredicate
from heapflow.logic.compare import constant_of, decide
from heapflow.logic.term import Term
from heapflow.policies.error_codes import ErrorCodes
from heapflow.policies.inforce import Policies

_ZERO_TESTS: Final = (CMP_EQ, CMP_NE)


class KnownTerms:
    """Asked about every comparison, before it becomes a variable."""

    def __init__(self, policies: Policies) -> None:
        self.nonnull: set[Term] = set()  # what a function that returned it made sure of
        self.error_codes = ErrorCodes(policies)

    def decide(self, predicate: CmpPredicate, left: Term, right: Term) -> bool | None:
        """Whether a comparison holds; None: it depends."""
        if left in self.nonnull and constant_of(right) == 0 and predicate in _ZERO_TESTS:
            return predicate == CMP_NE
        known = decide(predicate, left, right)
        return self.error_codes.decide(predicate, left, right) if known is None else known
