"""What the solver answered before, by what it was asked and what it had been asked until then.

In:    questions, by keys that equal terms of different searches share.     Out: `Answer`, if any.
The searches of a candidate begin as earlier ones did: in a brief round, for another block of the same
function. Then they ask the same questions in the same order, half of all on some programs. What a
solver says of a question depends on those before it (it keeps what it learnt), so an answer is found
only by the whole history, and is the very one that the solver would have given.
Guarantees: with or without the answers kept here, a search goes on in the same way.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from heapflow.replay.term import Term

Question: TypeAlias = tuple[int, ...]


class Answer(NamedTuple):
    """What one question came to."""

    model: dict[int, int] | None  # values by the keys of unknowns; None: there are none
    core: frozenset[int]  # of a contradiction: positions of the conditions that take part
    checks: int
    gave_up: bool


class History:
    """All questions so far, and what was asked next by those that asked the same until here."""

    __slots__ = ("answer", "next")

    def __init__(self, answer: Answer | None = None) -> None:
        self.answer = answer
        self.next: dict[Question, History] = {}


class Answers:
    """Of one process, for all candidates."""

    def __init__(self) -> None:
        self._keys: dict[tuple[object, ...], int] = {}
        self._first: dict[int, History] = {}

    def begin(self, most_checks: int) -> History:
        """Nothing was asked yet, of a solver with this bound."""
        return self._first.setdefault(most_checks, History())

    def key(self, term: Term, known: dict[int, int]) -> int:
        """A number for a term's shape; `known` has those of a search by the numbers of its terms."""
        found = known.get(term.number)
        if found is None:
            parts = tuple(self._part(arg, known) for arg in term.args)
            shape = (term.op, term.width, parts)
            found = known[term.number] = self._keys.setdefault(shape, len(self._keys))
        return found

    def _part(self, arg: object, known: dict[int, int]) -> object:
        """An operand: terms are told from numbers."""
        if isinstance(arg, Term):
            return "t", self.key(arg, known)
        if isinstance(arg, tuple):
            return tuple(self._part(one, known) for one in arg)
        return arg
