"""The door of the room: who owns what, as other rooms ask it, and nothing else.

`form_beliefs(program, models, …)` says what functions without a body do with what they get (`Beliefs`:
models, and the evidence); `list_functions` shows them, `count_unseen` counts what went into those of
which nothing is believed.
`find_fields(program, calls, models, config)` says who stores, releases and ends what lies in which
field (`FieldTable`); `find_clients` which calls of callers that are not known may lose a block
(`Client`), and what lies in memory before such calls begin (`Laid`, `Target`). `Field`, `Layouts`:
places by type and offset.
"""

from __future__ import annotations

from heapflow.ownership.belief import Belief, Beliefs, Kind
from heapflow.ownership.beliefs import form_beliefs
from heapflow.ownership.clients import Client, builders, find_clients
from heapflow.ownership.fields import FieldTable, find_fields
from heapflow.ownership.laid import Laid, Target
from heapflow.ownership.listing import Listed, list_functions
from heapflow.ownership.places import Field, Layouts, OriginKind
from heapflow.ownership.unseen import Unseen, count_unseen

__all__ = [
    "Belief",
    "Beliefs",
    "Client",
    "Field",
    "FieldTable",
    "Kind",
    "Laid",
    "Layouts",
    "Listed",
    "OriginKind",
    "Target",
    "Unseen",
    "builders",
    "count_unseen",
    "find_clients",
    "find_fields",
    "form_beliefs",
    "list_functions",
]
