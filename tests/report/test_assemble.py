"""From the engine's findings to those that are shown: names, selection, grouping, order."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import pytest

from heapflow.report.assemble import Choice, make_report
from heapflow.report.finding import Confidence, Finding, LostBy, Place, Rule, Summary
from heapflow.report.grouping import group_findings
from heapflow.report.patterns import Pattern, matches
from heapflow.report.places import relative_to, rename_files
from heapflow.report.render.summary import render_summary
from tests.report.samples import conditional, findings, sample_report, write_program


@pytest.mark.parametrize(
    ("pattern", "inside", "outside"),
    [
        ("third_party/", "third_party/a.c a/third_party/b/c.c", "third.c my_third_party/x.c"),
        ("third_party", "third_party/a.c", "third_party.c"),
        ("src/lib/", "src/lib/a.c src/lib/b/c.c", "a/src/lib/b.c src/library/a.c"),
        ("src/**", "src/a.c src/b/c.c", "a/src/x.c"),
        ("*.gen.c", "a.gen.c x/y/a.gen.c", "a.gen.h agenc"),
        ("src/*.c", "src/a.c", "src/b/a.c"),
        ("src/**/x.c", "src/x.c src/a/b/x.c", "src/ax.c"),
        ("./a?.c", "ab.c", "a.c abc.c"),
        ("a[1].c", "a[1].c", "a1.c"),
    ],
)
def test_patterns(pattern: str, inside: str, outside: str) -> None:
    base = Path("/base/third_party")
    for name in inside.split():
        assert matches(base / name, [Pattern(pattern, base)]), name
    for name in outside.split():
        assert not matches(base / name, [Pattern(pattern, base)]), name
    assert not matches(Path("/elsewhere") / inside.split()[0], [Pattern(pattern, base)])


def test_names_are_relative_to_the_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path / "sub")
    rename = relative_to(tmp_path)
    assert rename(str(tmp_path / "x" / ".." / "a.c")) == "a.c"
    assert rename("b.c") == "sub/b.c"
    assert rename("/usr/include/stdlib.h") == "/usr/include/stdlib.h"
    assert rename(f"{tmp_path}-other/a.c") == f"{tmp_path}-other/a.c"
    assert rename("<stdin>") == "<stdin>"


def test_what_bounds_leave_open_is_counted_and_said(tmp_path: Path) -> None:
    open_one = replace(conditional(), outcome="not confirmed", confidence=Confidence.LOW)
    within = replace(
        conditional(), outcome="none within the bound of turns", confidence=Confidence.LOW
    )
    assert make_report([within], Summary(), tmp_path).left_open == 0
    report = make_report([open_one], Summary(files=1, functions=1, allocations=1), tmp_path)
    assert (len(report.findings), report.left_open, report.hidden) == (0, 1, 0)
    assert "1 candidate left open" in render_summary(report)
    assert "no leaks" not in render_summary(report)
    given_up = Summary(files=1, functions=1, allocations=1, given_up=(("pointers", 3),))
    assert "no leaks" not in render_summary(make_report([], given_up, tmp_path))
    whole = Summary(files=1, functions=1, allocations=1)
    assert "no leaks found" in render_summary(make_report([], whole, tmp_path))
    everything = make_report([open_one], Summary(), tmp_path, Choice(unconfirmed=True))
    assert (len(everything.findings), everything.left_open) == (1, 0)


def test_rules_and_paths_choose(tmp_path: Path) -> None:
    only = Choice(rules=frozenset({Rule.OVERWRITTEN}))
    assert [one.rule for one in sample_report(tmp_path, only).findings] == [Rule.OVERWRITTEN]
    exclude = Choice(exclude=(Pattern("main.c", tmp_path),))
    report = sample_report(tmp_path, exclude)
    assert [one.allocation.file for one in report.findings] == ["list.c"]
    assert report.hidden == 2
    include = Choice(include=(Pattern("main.c", tmp_path),))
    assert len(sample_report(tmp_path, include).findings) == 2


def test_comments_in_use_are_not_called_unused_when_paths_hide_findings(tmp_path: Path) -> None:
    write_program(tmp_path)
    path = tmp_path / "main.c"
    comment = "  // heapflow: ignore[leak-at-exit]"
    path.write_text(path.read_text().replace("  return 0;", "  return 0;" + comment))
    exclude = Choice(exclude=(Pattern("main.c", tmp_path),))
    named = [rename_files(one, lambda name: str(tmp_path / name)) for one in findings()]
    assert make_report(named, Summary(), tmp_path, exclude).unused == ()
    path.write_text(path.read_text().replace("leak-at-exit]", "never-freed]"))
    assert len(make_report(named, Summary(), tmp_path).unused) == 1
    assert (
        make_report(named, Summary(), tmp_path, exclude).unused == ()
    )  # nor are hidden files judged


def test_any_order_gives_the_same_report(tmp_path: Path) -> None:
    summary = Summary(functions=1)
    reports = [
        make_report(order, summary, tmp_path).findings
        for order in itertools.permutations(findings())
    ]
    assert all(report == reports[0] for report in reports)


def call_site(line: int, caller: str, lost: Place) -> Finding:
    place = Place("a.c", line, 3, caller)
    return Finding(Rule.NEVER_FREED, place, "make", lost, LostBy.RETURN)


def test_call_sites_of_a_wrapper_that_drops_are_one() -> None:
    in_wrapper = Place("a.c", 3, 1, "make")
    sites = [call_site(30, "h", in_wrapper), call_site(10, "f", in_wrapper)]
    (grouped,) = group_findings([*sites, call_site(20, "g", in_wrapper)])
    assert grouped.allocation.line == 10
    assert [place.line for place in grouped.also_at] == [20, 30]
    (again,) = group_findings([grouped, call_site(40, "i", in_wrapper)])
    assert [place.line for place in again.also_at] == [20, 30, 40]


def test_what_callers_lose_themselves_stays_apart() -> None:
    here = Place("a.c", 50, 1, "f")
    assert len(group_findings([call_site(10, "f", here), call_site(20, "f", here)])) == 2
    named = [replace(call_site(line, "f", here), variable=f"p{line}") for line in (10, 20)]
    assert len(group_findings(named)) == 2


def test_what_one_variable_holds_and_loses_at_once_is_one() -> None:
    here = Place("a.c", 50, 1, "f")
    sites = [replace(call_site(line, "f", here), variable="p") for line in (20, 10)]
    (grouped,) = group_findings(sites)
    assert grouped.allocation.line == 10
    assert [place.line for place in grouped.also_at] == [20]


def test_other_causes_stay_apart() -> None:
    one = call_site(10, "f", Place("a.c", 3, 1, "make"))
    other = replace(call_site(20, "g", Place("a.c", 3, 1, "make")), lost_by=LostBy.LOOP)
    assert len(group_findings([one, other])) == 2


def test_levels_are_ordered() -> None:
    assert Rule.CONDITIONAL_LEAK.level > Rule.LEAK_AT_EXIT.level
    assert conditional().level.label == "error"
