"""The second stage: conditions that only arithmetic refutes."""

from __future__ import annotations

from pathlib import Path

import pytest

from heapflow.feasibility.solve import Answer, FeasibilityChecker, FeasibilityConfig
from tests.guards.harness import Guarded

HEAD = "void mark(int); int unknown(void);\n"
CASES = {
    "order is transitive": ("if (a < b) if (b < c) if (c < a) mark(1);", False),
    "a sum": ("if (a == b + 1) if (a == b) mark(1);", False),
    "possible": ("if (a < b) if (b < c) mark(1);", True),
    "unrelated unknowns": ("if (unknown() < a) if (unknown() > a) mark(1);", True),
    "a chain among unrelated ones": (
        "if (unknown() == 3) if (a < b) if (unknown() > 7) if (b < c) if (d == 5) if (c < a) mark(1);",
        False,
    ),
    "possible among unrelated ones": (
        "if (unknown() == 3) if (a < b) if (unknown() > 7) if (b < c) if (d == 5) mark(1);",
        True,
    ),
    "impossible by itself": ("if ((d & 1) == 2) if (a < b) if (b < c) mark(1);", False),
    "masks": ("if ((a & 4) == 4) if ((a & 12) == 0) mark(1);", False),
}


@pytest.mark.parametrize("name", CASES)
def test_conditions(name: str, tmp_path: Path) -> None:
    body, feasible = CASES[name]
    found = Guarded(HEAD + f"void f(int a, int b, int c, int d) {{ {body} }}", tmp_path)
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


HARD = "if (a * b == 1000003) if (a > 1) if (b > 1) if (a < 1000003) if (b < 1000003) mark(1);"


def test_effort_is_bounded_by_steps_not_by_the_clock(tmp_path: Path) -> None:
    """What cannot be decided is kept; the same number of steps gives the same answer."""
    found = Guarded(HEAD + f"void f(int a, int b) {{ {HARD} }}", tmp_path)
    [guard] = found.mark_guards("f").values()
    checker = FeasibilityChecker(found.book.context, FeasibilityConfig(most_steps=2000))
    answers = {checker.ask(guard) for _ in range(3)}
    assert answers == {Answer.UNKNOWN}
    assert checker.is_feasible(guard) and checker.stats.unknown == 1


def test_answers_do_not_depend_on_their_order(tmp_path: Path) -> None:
    bodies = [body for body, _ in CASES.values()]
    text = "".join(
        f"void f{number}(int a, int b, int c, int d) {{ {body} }}\n"
        for number, body in enumerate(bodies)
    )
    found = Guarded(HEAD + text, tmp_path)
    guards = [
        guard for number in range(len(bodies)) for guard in found.mark_guards(f"f{number}").values()
    ]
    checker = FeasibilityChecker(found.book.context)
    forward = [checker.ask(guard) for guard in guards]
    backward = [checker.ask(guard) for guard in reversed(guards)]
    assert forward == backward[::-1]
    assert {*forward} == {Answer.POSSIBLE, Answer.IMPOSSIBLE}
