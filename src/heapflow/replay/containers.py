"""Lists, queues and arrays of a library, executed node by node.

In:    a call whose model says what it does with a container.     Out: whether it was done.
Nodes are memory that programs see and walk over themselves, so they are made, linked and released as
the library does it. Where a chain goes on beyond what is known, a new node is somebody else's from then
on, and other functions do what their effects say.
Guarantees: what has to be chosen is chosen before anything changes.
"""

from __future__ import annotations

from heapflow.models.container import Operation
from heapflow.replay.chains import Chain, Queue
from heapflow.replay.elements import Array, Table, Vector
from heapflow.replay.places import ModelledCall


def operate(call: ModelledCall, operation: Operation) -> bool:
    """Do what the model says; False: the container is not known well enough."""
    if operation.layout.is_table:
        return Table(call, operation).do(operation.verb)
    if operation.layout.is_vector:
        return Vector(call, operation).do(operation.verb)
    if operation.layout.is_array:
        return Array(call, operation).do(operation.verb)
    if operation.layout.is_queue:
        return Queue(call, operation).do(operation.verb)
    return Chain(call, operation).do(operation.verb)
