"""Calls that may reach the very same functions: what they give and get is one.

In:    Calls.     Out: `Group`s, one for each set of functions and number of arguments.
A table of n functions that call each other through it has n * n edges. What such a call gives, any of
them may get, so that arguments and results are joined once for the set, and handed on when that
changes: the work grows with calls and functions, and what comes out is the same.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from heapflow.invariants.abstract import NOTHING, Abstract, join
from heapflow.invariants.calls import Calls, outside_result
from heapflow.pointsto.facts import Facts


@dataclass(slots=True, eq=False)
class Group:
    """Calls with one set of targets."""

    functions: list[int]  # those of the targets that have a body
    given: list[Abstract]  # by position: what any of the calls gives
    back: Abstract  # what any of the targets returns
    returns: bool  # whether one of them does
    calls: list[int] = field(default_factory=list)  # that were met


class Groups:
    """The groups of a program, made when a call of them is met."""

    def __init__(self, facts: Facts, calls: Calls, most: int) -> None:
        self._facts, self._calls, self._most = facts, calls, most
        self._by_key: dict[tuple[int, ...], Group] = {}
        self._of_call: dict[int, Group] = {}
        self._of_function: dict[int, list[Group]] = {}

    def of_function(self, func: int) -> list[Group]:
        """The groups in which a function may be called."""
        return self._of_function.get(func, [])

    def known(self, call: int) -> Group | None:
        return self._of_call.get(call)

    def of_call(self, call: int) -> tuple[Group | None, bool]:
        """The group of a call, None if its targets are not known; and whether it is new."""
        group = self._of_call.get(call)
        if group is not None:
            return group, False
        targets = self._calls.targets(call)
        if not targets:
            return None, False
        width = len(self._facts.operands(call)) - 1
        key = (width, *targets)
        group, is_new = self._by_key.get(key), False
        if group is None:
            group, is_new = self._made(targets, width), True
            self._by_key[key] = group
        group.calls.append(call)
        self._of_call[call] = group
        return group, is_new

    def _made(self, targets: list[int], width: int) -> Group:
        inside = [func for func in dict.fromkeys(targets) if self._facts.has_body(func)]
        back, returns = NOTHING, False
        for func in targets:
            if not self._facts.has_body(func):
                back = join(back, outside_result(self._calls, func), self._most)
                model = self._calls.model(func)
                returns = returns or model is None or not model.never_returns
        group = Group(inside, [NOTHING] * width, back, returns)
        for func in inside:
            self._of_function.setdefault(func, []).append(group)
        return group
