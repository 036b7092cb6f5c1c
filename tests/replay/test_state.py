"""Forks of a state: everything is taken along, nothing that is written to is shared."""

from __future__ import annotations

from heapflow.replay.memory import Kind
from heapflow.replay.state import State


def test_a_fork_has_everything() -> None:
    state = State(100)
    state.chosen, state.late, state.status = 3, 2, 7
    made = state.fork()
    own = {"token", "frames", "objects", "bound", "known", "conditions", "ways", "jumps", "passes"}
    for name in State.__slots__:
        if name not in own:
            assert getattr(made, name) is getattr(state, name), name


def test_writes_stay_apart() -> None:
    state = State(100)
    block = state.make(Kind.HEAP, "block")
    made = state.fork()
    made.own(block.id).freed = 5
    made.bound[1] = 2
    made.known[3] = 1
    assert state.objects[block.id].freed == -1
    assert not state.bound and not state.known
