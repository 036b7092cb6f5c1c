"""Outcomes that are too large cost the object that has them its verdict, and no other object's."""

from __future__ import annotations

from collections import Counter

from heapflow.flow.config import LeakConfig
from heapflow.flow.outcome import Flow
from heapflow.flow.outcomes import Outcomes
from heapflow.ir.ids import BlockId
from heapflow.logic.space import WORK, Guard, GuardSpace

PAIRS = 11
ENOUGH = 1000  # steps of one function, for all of its objects


def equal(space: GuardSpace, pairs: list[tuple[int, int]]) -> Guard:
    """Whether both variables of every pair are the same: large, if pairs lie apart."""
    found = space.true
    for one, other in pairs:
        found = found & ~(space.literal(one) ^ space.literal(other))
    space.size(found)
    return found


def test_what_is_too_large_is_not_taken_from_what_is_unsettled() -> None:
    space, hits = GuardSpace(), Counter[str]()
    variables = [space.new_variable() for _ in range(2 * PAIRS)]
    first, second = variables[:PAIRS], variables[PAIRS:]
    unsettled = equal(space, list(zip(first, reversed(second), strict=True)))
    freed = equal(space, list(zip(first, second, strict=True)))
    config = LeakConfig(measured_from=1)
    assert min(space.size(unsettled), space.size(freed)) > config.most_outcome_nodes
    flow = Flow(space.false, space.false, space.false)
    outcomes = Outcomes(config, hits, flow, space, unsettled)
    WORK.allow(ENOUGH)
    try:
        outcomes.add(BlockId(0), freed=freed)
        assert not WORK.is_used_up()
    finally:
        WORK.allow(0)
    assert outcomes.are_final()
    assert (flow.decided, flow.limit) == (False, "leaks.most-outcome-nodes")
    assert hits == {"outcome condition too large": 1}
