"""heapflow reports exactly what the marks in tests/c/leaks say: LEAK ∪ FP, no more and no less."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from heapflow.report.finding import Finding, LostBy, Place, Rule
from tests.leaks.annotated import compare_findings, compare_unit, places
from tests.leaks.sources import ROOT, Unit, find_units


def _id(unit: Unit) -> str:
    return unit.name


@pytest.mark.parametrize("unit", find_units(), ids=_id)
def test_reports_equal_marks(unit: Unit) -> None:
    comparison = compare_unit(unit)
    assert comparison.agrees, "\n" + comparison.text()


def test_memory_models_on_the_papers_example() -> None:
    """TSE'14 §3.1: with top-level pointers only, the inner of the two objects is not followed."""
    from heapflow.api import check

    file = ROOT / "saber_tse14_fig02.c"
    inner = next(
        number
        for number, text in enumerate(file.read_text().splitlines(), start=1)
        if text.strip().startswith("*line = malloc")
    )
    found = {
        model: {
            line
            for finding in check(file, root=ROOT, memory_model=model).findings
            if finding.lost.function == "print_lines_bad"
            for _, line in places(finding)
        }
        for model in ("regions", "distinct", "top-level")
    }
    assert {model: inner in lines for model, lines in found.items()} == {
        "regions": True,
        "distinct": True,
        "top-level": False,
    }
    assert all(found.values()), "the outer object is found by every model"


SOURCE = """\
char *make(void) { return malloc(1); }
int caller_bad(void) {
  char *p = make();  // LEAK: never-freed
  return p != 0;
}
int other_ok(void) { char *p = make(); free(p); return 0; }
int unseen_bad(void) { malloc(2); return 0; }  // FN: never-freed the reason
int noisy_ok(void) { char *p = malloc(3); free(p); return 0; }  // FP: conditional-leak the reason
"""


def _finding(line: int, function: str, rule: Rule = Rule.NEVER_FREED) -> Finding:
    place = Place("a.c", line, 1, function)
    return Finding(rule, place, "malloc", place, LostBy.RETURN)


def test_comparison(tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text(SOURCE)
    unit = Unit("a", (file,))
    noisy = _finding(8, "noisy_ok", Rule.CONDITIONAL_LEAK)
    inner = replace(_finding(1, "caller_bad"), call_chain=(Place("a.c", 3, 1, "caller_bad"),))
    assert compare_findings(unit, (inner, noisy), ()).agrees

    nothing = compare_findings(unit, (), ())
    assert [(m.line, m.kind) for m in nothing.missed] == [(3, "LEAK"), (8, "FP")]

    other_rule = compare_findings(unit, (_finding(3, "caller_bad", Rule.OVERWRITTEN), noisy), ())
    assert other_rule.other_rule == ("a.c:3 marked never-freed, reported overwritten",)

    fixed = compare_findings(unit, (inner, noisy, _finding(7, "unseen_bad")), ())
    assert len(fixed.wrong) == 1
    assert "mark it LEAK instead of FN" in fixed.wrong[0]

    # A loss in an `_ok` function is wrong even on a line that is marked for another caller.
    in_ok = replace(inner, lost=Place("a.c", 6, 1, "other_ok"))
    assert len(compare_findings(unit, (inner, noisy, in_ok), ()).wrong) == 1

    # The report of an owner does not stand for one of what it held, unless the mark says so.
    owner = replace(noisy, lost_with=(Place("a.c", 3, 1, "caller_bad"),), rule=Rule.NEVER_FREED)
    assert [m.line for m in compare_findings(unit, (owner,), ()).missed] == [3, 8]


def test_told_with_its_owner_and_left_open(tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text(
        "struct s *p = make();  // LEAK: never-freed\n"
        "p->name = strdup(n);  // LEAK: never-freed with its owner\n"
        "q = strdup(n);  // OPEN: most-nodes\n"
    )
    unit = Unit("a", (file,))
    owner = replace(_finding(1, "f_bad"), lost_with=(Place("a.c", 2, 1, "f_bad"),))
    assert compare_findings(unit, (owner,), [("a.c", 3)]).agrees
    assert not compare_findings(unit, (owner, _finding(2, "f_bad")), [("a.c", 3)]).agrees
    assert compare_findings(unit, (owner,), ()).undecided == (
        "a.c:3 has a verdict now: it is not OPEN",
    )
    assert not compare_findings(unit, (owner,), [("a.c", 3), ("a.c", 1)]).agrees
