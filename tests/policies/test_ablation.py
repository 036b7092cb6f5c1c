"""Every assumption of stage 1 is needed by its C file, can be switched off, and is counted.

A row of the table whose C file does not change without it is one rule too many: it goes.
What each changes over all annotated programs: `python -m tests.policies.ablation`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from heapflow.policies.inforce import Policies
from heapflow.policies.page import with_section
from heapflow.policies.table import NAMES, POLICIES, Policy
from tests.policies.ablation import Result, analysed

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.name)
def test_its_file_changes_without_it(policy: Policy) -> None:
    file = ROOT / "tests" / "c" / policy.needed_by
    before, after = analysed([file]), analysed([file], (policy.name,))
    assert before.acted[policy.name] > 0
    assert policy.name not in after.acted
    assert _seen(before) != _seen(after)


def _seen(result: Result) -> tuple[object, ...]:
    """What a policy may change: what is followed (which costs), proposed and found."""
    return result.followed, result.candidates, result.findings


def test_a_finding_names_what_acted() -> None:
    """Only what acted in a function that its block passes, and nothing that is switched off."""
    file = ROOT / "tests" / "c" / "leaks" / "accessors.c"
    found = analysed([file])
    named = {name for one in found.told for name in one.policies}
    assert named and named <= {name for name, count in found.acted.items() if count}
    assert any("owners-tell" not in one.policies for one in found.told)


def test_what_acted_is_kept_by_function() -> None:
    policies = Policies(("owners-tell",))
    policies.at = 3
    assert policies.acts("long-lived-keeps") and not policies.acts("owners-tell")
    assert policies.acted_in([3]) == ("long-lived-keeps",)
    assert policies.acted_in([4]) == ()


def test_names_are_told_apart() -> None:
    assert len(set(NAMES)) == len(NAMES)
    with pytest.raises(AssertionError):
        Policies(("no such policy",))


def test_the_page_is_that_of_the_table() -> None:
    page = (ROOT / "docs" / "unsoundness.md").read_text("utf-8")
    assert page == with_section(page), "python -m heapflow.policies.page docs/unsoundness.md"
