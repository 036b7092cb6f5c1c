"""How the execution of an instruction can turn out, other than that the next one follows."""

from __future__ import annotations

from typing import NamedTuple

from heapflow.replay.code import Edge
from heapflow.replay.evaluate import Model
from heapflow.replay.events import End
from heapflow.replay.term import Term, Value


class Alternative(NamedTuple):
    """Something to assume, and a model in which it holds with all that was assumed before."""

    condition: Term
    model: Model
    later: bool = False  # to be tried when nothing else is left
    fails: bool = False  # an allocation, which hardly ever does


class Choice(Exception):
    """The execution can go on in several ways."""

    def __init__(self, alternatives: list[Alternative]) -> None:
        super().__init__(len(alternatives))
        self.alternatives = alternatives
        self.edges: list[Edge] = []  # that they lead to, if it is control that is chosen


class Ended(Exception):
    """The path is over."""

    def __init__(self, end: End, why: str = "") -> None:
        super().__init__(end.value, why)
        self.end, self.why = end, why


class Cut(Exception):
    """A bound was met: the path is not followed further."""

    def __init__(self, bound: str) -> None:
        super().__init__(bound)
        self.bound = bound


class Postponed(Exception):
    """Other paths are more promising than this one: it waits behind them."""


class Lengthy(Exception):
    """A path has been followed for long without a choice: it waits behind others."""


class JumpedBack(Exception):
    """longjmp: control goes on behind a setjmp."""

    def __init__(self, depth: int, block: int, index: int, value: Value) -> None:
        super().__init__(depth)
        self.depth, self.block, self.index, self.value = depth, block, index, value
