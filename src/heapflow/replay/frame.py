"""A function that is active: where it is, its values, its source variables.

Frames are shared between forks of a state and copied when one of them writes (`owner`).
"""

from __future__ import annotations

from functools import cache
from hashlib import blake2b
from typing import NamedTuple

from heapflow.replay.code import Code
from heapflow.replay.terms import Value


class Extra(NamedTuple):
    """A variable argument."""

    value: Value
    type: int
    size: int  # of a structure that is passed by a copy: `value` is the address of the copy
    align: int


Binding = tuple[tuple[int, int], int]  # source variable and offset, SSA name


class Frame:
    """A function that is active."""

    __slots__ = (
        "allocas",
        "block",
        "call",
        "called_back",
        "calling_back",
        "code",
        "extra",
        "index",
        "marks",
        "naming",
        "number",
        "owner",
        "previous",
        "regs",
        "skipped",
        "turns",
        "variables",
    )

    def __init__(self, code: Code, owner: int, number: int, like: Frame | None = None) -> None:
        self.code, self.owner, self.number = code, owner, number
        if like is not None:  # mypyc knows no `__new__`: a copy is filled here
            self._fill(like)
            return
        self.block = code.entry
        self.previous = -1  # the block before
        self.index = 0  # of the next instruction in its block
        self.regs: dict[int, Value] = {}
        self.variables: dict[tuple[int, int], int] = {}  # source variable, offset -> SSA name
        self.naming = 0  # equal where the variables are
        self.allocas: list[int] = []
        self.extra: list[Extra] = []  # variable arguments
        self.call = -1  # the instruction in the caller
        self.called_back = False  # by a function of the library that the caller called
        self.calling_back = -1  # object with the calls that such a function is still to make
        self.turns: dict[int, int] = {}  # loop header -> turns in which something was chosen
        # Headers of loops that were passed, with the φs that stayed as they were.
        self.skipped: dict[int, frozenset[tuple[int, Value]]] = {}
        self.marks: dict[int, int] = {}  # loop header -> choices when its last turn began

    def copy(self, owner: int) -> Frame:
        return Frame(self.code, owner, self.number, self)

    def _fill(self, like: Frame) -> None:
        self.block, self.index, self.previous = like.block, like.index, like.previous
        self.regs, self.variables = like.regs.copy(), like.variables.copy()
        self.naming, self.allocas, self.extra = like.naming, like.allocas.copy(), like.extra
        self.called_back, self.calling_back = like.called_back, like.calling_back
        self.call, self.turns, self.marks = like.call, like.turns.copy(), like.marks.copy()
        self.skipped = like.skipped

    def bind(self, bindings: list[Binding]) -> None:
        """Source variables get names, one after the other."""
        variables = self.variables
        for one in bindings:
            variable, name = one
            before = variables.get(variable)
            if before != name:
                if before is not None:
                    self.naming -= _code_of((variable, before))
                self.naming += _code_of(one)
                variables[variable] = name

    def unbind(self, variable: tuple[int, int]) -> None:
        self.naming -= _code_of((variable, self.variables.pop(variable)))


@cache
def _code_of(binding: Binding) -> int:
    """A number whose sums are as good as different for different sets of bindings: states are compared
    at every join, and a function may have thousands of variables."""
    return int.from_bytes(blake2b(repr(binding).encode(), digest_size=16).digest(), "little")
