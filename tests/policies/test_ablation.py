"""Every assumption of stage 1 is needed by its C file, can be switched off, and is counted.

A row of the table whose C file does not change without it is one rule too many: it goes.
What each changes over all annotated programs: `python -m tests.policies.ablation`.
"""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

from heapflow.policies import table
from heapflow.policies.long_lived_keeps import LONG_LIVED_KEEPS
from heapflow.policies.owners_tell import OWNERS_TELL
from heapflow.policies.page import with_section
from heapflow.policies.policy import Policy
from heapflow.policies.table import NAMES, POLICIES, in_force, in_order, policies_without
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
    policies = policies_without([OWNERS_TELL.name])
    policies.at = 3
    assert policies.acts(LONG_LIVED_KEEPS) and not policies.acts(OWNERS_TELL)
    assert policies.acted_in([3]) == {LONG_LIVED_KEEPS.name}
    assert policies.acted_in([4]) == frozenset()
    assert in_order({NAMES[2], NAMES[0]}) == (NAMES[0], NAMES[2])
    made = dict(in_force(policies))
    assert made[LONG_LIVED_KEEPS.name] == 1 and OWNERS_TELL.name not in made


def test_names_are_told_apart() -> None:
    assert len(set(NAMES)) == len(NAMES)
    with pytest.raises(AssertionError):
        policies_without(["no such policy"])


def test_one_file_each() -> None:
    """A file per row, named like it, and no row without one."""
    folder = Path(table.__file__).parent
    rooms = {"__init__", "policy", "inforce", "table", "page"}
    files = {path.stem for path in folder.glob("*.py")} - rooms
    assert files == {name.replace("-", "_") for name in NAMES}


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.name)
def test_a_file_says_where_it_acts(policy: Policy) -> None:
    """The module that its text names imports it."""
    name = policy.name.replace("-", "_")
    text = import_module(f"heapflow.policies.{name}").__doc__ or ""
    where = re.search(r"Acts in: `([a-z_/]+\.py)`", text)
    assert where is not None
    source = (Path(table.__file__).parents[1] / where[1]).read_text()
    assert re.search(rf"from heapflow\.policies(\.{name} import| import {name})\b", source)


def test_the_page_is_that_of_the_table() -> None:
    page = (ROOT / "docs" / "unsoundness.md").read_text("utf-8")
    assert page == with_section(page), "python -m heapflow.policies.page docs/unsoundness.md"
