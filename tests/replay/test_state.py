"""Forks of a state: everything is taken along, nothing that is written to is shared."""

from __future__ import annotations

from heapflow.replay.frame import Frame
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


class _NoCode:
    entry = 0


def test_frames_with_the_same_variables_are_named_alike() -> None:
    one, other = (Frame(_NoCode(), 0, 0) for _ in range(2))  # type: ignore[arg-type]
    p, q = (1, 0), (2, 0)
    one.bind([(p, 5), (q, 6)])
    other.bind([(q, 5), (p, 6)])
    assert one.naming != other.naming  # the names are swapped
    other.bind([(p, 5)])
    other.bind([(q, 6)])
    assert one.variables == other.variables and one.naming == other.naming
    other.unbind(q)
    assert one.naming != other.naming and one.copy(1).naming == one.naming
    other.unbind(p)
    assert other.naming == 0 and not other.variables
