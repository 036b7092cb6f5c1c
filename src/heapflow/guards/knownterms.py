"""What is certain of single terms, under any condition.

    p = xmalloc(n);  if (!p) …        `xmalloc` returned, so p is not NULL
A fact is entered (`not_null`, `tell_apart`) where a call's result becomes a term of the caller's, and
nowhere else: no caller can compare that term before. So questions change nothing, whatever their order.
(The callee's own tests of what it returns are another matter: those are renamed before.)
Guarantees (`check_guards`): no condition asks whether something is NULL that is known not to be.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from heapflow.ir.codes import CMP_EQ, CMP_NE
from heapflow.ir.kinds import CmpPredicate
from heapflow.logic.atoms import Compared
from heapflow.logic.compare import constant_of, decide
from heapflow.logic.term import Term
from heapflow.policies.error_codes import ErrorCodes
from heapflow.policies.inforce import Policies

_ZERO_TESTS: Final = (CMP_EQ, CMP_NE)


class KnownTerms:
    """Asked about every comparison, before it becomes a variable."""

    def __init__(self, policies: Policies) -> None:
        self._nonnull: set[Term] = set()  # what a function that returned it made sure of
        self._error_codes = ErrorCodes(policies)

    def not_null(self, result: Term) -> None:
        """A call's result that is not NULL if the call came back."""
        self._nonnull.add(result)

    def tell_apart(self, results: Iterable[Term]) -> None:
        """All that one call may give: to its caller, what is computed is no error code."""
        self._error_codes.tell_apart(results)

    def is_not_null(self, term: Term) -> bool:
        return term in self._nonnull

    def decide(self, predicate: CmpPredicate, left: Term, right: Term) -> bool | None:
        """Whether a comparison holds; None: it depends."""
        if left in self._nonnull and constant_of(right) == 0 and predicate in _ZERO_TESTS:
            return predicate == CMP_NE
        known = decide(predicate, left, right)
        return self._error_codes.decide(predicate, left, right) if known is None else known

    def contradicts(self, asked: Compared) -> bool:
        """Whether a comparison became a condition though the term is known not to be NULL."""
        is_null_test = constant_of(asked.right) == 0 and asked.predicate in _ZERO_TESTS
        return is_null_test and asked.left in self._nonnull
