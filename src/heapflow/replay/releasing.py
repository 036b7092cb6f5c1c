"""Blocks that a modelled function releases, or keeps."""

from __future__ import annotations

from heapflow.replay.descriptors import descriptors_in
from heapflow.replay.events import End
from heapflow.replay.executor import Cut, Ended
from heapflow.replay.externals import reachable
from heapflow.replay.memory import Kind, addresses_in
from heapflow.replay.places import ModelledCall
from heapflow.replay.term import Value


def release(call: ModelledCall, pointer: Value, family: str, deep: bool = False) -> None:
    """What a pointer leads to ends; `deep`: with what hangs on it."""
    executor, state = call.executor, call.state
    pointer = executor.settled(state, pointer)
    if not isinstance(pointer, int) or pointer == 0:
        found: set[int] = set()
        addresses_in(pointer, found)
        if not state.tracked.isdisjoint(found):
            raise Cut("free of a computed address")
        return
    obj = executor.object(state, pointer >> 32)
    if obj.kind in (Kind.STACK, Kind.GLOBAL, Kind.CODE) and not deep:
        raise Ended(End.BROKEN)
    inside = _hanging_on(call, obj.id, pointer, family) if deep else {obj.id}
    for ident in sorted(inside):
        one = state.objects[ident]
        if one.kind in (Kind.HEAP, Kind.WORLD) and one.freed < 0:
            executor.release(state, one, call.instr.id)
        elif one.freed >= 0 and not deep:
            executor.misuse(state, one, again=True)


def _hanging_on(call: ModelledCall, first: int, pointer: Value, family: str) -> set[int]:
    """What a deep release ends: the nodes of a list, not what they lead to; all of an arena."""
    found = reachable(call.executor, call.state, [pointer])
    known = call.executor.knowledge.models.families.get(family)
    if known is None or known.arena:
        return found
    objects = call.state.objects
    return {one for one in found if one == first or objects[one].family == family}


def keep(call: ModelledCall, pointer: Value) -> None:
    """Somebody holds what a value leads to, from now on."""
    found: set[int] = set()
    pointer = call.executor.settled(call.state, pointer)
    addresses_in(pointer, found)
    call.state.kept = call.state.kept | found | descriptors_in(call.state, [pointer])
