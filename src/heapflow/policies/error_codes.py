"""The policy `error-codes`: a computed result is not the error code beside it.

    n = parse(s);  if (n == -1) return;        parse returns -1, or a number that it computes
In:    what calls may return, as terms.     Out: comparisons that this decides.
Acts in: `guards/knownterms.py`, before a comparison becomes a condition.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from heapflow.ir.codes import CMP_EQ, CMP_NE, CMP_SGE, CMP_SLT
from heapflow.ir.kinds import CmpPredicate
from heapflow.logic.address import is_constant
from heapflow.logic.compare import constant_of
from heapflow.logic.term import Term, Val
from heapflow.policies.inforce import Policies
from heapflow.policies.policy import Policy, Shape

ERROR_CODES: Final = Policy(
    "error-codes",
    Shape.DECIDES,
    "A function that returns a negative constant on some ways and a computed number on "
    "others does not compute that constant, nor any negative number.",
    "blocks that are lost where it does",
    "leaks/result_codes.c",
)
_ZERO_TESTS: Final = (CMP_EQ, CMP_NE)


class ErrorCodes:
    """Terms that are no error codes, as far as calls were looked at."""

    def __init__(self, policies: Policies) -> None:
        self._policies = policies
        self._apart: dict[Term, frozenset[int]] = {}

    def tell_apart(self, terms: Iterable[Term]) -> None:
        """A function that returns -1 on failure and a computed number else: that number is not -1.

        An argument that is handed back is the caller's: what it is, the function does not say.
        """
        several = list(terms)
        numbers = {n for term in several if (n := constant_of(term)) is not None}
        negative = {n for n in numbers if n < 0 or n >> 63}  # also (size_t)-1
        for term in several if negative else ():
            if not is_constant(term) and not isinstance(term, Val):
                self._apart[term] = self._apart.get(term, frozenset()) | negative

    def decide(self, predicate: CmpPredicate, left: Term, right: Term) -> bool | None:
        """Whether a comparison holds, if its term is no error code."""
        known = self._find(predicate, left, right)
        return known if known is not None and self._policies.acts(ERROR_CODES) else None

    def _find(self, predicate: CmpPredicate, left: Term, right: Term) -> bool | None:
        apart, number = self._apart.get(left), constant_of(right)
        if number is None or apart is None:
            return None
        if predicate in _ZERO_TESTS and (number in apart or number < 0):
            return predicate == CMP_NE
        if predicate == CMP_SLT and number == 0:
            return False
        return True if predicate == CMP_SGE and number == 0 else None
