"""What is remembered of an object's contents is what they say now."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from heapflow.replay.conditions import Conditions
from heapflow.replay.config import ReplayConfig
from heapflow.replay.facts import Facts, compared, facts_of
from heapflow.replay.memory import Accessor, Kind, Object, base_address
from heapflow.replay.solver import Solver
from heapflow.replay.term import Term
from heapflow.replay.terms import Terms
from tests.replay.expressions import with_checks

MOST_COPIED = ReplayConfig().most_copied_cells

_WRITES = st.lists(
    st.tuples(
        st.sampled_from(("write", "read", "fill", "copy", "forget")),
        st.integers(0, 24),
        st.sampled_from((1, 4, 8)),
        st.one_of(st.integers(0, 255), st.sampled_from([base_address(7), base_address(9) + 4])),
    ),
    max_size=12,
)


def _fresh(memory: Accessor, obj: Object) -> Facts:
    copied = obj.copy(obj.owner)
    copied.facts = None
    return compared(memory, copied)


def _said(facts: Facts) -> tuple[object, ...]:
    return facts.leads, facts.open, facts.open_atoms, facts.atoms, facts.content


@settings(max_examples=150, deadline=None)
@given(_WRITES)
def test_facts_follow_every_change(writes: list[tuple[str, int, int, int]]) -> None:
    memory = Accessor(Terms(), MOST_COPIED)
    obj, other = Object(3, Kind.HEAP, "block", 0), Object(4, Kind.HEAP, "other", 0)
    memory.write(other, 0, 8, base_address(11))
    for what, offset, size, value in writes:
        match what:
            case "write":
                memory.write(obj, offset, size, value & ((1 << 8 * size) - 1))
            case "read":
                memory.read(obj, offset, size)
            case "fill":
                memory.fill(obj, offset, size, value & 255)
            case "copy":
                memory.copy(obj, offset, other, 0, 8)
            case _:
                memory.forget(obj, f"call{offset}")
        assert facts_of(memory, obj).leads == _fresh(memory, obj).leads
        assert _said(compared(memory, obj)) == _said(_fresh(memory, obj))


def test_equal_contents_have_equal_numbers() -> None:
    memory = Accessor(Terms(), MOST_COPIED)
    one, other = Object(3, Kind.HEAP, "block", 0), Object(3, Kind.HEAP, "block", 1)
    memory.write(one, 8, 8, base_address(7))
    memory.write(other, 8, 8, 1)
    assert compared(memory, one).content != compared(memory, other).content
    memory.write(other, 8, 8, base_address(7))
    assert compared(memory, one).content == compared(memory, other).content
    assert facts_of(memory, one).leads == {7: 8}


def test_what_contradicts_itself_is_not_asked_again() -> None:
    terms = Terms()
    x, y, z = (terms.var(name, 32) for name in "xyz")
    product = terms.eq(32, terms.mul(32, x, y), 1)
    even, below = terms.eq(1, terms.extract(1, x, 0), 0), terms.ult(32, z, x)
    assert isinstance(product, Term) and isinstance(even, Term) and isinstance(below, Term)
    solver = Solver(terms, with_checks(100_000))
    held = Conditions([product])
    assert solver.extend(held, {x.number: 1, y.number: 1}, even) is None
    asked = solver.stats.solved
    held.append(below)
    assert solver.extend(held, {x.number: 1, y.number: 1, z.number: 0}, even) is None
    assert solver.stats.solved == asked and solver.stats.refused == 1
