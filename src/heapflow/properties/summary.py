"""What callers hear of a function: what it does to the objects it is given, and how it leaves them."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import NamedTuple

from heapflow.ir.ids import FuncId, InstrId
from heapflow.properties.place import Place

RESULT: Place = ("r",)
DESCRIPTOR = " descriptor"  # stands for all families of descriptors, and is the name of none


class Mark(IntEnum):
    """What is known of a pointer."""

    RELEASED = 0
    ACQUIRED = 1
    INNER = 2  # not the start of what was acquired
    STACK = 3
    STATIC = 4
    COUNTED = 5  # released, if what lies in it says so
    PERHAPS = 6  # the same in a callee: only who made the object knows what lies in it
    REACHED = 7  # a callee released something that may be this: both are reached from one place


class Tag(NamedTuple):
    """A mark and the instruction of this function that gave it."""

    mark: Mark
    family: str
    instr: InstrId


class Deed(NamedTuple):
    """What a function does to an object: the family by which it releases it, or "" for a use."""

    place: Place
    family: str


class InOrder(NamedTuple):
    """What a summary lists, sorted once for all calls."""

    deeds: list[Deed]
    exits: list[tuple[Place, Mark, str]]
    gone: list[tuple[Place, Mark, str]]
    handed: list[tuple[Place, tuple[InstrId, ...]]]
    reached: list[tuple[Place, str]]


@dataclass(slots=True)
class Summary:
    """Of one function and all that it calls."""

    deeds: set[Deed] = field(default_factory=set)
    exits: set[tuple[Place, Mark, str]] = field(default_factory=set)
    # What lay in a place of the caller and was released, whatever lies there afterwards.
    gone: set[tuple[Place, Mark, str]] = field(default_factory=set)
    # Arguments and globals from which something is reached and released that has no name for callers.
    reached: set[tuple[Place, str]] = field(default_factory=set)
    found: set[Place] = field(default_factory=set)  # … from which the result is reached so
    # Descriptors that callers get: where, and the calls that lead to it, the acquiring one first.
    handed: set[tuple[Place, tuple[InstrId, ...]]] = field(default_factory=set)

    _releases: bool | None = field(default=None, compare=False)
    _in_order: InOrder | None = field(default=None, compare=False)

    @property
    def releases(self) -> bool:
        """Whether something is released; asked when the function was followed."""
        if self._releases is None:
            self._releases = any(deed.family for deed in self.deeds)
        return self._releases

    @property
    def in_order(self) -> InOrder:
        """The same in an order that no run changes; asked when the function was followed."""
        if self._in_order is None:
            self._in_order = InOrder(
                sorted(self.deeds, key=str),
                sorted(self.exits, key=str),
                sorted(self.gone, key=str),
                sorted(self.handed, key=str),
                sorted(self.reached, key=str),
            )
        return self._in_order


class Pair(NamedTuple):
    """A tag, and an event that does not go with it."""

    func: FuncId
    tag: Tag
    event: InstrId
    family: str  # by which it is released; "" for a use
    is_own: bool  # whether the function that sees both acquired it, too
    is_sure: bool  # whether both are of one pointer, and not of two into one list
