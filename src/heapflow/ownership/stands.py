"""What is believed of one function, as a model.

In:    Stands.     Out: FunctionModel, or None if nothing is believed.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from heapflow.models.model import (
    AccessPath,
    Alloc,
    AnyField,
    Arg,
    Args,
    Assign,
    Comparison,
    Effect,
    Ensures,
    Expose,
    Free,
    FunctionModel,
    Null,
    Offset,
    Op,
    Ret,
    Take,
    Write,
)


class Stand(Enum):
    """What a function does with an argument."""

    UNCLEAR = "unclear"
    BORROWED = "borrowed"
    TAKEN = "taken"
    RELEASED = "released"
    EMPTIED = "emptied"  # what lies where it points to is released


@dataclass(frozen=True, slots=True)
class Fresh:
    """A block that a function makes: its family, and when it is there."""

    family: str
    when: Comparison | None = None


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument."""

    stand: Stand
    family: str = ""  # RELEASED
    when: Comparison | None = None  # TAKEN
    is_const: bool = False
    with_contents: bool = False  # BORROWED, RELEASED: and so is what it leads to
    spares: bool = False  # BORROWED: what it leads to may be left alone
    member: int = -1  # bytes of a member that cannot lead to the struct around it
    fresh: Fresh | None = None  # what is stored where it points to


@dataclass(frozen=True, slots=True)
class Stands:
    """All of one function."""

    arguments: tuple[Argument, ...]
    others: Argument | None  # the variable arguments
    result: Fresh | None = None
    never_null: bool = False


def as_model(name: str, stands: Stands) -> FunctionModel | None:
    """The model that says so; None if it would say no more than that nothing is known."""
    effects: list[Effect] = []
    unclear = True
    for number, argument in enumerate(stands.arguments, start=1):
        effects += _effects(argument, AccessPath(Arg(number)))
        says_nothing = argument.stand is Stand.UNCLEAR and argument.fresh is None
        unclear = unclear and says_nothing and argument.member < 0
    if stands.others is not None:
        effects += _effects(stands.others, AccessPath(Args(len(stands.arguments) + 1)))
        unclear = unclear and stands.others.stand is Stand.UNCLEAR
    if stands.result is not None:
        when = (stands.result.when,) if stands.result.when is not None else ()
        effects.append(Alloc(AccessPath(Ret()), stands.result.family, when=when))
    if stands.never_null:
        effects.append(Ensures(Comparison(AccessPath(Ret()), Op.NE, 0)))
    if unclear and stands.result is None:
        return None
    return FunctionModel(name, None, tuple(effects), origin="beliefs", is_belief=True)


def _effects(argument: Argument, place: AccessPath) -> list[Effect]:
    effects: list[Effect] = []
    match argument.stand:
        case Stand.UNCLEAR:
            effects.append(Expose(place, argument.member))
        case Stand.BORROWED:
            if not argument.with_contents:
                inside = AccessPath(place.root, (AnyField(),))
                effects.append(Expose(inside, argument.member, spares=argument.spares))
            elif not argument.is_const:
                effects.append(Write(place))
        case Stand.TAKEN:
            when = (argument.when,) if argument.when is not None else ()
            effects.append(Take(place, None, when))
        case Stand.RELEASED:
            effects.append(Free(place, argument.family, argument.with_contents))
        case Stand.EMPTIED:
            inside = AccessPath(place.root, (Offset(0),))
            effects.append(Free(inside, argument.family, argument.with_contents))
            effects.append(Assign(inside, Null()))
    if argument.fresh is not None:
        when = (argument.fresh.when,) if argument.fresh.when is not None else ()
        target = AccessPath(place.root, (Offset(0),))
        effects.append(Alloc(target, argument.fresh.family, when=when))
    return effects
