"""The door of the room: what other rooms ask about one object in one function, and nothing else.

`follow(summaries, func, starts, …)` follows a `Source` and gives a `Flow`: the nodes that it comes to,
each under its `State`, what is released, and what is lost. `lost_in_next_turn` runs a further turn of
a loop. `SummaryBook` says what callees do with an object, `Overwrites` what a store takes away,
`FlowEngine` answers what runs ask of the program, `GraphLists` is the value-flow graph as plain lists.
A run of one's own is made of `Track` and `Scope` (leaks/lostwith.py).
"""

from __future__ import annotations

from heapflow.flow.ask import Summaries
from heapflow.flow.effects import effect_guard
from heapflow.flow.engine import FlowEngine
from heapflow.flow.follow import follow
from heapflow.flow.lists import GraphLists
from heapflow.flow.loops import TURN_TOO_LARGE, lost_in_next_turn
from heapflow.flow.outcome import Flow, State
from heapflow.flow.overwrites import Overwrites, PlacesOf
from heapflow.flow.replaced import address_of
from heapflow.flow.scope import Scope
from heapflow.flow.source import Source
from heapflow.flow.summaries import SummaryBook
from heapflow.flow.track import Track

__all__ = [
    "TURN_TOO_LARGE",
    "Flow",
    "FlowEngine",
    "GraphLists",
    "Overwrites",
    "PlacesOf",
    "Scope",
    "Source",
    "State",
    "Summaries",
    "SummaryBook",
    "Track",
    "address_of",
    "effect_guard",
    "follow",
    "lost_in_next_turn",
]
