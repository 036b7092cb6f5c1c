"""The door of the room: what other rooms ask about conditions, and nothing else.

`GuardBook.guards(func)` gives the conditions of a function, `FunctionGuards`: when control reaches a
block (`reach`, `leave`, `reach_at`), takes an edge (`edge_guard`, `edge_condition`), has a further turn
of a loop (`turn_guard`) and leaves (`returns`, `unwinds`, `exit`); what a value may be (`cases`,
`term`) and what memory holds (`memory.read`). `GuardBook.instantiate` puts a callee's condition into
the caller's terms. A finished condition is cut down to what can be: `narrowed`, `ways_out`,
`identity_facts`, `store_facts`.
`GuardContext` has what all functions share: the program as lists (`code`), the bounds, the meaning of
every variable (`variables.atoms`).
"""

from __future__ import annotations

from heapflow.guards.book import GuardBook
from heapflow.guards.cfg import Loop
from heapflow.guards.context import GuardContext
from heapflow.guards.facts import narrowed
from heapflow.guards.function import FunctionGuards
from heapflow.guards.identity import identity_facts, store_facts
from heapflow.guards.waysout import ways_out

__all__ = [
    "FunctionGuards",
    "GuardBook",
    "GuardContext",
    "Loop",
    "identity_facts",
    "narrowed",
    "store_facts",
    "ways_out",
]
