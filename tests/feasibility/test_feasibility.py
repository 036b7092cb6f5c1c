"""The second stage: conditions that only arithmetic refutes."""

from __future__ import annotations

from pathlib import Path

import pytest

from heapflow.feasibility.solve import FeasibilityChecker, FeasibilityConfig
from tests.guards.harness import Guarded

HEAD = "void mark(int); int unknown(void);\n"
CASES = {
    "order is transitive": ("if (a < b) if (b < c) if (c < a) mark(1);", False),
    "a sum": ("if (a == b + 1) if (a == b) mark(1);", False),
    "possible": ("if (a < b) if (b < c) mark(1);", True),
    "unrelated unknowns": ("if (unknown() < a) if (unknown() > a) mark(1);", True),
    "masks": ("if ((a & 4) == 4) if ((a & 12) == 0) mark(1);", False),
}


@pytest.mark.parametrize("name", CASES)
def test_conditions(name: str, tmp_path: Path) -> None:
    body, feasible = CASES[name]
    found = Guarded(HEAD + f"void f(int a, int b, int c) {{ {body} }}", tmp_path)
    [guard] = found.mark_guards("f").values()
    assert not found.space.is_false(guard), "stage 1 must leave something to decide"
    checker = FeasibilityChecker(found.book.context)
    assert checker.is_feasible(guard) == feasible
    assert checker.stats.infeasible == (not feasible)


def test_it_can_be_switched_off(tmp_path: Path) -> None:
    text = HEAD + "void f(int a, int b) { if (a < b) if (b < a) mark(1); }"
    found = Guarded(text, tmp_path)
    [guard] = found.mark_guards("f").values()
    checker = FeasibilityChecker(found.book.context, FeasibilityConfig(enabled=False))
    assert checker.is_feasible(guard) and checker.stats.asked == 0
