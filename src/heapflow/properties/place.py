"""Names for the places that pointers lie in: expressions over what a function is given.

    (ARGUMENT, 0)            its first argument
    (GLOBAL, n)              a global variable
    (CONTENT, x)             what lies at the address x
    (BEHIND, x, 8)           the address 8 bytes behind x
    (ELEMENT, x, n)          an element of x whose index is the value n
    (VALUE, n)               a value of which no more is known: a φ, a result, a variable's address
Tuples, since many are made and all of them are keys; what is first in them is one of `Of`.
"""

from __future__ import annotations

from typing import Any, Final

from heapflow.ir.ids import ValueId

Place = tuple[Any, ...]
ANYWHERE: Final = -(1 << 40)  # offset of an element whose index is not constant


class Of:
    """What a place is."""

    ARGUMENT: Final = "p"
    GLOBAL: Final = "g"
    VALUE: Final = "v"
    CONTENT: Final = "l"
    BEHIND: Final = "a"
    ELEMENT: Final = "i"


GIVEN: Final = (Of.ARGUMENT, Of.GLOBAL)  # callers have a name for it, too
WITHIN: Final = (Of.BEHIND, Of.ELEMENT)  # an address in the same object
INNER: Final = (Of.BEHIND, Of.ELEMENT, Of.CONTENT)  # told by another place


def step(place: Place, offset: int) -> Place:
    """The address some bytes behind another."""
    if offset == 0:
        return place
    if place[0] == Of.BEHIND:
        both = ANYWHERE if ANYWHERE in (place[2], offset) else place[2] + offset
        return (Of.BEHIND, place[1], both) if both else place[1]
    return (Of.BEHIND, place, offset)


def base(place: Place) -> Place:
    """The start of what an address lies in."""
    while place[0] in WITHIN:
        place = place[1]
    return place


def depth(place: Place) -> int:
    found = 0
    while place[0] in INNER:
        found, place = found + 1, place[1]
    return found


def root(place: Place) -> Place:
    while place[0] in INNER:
        place = place[1]
    return place


def rooted(place: Place, start: Place) -> Place:
    """The same place, told from another start."""
    if place[0] not in INNER:
        return start
    inner = rooted(place[1], start)
    return step(inner, place[2]) if place[0] == Of.BEHIND else (place[0], inner, *place[2:])


def owners(place: Place) -> list[Place]:
    """The objects that lead to a place, the nearest first."""
    found = []
    while place[0] in INNER:
        place = base(place[1])
        found.append(place)
    return found


def is_given(place: Place) -> bool:
    """Whether it means the same to the caller: it starts from an argument or a global."""
    return root(place)[0] in GIVEN


def values_in(place: Place) -> set[ValueId]:
    """Values of the function that a place is told by: it means another one when they change."""
    found: set[ValueId] = set()
    while place[0] in INNER:
        if place[0] == Of.ELEMENT:
            found.update(place[2:])
        place = place[1]
    return found | {place[1]} if place[0] == Of.VALUE else found


def is_exact(place: Place) -> bool:
    """Whether a store there replaces what was there."""
    while place[0] in INNER:
        if place[0] == Of.BEHIND and place[2] == ANYWHERE:
            return False
        place = place[1]
    return True
