"""The call graph's transitive answers, against a plain search on small random graphs."""

from __future__ import annotations

import random
from types import SimpleNamespace

import numpy as np
import pytest

from heapflow.ir.ids import FuncId, InstrId
from heapflow.leaks.callreach import CallReach


def graph_of(count: int, calls: list[tuple[FuncId, FuncId]]) -> CallReach:
    """One block and one call instruction per call."""
    program = SimpleNamespace(
        functions=range(count),
        blocks=SimpleNamespace(func=np.array([caller for caller, _ in calls])),
        instrs=SimpleNamespace(block=np.arange(len(calls))),
    )
    return CallReach(program, {InstrId(call): (callee,) for call, (_, callee) in enumerate(calls)})  # type: ignore[arg-type]


def reached(calls: list[tuple[FuncId, FuncId]], start: FuncId) -> set[FuncId]:
    found: set[FuncId] = set()
    stack = [start]
    while stack:
        at = stack.pop()
        for caller, callee in calls:
            if caller == at and callee not in found:
                found.add(callee)
                stack.append(callee)
    return found


@pytest.mark.parametrize("seed", range(30))
def test_agrees_with_a_search(seed: int) -> None:
    chance = random.Random(seed)
    count = chance.randint(2, 9)
    calls = [
        (FuncId(chance.randrange(count)), FuncId(chance.randrange(count)))
        for _ in range(chance.randint(1, 14))
    ]
    graph, funcs = graph_of(count, calls), [FuncId(func) for func in range(count)]
    below = {func: reached(calls, func) for func in funcs}
    for func in funcs:
        assert {other for other in funcs if graph.is_above(func, other)} == below[func]
        assert graph.above(func) == {upper for upper in funcs if func in below[upper]}
