"""What becomes of an object in a function: the data that flows, summaries and verdicts share."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from heapflow.flow.overwrites import PlacesOf
from heapflow.flow.sharing import Comparisons
from heapflow.ir.ids import BlockId, InstrId, LocationSetId
from heapflow.logic.space import Guard

# Node, and location set in which the object lies there (-1: in a value). Always two; compiled code
# makes a new object of an exact pair whenever it is looked up, and looking up is most of what is done.
State = tuple[Any, ...]


@dataclass(slots=True)
class Summary:
    """What a function does with an object that enters at one of its formal nodes."""

    freed: Guard
    escaped: Guard
    returned: Guard
    outs: dict[State, Guard] = field(default_factory=dict)  # EXIT nodes
    unread: dict[LocationSetId, Guard] = field(default_factory=dict)  # nobody reads them: no EXIT
    frees: list[tuple[InstrId, Guard]] = field(default_factory=list)  # call instr, condition
    decided: bool = True
    limit: str = ""  # which one was hit, if not decided
    assume: Guard | None = None  # what carrying the object says of the function's conditions
    places: PlacesOf = field(default_factory=dict)  # see `Places.known`
    compared: Comparisons | None = None  # what makes it hold for other location sets as well
    # A limit because of which more seems freed or held than is: no reason to call an object safe.
    rounded: str = ""
    is_idle: bool = False  # nothing above says anything: most objects pass most calls unharmed


@dataclass(slots=True)
class Flow(Summary):
    """A summary with how it came about."""

    reached: dict[State, Guard] = field(default_factory=dict)
    escapes: list[tuple[InstrId, Guard]] = field(default_factory=list)
    came_from: dict[State, State] = field(default_factory=dict)
    settled: list[tuple[BlockId, Guard]] = field(
        default_factory=list
    )  # freed or gone, and in which block
    is_cut: bool = False  # not followed further, as it is freed or out of our hands in any case
