"""Of which unknowns a condition speaks.

In:    a condition's number.     Out: names of unknowns, and of what these are about.
"""

from __future__ import annotations

from heapflow.replay.executor import Executor
from heapflow.replay.term import Term


def names_in(executor: Executor, condition: int) -> list[str]:
    """Names of the unknowns in a condition, and of what these are about."""
    terms = executor.terms
    related, found = executor.related, []
    stack = sorted(terms.by_number[condition].atoms, reverse=True)
    while stack:
        term = terms.by_number[stack.pop()]
        name = str(term.args[0])
        found.append(name)
        found += related.get(name, ())
        if term.op == "opaque":
            stack += [a for arg in term.args if isinstance(arg, Term) for a in sorted(arg.atoms)]
    return found
