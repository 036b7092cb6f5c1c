"""An entry of a constant table at an unknown index is what stands there."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from heapflow.replay.config import ReplayConfig
from heapflow.replay.evaluate import evaluate
from heapflow.replay.tables import entry_of_table
from heapflow.replay.term import Term
from heapflow.replay.terms import Terms

_ENTRIES = st.lists(st.tuples(st.integers(1, 5), st.sampled_from([0, 1, 2, 3, 0x8001])), max_size=9)


@settings(max_examples=150, deadline=None)
@given(_ENTRIES, st.integers(0, 0xFFFF))
def test_entries_and_their_bits(runs: list[tuple[int, int]], bits: int) -> None:
    entries = [number for count, number in runs for _ in range(count)] or [7]
    data = b"".join(number.to_bytes(2, "little") for number in entries)
    terms = Terms()
    index = terms.var("index", 8)
    offset = terms.mul(64, terms.zext(64, index, 8), 2)
    assert isinstance(offset, Term)
    found = entry_of_table(terms, data, offset, 16, ReplayConfig())
    assert found is not None
    wide = terms.zext(32, found, 16)
    masked = terms.binary("and", 32, wide, bits)
    is_zero = terms.eq(32, masked, 0)
    for at, number in enumerate(entries):
        model = {index.number: at}
        assert evaluate(found, model) == number
        assert evaluate(masked, model) == number & bits
        assert evaluate(is_zero, model) == int(number & bits == 0)


def test_long_and_restless_tables_are_left_out() -> None:
    terms = Terms()
    offset = terms.zext(64, terms.var("index", 16), 16)
    assert isinstance(offset, Term)
    assert entry_of_table(terms, bytes(5000), offset, 8, ReplayConfig()) is None
    assert entry_of_table(terms, bytes(range(200)), offset, 8, ReplayConfig()) is None
