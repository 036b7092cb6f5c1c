"""Source text at places, against the columns that clang gives to branches."""

from __future__ import annotations

from pathlib import Path

import pytest

from heapflow.report.source import Condition, Sources

_CODE = """\
#define CHECK(x) if (!(x)) return 1
int f(int n, char *p, int m) {
  if (n == 0) return 1;
  if (!p) return 2;
  if (n > 3 && (m < 4 || !p)) return 3;
  for (int i = 0; i < n; i++) m++;
  while (m --> 0) n++;
  int z = n > 7 ? 3 : m;
  CHECK(p && n);
  switch (n) { case 3: return 5; case 4: m++; }
  do { n++; } while (n < 100);
  if (strcmp(p, "a (b") == 0 && /* why ) */
      !(n == 1)) return 4;
  if ((n && m) || p->next) return 6;
  while (n && m) n--;
  z = n && m ? 1 : 2;
  return (n == 3) ? g(n ? 1 : 2) : 4;
  if (!--n) return 7;
  if (!p->uses--) return 8;
  if (!--p->uses == m) return 9;
}
"""

# line, column as clang writes it into debug information, text, kind, negated
_CASES = [
    (3, 7, "n == 0", "if", False),
    (3, 9, "n == 0", "if", False),  # the comparison's own column
    (3, 0, "n == 0", "if", False),  # no column known
    (4, 7, "!p", "if", True),
    (5, 13, "n > 3", "if", False),
    (5, 23, "m < 4", "if", False),
    (5, 7, "!p", "if", True),
    (6, 3, "i < n", "for", False),
    (7, 3, "m --> 0", "while", False),
    (8, 11, "n > 7", "ternary", False),
    (9, 3, "CHECK(p && n)", "macro", False),
    (10, 3, "n", "switch", False),
    (11, 13, "n < 100", "while", False),
    (12, 30, 'strcmp(p, "a (b") == 0', "if", False),
    (12, 7, "!(n == 1)", "if", True),
    (14, 10, "n", "if", False),
    (14, 16, "m", "if", False),
    (14, 7, "p->next", "if", False),
    (15, 3, "n && m", "while", False),
    (15, 12, "n", "while", False),
    (16, 9, "n", "ternary", False),
    (16, 7, "m", "ternary", False),
    (17, 10, "n == 3", "ternary", False),
    (17, 23, "n", "ternary", False),
    (18, 7, "!--n", "if", True),
    (19, 7, "!p->uses--", "if", True),
    (20, 7, "!--p->uses == m", "if", False),
]


@pytest.fixture
def sources(tmp_path: Path) -> Sources:
    (tmp_path / "a.c").write_text(_CODE)
    return Sources(tmp_path)


@pytest.mark.parametrize(("line", "column", "text", "kind", "negated"), _CASES)
def test_condition(
    sources: Sources, line: int, column: int, text: str, kind: str, negated: bool
) -> None:
    condition = sources.condition_at("a.c", line, column)
    assert condition == Condition(text, kind, negated)
    at_line, at_column = condition.start
    start = _CODE.splitlines()[at_line - 1][at_column - 1 :]
    assert start.startswith(text)


@pytest.mark.parametrize(
    ("branch", "value", "text"),
    [
        ((5, 13), (5, 9), "n > 3"),
        ((5, 23), (5, 19), "m < 4"),
        ((5, 13), (5, 27), "!p"),  # clang 21 puts the last operand's branch at the first operator
        ((5, 13), (5, 0), "n > 3"),  # the value's place is not known
        ((5, 13), (3, 7), "n > 3"),  # computed elsewhere
        ((14, 16), (14, 8), "n"),
        ((14, 16), (14, 13), "m"),
        ((14, 16), (14, 22), "p->next"),
        ((15, 3), (15, 12), "n && m"),  # a loop's phi lies at the operator
        ((15, 12), (15, 10), "n"),
        ((16, 7), (16, 12), "m"),
        ((16, 9), (16, 7), "n"),
    ],
)
def test_the_tested_value_tells_operands_apart(
    sources: Sources, branch: tuple[int, int], value: tuple[int, int], text: str
) -> None:
    assert sources.condition_at("a.c", *branch, tested=value).text == text


def test_taken_follows_the_text() -> None:
    assert Condition("!p", "if", True).taken(True) == "false"
    assert Condition("n", "if").taken(True) == "true"
    assert Condition("CHECK(n)", "macro").taken(True) is None


def test_what_is_not_there_is_empty(sources: Sources) -> None:
    assert sources.condition_at("gone.c", 3, 7).text == ""
    assert sources.condition_at("a.c", 900, 7).text == ""
    assert sources.condition_at("a.c", 18, 1).text == ""
    assert sources.expression_at("gone.c", 1, 1) == ""
    assert sources.line("a.c", 900) == ""


def test_any_place_gives_a_short_answer(sources: Sources) -> None:
    for line, text in enumerate(_CODE.splitlines(), 1):
        for column in range(len(text) + 3):
            condition = sources.condition_at("a.c", line, column)
            assert "\n" not in condition.text
            assert len(condition.text) <= 200


def test_a_negation_over_two_lines(tmp_path: Path) -> None:
    (tmp_path / "b.c").write_text("int g(int n) {\n  if (!f\n\t  (n, 2))\n    return 1;\n}\n")
    condition = Sources(tmp_path).condition_at("b.c", 2, 7)
    assert condition == Condition("!f (n, 2)", "if", True, (2, 7))


def test_unbalanced_text(tmp_path: Path) -> None:
    (tmp_path / "b.c").write_text("int f(void) { if (a && (b || c ; /* never closed")
    sources = Sources(tmp_path)
    for column in range(60):
        assert len(sources.condition_at("b.c", 1, column).text) <= 200


def test_expression(tmp_path: Path) -> None:
    (tmp_path / "c.c").write_text("  p = malloc(sizeof *p /* \n all */ + 1);\n  ä = q->name;\n")
    sources = Sources(tmp_path)
    assert sources.expression_at("c.c", 1, 7) == "malloc(sizeof *p + 1)"
    assert sources.expression_at("c.c", 3, 8) == "q"  # columns count bytes: ä has two
    assert sources.word_width("c.c", 1, 7) == 6
