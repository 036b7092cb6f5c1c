"""Comments that suppress: where they hold, what they say, which are unused."""

from __future__ import annotations

from pathlib import Path

import pytest

from heapflow.report.finding import Finding, LostBy, Place, Rule, SuppressedBy
from heapflow.report.source import Sources
from heapflow.report.suppressions import apply_suppressions, find_comments


def finding(line: int, lost: int, rule: Rule = Rule.NEVER_FREED) -> Finding:
    return Finding(rule, Place("a.c", line, 3, "f"), "malloc", Place("a.c", lost, 3), LostBy.RETURN)


def held(tmp_path: Path, text: str, *findings: Finding, **options: frozenset[Rule]) -> list[str]:
    """Per finding the reason that suppresses it, or "-"; then the hints of unused comments."""
    (tmp_path / "a.c").write_text(text)
    marked, unused = apply_suppressions(findings, Sources(tmp_path), ["a.c"], **options)
    reasons = [one.suppressed.reason if one.suppressed else "-" for one in marked]
    return reasons + [f"{one.place.line}: {one.text}: {one.hint}" for one in unused]


@pytest.mark.parametrize(
    "comment",
    [
        "// heapflow: ignore[never-freed] why not",
        "/* heapflow: ignore[never-freed] why not */",
        "/* heapflow:ignore [ never-freed , overwritten ]: why\n   not */",
        "// heapflow: ignore why not",
    ],
)
def test_both_forms(tmp_path: Path, comment: str) -> None:
    assert held(tmp_path, f"p = malloc(1); {comment}\nx;\n", finding(1, 9)) == ["why not"]


def test_on_the_line_of_the_loss(tmp_path: Path) -> None:
    text = "p = malloc(1);\nreturn; // heapflow: ignore[never-freed] kept\n"
    assert held(tmp_path, text, finding(1, 2)) == ["kept"]


def test_after_a_statement_of_several_lines(tmp_path: Path) -> None:
    text = "q = malloc(1);\np = malloc(\n   1\n);  // heapflow: ignore[never-freed] kept\n"
    assert held(tmp_path, text, finding(1, 9), finding(2, 9)) == ["-", "kept"]
    block = "if (x) {\n  p = malloc(1);\n} // heapflow: ignore[never-freed]\n"
    assert held(tmp_path, block, finding(2, 9))[0] == "-"


def test_a_comment_alone_holds_for_the_next_code(tmp_path: Path) -> None:
    text = "// heapflow: ignore[never-freed] kept\n\n// more\np = malloc(1);\nq = malloc(1);\n"
    assert held(tmp_path, text, finding(4, 9), finding(5, 9)) == ["kept", "-"]


def test_other_rules_and_lines_are_not_held(tmp_path: Path) -> None:
    text = "p = malloc(1); // heapflow: ignore[overwritten]\nq = malloc(1);\n"
    assert held(tmp_path, text, finding(1, 9), finding(2, 9)) == [
        "-",
        "-",
        "1: ignore[overwritten]: ",
    ]


_FUNCTIONS = """\
struct s { int a; };
int before(void) {
  return 1;
}
%s
static int f(
    int n)
{
  %s
  if (n) { g(); }
  p = malloc(1);
}
int after(void) { return malloc(1); }
"""


@pytest.mark.parametrize("inside", [False, True])
def test_function_scope(tmp_path: Path, inside: bool) -> None:
    comment = "// heapflow: ignore-function[never-freed] all of it"
    text = _FUNCTIONS % (("", comment) if inside else (comment, ""))
    assert held(tmp_path, text, finding(11, 12), finding(13, 13), finding(3, 3)) == [
        "all of it",
        "-",
        "-",
    ]


def test_function_scope_despite_the_preprocessor(tmp_path: Path) -> None:
    text = "int g(void) {\n#if A\n if (x) {\n#else\n if (y) {\n#endif\n }\n}\n" + _FUNCTIONS % (
        "/* heapflow: ignore-function */",
        "",
    )
    assert held(tmp_path, text, finding(19, 19), finding(7, 7)) == ["", "-"]


def test_function_scope_outside_of_any(tmp_path: Path) -> None:
    text = "int f(void) { return 0; }\n// heapflow: ignore-function\nint x;\n"
    assert held(tmp_path, text) == ["2: ignore-function: it stands in no function"]


def test_wrong_names_are_explained(tmp_path: Path) -> None:
    text = (
        "p = malloc(1); // heapflow: ignore[nver-freed]\n"
        "q; // heapflow: disable\n"
        "r; // heapflow: ignore[]\n"
    )
    assert held(tmp_path, text, finding(1, 9)) == [
        "-",
        "1: ignore[nver-freed]: there is no rule `nver-freed`; did you mean `never-freed`?",
        "2: disable: `disable` is unknown; write `ignore` or `ignore-function`",
        "3: ignore[]: it names no rule",
    ]


def test_unselected_rules_are_not_called_unused(tmp_path: Path) -> None:
    text = "x; // heapflow: ignore[leak-at-exit]\n"
    assert held(tmp_path, text, selected=frozenset({Rule.NEVER_FREED})) == []
    assert len(held(tmp_path, text)) == 1


def test_strings_are_not_comments(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text('p = "// heapflow: ignore"; q = \'"\'; /* heapflow: x\n')
    comments = find_comments("a.c", Sources(tmp_path))
    assert [comment.text for comment in comments] == ["x"]


def test_what_is_said_about_it(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text("p = malloc(1); // heapflow: ignore[never-freed] kept\n")
    (marked,), _ = apply_suppressions([finding(1, 9)], Sources(tmp_path), [])
    assert marked.suppressed is not None
    assert marked.suppressed.by is SuppressedBy.COMMENT
    assert marked.suppressed.place == Place("a.c", 1, 16)
