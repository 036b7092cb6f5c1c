"""Every assumption of stage 1 is needed by its C file, can be switched off, and is counted.

A row of the table whose C file does not change without it is one rule too many: it goes.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from heapflow.config import Config
from heapflow.frontend.inputs import find_inputs
from heapflow.pipeline import analyse
from heapflow.policies.inforce import Policies
from heapflow.policies.page import with_section
from heapflow.policies.table import NAMES, POLICIES, Policy
from heapflow.support.run import Run

ROOT = Path(__file__).resolve().parents[2]
_CANDIDATES = ("candidates of the Boolean stage", "candidates of the second look")


def outcome(file: Path, without: tuple[str, ...] = ()) -> tuple[object, dict[str, int]]:
    """What is proposed and what is found, also without an answer; how often each policy acted."""
    run = Run()
    result = analyse(find_inputs([str(file)], []), Config(without=without), run, file.parent)
    proposed = tuple(run.counters[what] for what in _CANDIDATES)
    return (proposed, result.findings), dict(result.summary.policies)


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.name)
def test_its_file_changes_without_it(policy: Policy) -> None:
    file = ROOT / "tests" / "c" / policy.needed_by
    before, acted = outcome(file)
    after, others = outcome(file, (policy.name,))
    assert acted[policy.name] > 0
    assert policy.name not in others
    assert before != after


def test_names_are_told_apart() -> None:
    assert len(set(NAMES)) == len(NAMES)
    with pytest.raises(AssertionError):
        Policies(("no such policy",))


def test_the_page_is_that_of_the_table() -> None:
    page = (ROOT / "docs" / "unsoundness.md").read_text("utf-8")
    assert page == with_section(page), "python -m heapflow.policies.page docs/unsoundness.md"
