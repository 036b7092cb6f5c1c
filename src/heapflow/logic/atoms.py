"""What a Boolean variable of the space means: a comparison of two terms, or a free choice.

No dataclasses: there are many, and a frozen one takes several times as long to make.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final, final

from heapflow.ir.kinds import CmpPredicate
from heapflow.logic.term import Term


@final
class Compared:
    """A comparison as `logic.compare.canonical` spells it."""

    __slots__ = ("left", "predicate", "right")
    __match_args__: Final = ("predicate", "left", "right")

    def __init__(self, predicate: CmpPredicate, left: Term, right: Term) -> None:
        self.predicate = predicate
        self.left: Term = left
        self.right: Term = right


class ChoiceOf(IntEnum):
    """What is chosen, and the numbers that name the choice."""

    FIRST_TURN = 0  # header: the turn in question is the loop's first
    LEAVE = 1  # edge: a loop that is left after a turn is left by this one
    EDGE = 2  # edge of a branch whose condition is not known
    CONDITION = 3  # value: a condition that is too large or too deep
    AT_CALL = 4  # call, variable: what a callee's variable is there
    TURN = 5  # number, header, variable: what a variable was in an earlier turn


@final
class Choice:
    """A variable without a meaning of its own."""

    __slots__ = ("numbers", "of")
    __match_args__: Final = ("of", "numbers")

    def __init__(self, of: ChoiceOf, numbers: tuple[int, ...]) -> None:
        self.of = of
        self.numbers = numbers


Atom = Compared | Choice
