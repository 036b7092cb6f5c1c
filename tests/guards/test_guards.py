"""Reach conditions: small examples by hand, generated programs against an interpreter."""

from __future__ import annotations

import itertools
import random
from pathlib import Path

import pytest

from tests.guards.harness import Guarded

HEAD = "void mark(int); int unknown(void); void exit(int) __attribute__((noreturn));\n"


def test_saber_figure_8_loop(tmp_path: Path) -> None:
    """TSE'14 §5.3: RC(w1) = C1∧C2, RC(w2) = ¬C1 ∨ (C1∧C2)."""
    text = (
        HEAD
        + "void f(int c1, int c2) { for (;c1 > 0;) { if (c2 > 0) mark(1); else return; } mark(2); }"
    )
    found = Guarded(text, tmp_path)
    guards = found.mark_guards("f")
    for c1, c2 in itertools.product((0, 1), repeat=2):
        assert found.evaluate(guards[1], "f", (c1, c2)) == bool(c1 and c2)
        assert found.evaluate(guards[2], "f", (c1, c2)) == bool(not c1 or (c1 and c2))


CASES = {
    "same comparison, same variable": "if (a > 1) mark(1); if (1 < a) mark(2);",
    "negated and swapped": "if (a == b) mark(1); if (!(b != a)) mark(2);",
    "a flag": "int flag = 0; if (a > 1) flag = 1; if (a > 1) mark(1); if (flag) mark(2);",
    "a negated flag": "int ok = 1; if (a > 1) ok = 0; if (a > 1) mark(1); if (!ok) mark(2);",
    "an error code": "int r = a > 1 ? -1 : 0; if (a > 1) mark(1); if (r < 0) mark(2);",
    "a callee's result": "if (a > 1) mark(1); if (check(a) != 0) mark(2);",
    "a callee's argument": "if (a > 1) mark(1); if (same(a) > 1) mark(2);",
    "and": "if (a > 1) { if (b) mark(1); } if (a > 1 && b) mark(2);",
    "or": "if (a > 1) mark(1); else if (b) mark(1); if (a > 1 || b) mark(2);",
    "switch": "if (a == 2) mark(1); switch (a) { case 2: mark(2); break; default: break; }",
    "a constant of the program": "if (a > 1 && five == 5) mark(1); if (a > 1) mark(2);",
    "a call that does not return": "if (a > 1) mark(1); if (!(a > 1)) die(); mark(2);",
    "a check in a callee": "if (a > 1) mark(1); need(a > 1); if (b == 9) unknown(); mark(2);",
    "unsigned and signed zero": "unsigned u = a; if (a != 0) mark(1); if (u > 0) mark(2);",
    "select of two": "int m = a > 1 ? b : 0; if (a > 1 && b == 7) mark(1); if (m == 7) mark(2);",
}


@pytest.mark.parametrize("name", CASES)
def test_equal_conditions_are_recognised(name: str, tmp_path: Path) -> None:
    text = HEAD + (
        "static int five = 5; static void die(void) { exit(1); }"
        "static void need(int x) { if (!x) die(); }"
        "static int check(int x) { if (x > 1) return -1; return 0; }"
        "static int same(int x) { return x; }"
        f"void f(int a, int b) {{ {CASES[name]} }}"
    )
    guards = Guarded(text, tmp_path).mark_guards("f")
    assert guards[1] == guards[2]


def test_unrelated_conditions_are_not_merged(tmp_path: Path) -> None:
    text = (
        HEAD + "void f(int a) { if (unknown()) mark(1); if (unknown()) mark(2); if (a) mark(3); }"
    )
    guards = Guarded(text, tmp_path).mark_guards("f")
    assert len({guards[1], guards[2], guards[3]}) == 3


class Generator:
    """Small loop-free functions over three parameters, with their meaning in Python."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.marks = 0

    def condition(self) -> tuple[str, str]:
        kind = self.random.randrange(5)
        left = self.random.choice("abc")
        if kind == 0:
            return f"{left}", f"({left} != 0)"
        if kind == 1:
            other = self.random.choice("abc")
            op = self.random.choice(["==", "<", ">="])
            return f"{left} {op} {other}", f"({left} {op} {other})"
        if kind in (2, 3):
            op = self.random.choice(["==", "!=", "<", ">", "<=", ">="])
            number = self.random.randrange(3)
            return f"{left} {op} {number}", f"({left} {op} {number})"
        (c1, p1), (c2, p2) = self.condition(), self.condition()
        if self.random.random() < 0.5:
            return f"({c1}) && !({c2})", f"({p1} and not {p2})"
        return f"({c1}) || ({c2})", f"({p1} or {p2})"

    def block(self, depth: int, indent: str) -> tuple[str, str]:
        c_lines, python = [], []
        for _ in range(self.random.randrange(1, 4)):
            choice = self.random.randrange(6)
            if depth == 0 or choice < 2:
                self.marks += 1
                c_lines.append(f"mark({self.marks});")
                python.append(f"{indent}seen.add({self.marks})")
            elif choice == 2:
                c, p = self.condition()
                c_lines.append(f"if ({c}) return;")
                python.append(f"{indent}if {p}: return")
            elif choice == 3:
                c, p = self.condition()
                c_lines.append(f"flag = ({c}) ? {self.random.randrange(2)} : flag;")
                value = c_lines[-1].split("?")[1].split(":")[0].strip()
                python.append(f"{indent}flag = {value} if {p} else flag")
            else:
                c, p = self.condition() if choice == 4 else ("flag", "flag")
                then_c, then_p = self.block(depth - 1, indent + " ")
                else_c, else_p = self.block(depth - 1, indent + " ")
                c_lines.append(f"if ({c}) {{ {then_c} }} else {{ {else_c} }}")
                python.append(f"{indent}if {p}:\n{then_p}\n{indent}else:\n{else_p}")
        return " ".join(c_lines), "\n".join(python)


@pytest.mark.parametrize("seed", range(40))
def test_generated_functions_agree_with_an_interpreter(seed: int, tmp_path: Path) -> None:
    generator = Generator(seed)
    c_text, python = generator.block(3, " ")
    found = Guarded(HEAD + f"void f(int a, int b, int c) {{ int flag = 0; {c_text} }}", tmp_path)
    guards = found.mark_guards("f")
    scope: dict[str, object] = {}
    exec(f"def f(a, b, c, seen):\n flag = 0\n{python}\n", scope)
    run = scope["f"]
    assert callable(run)
    for arguments in itertools.product(range(3), repeat=3):
        seen: set[int] = set()
        run(*arguments, seen)
        for mark, guard in guards.items():
            assert found.evaluate(guard, "f", arguments) == (mark in seen), (mark, arguments)
    assert not found.book.context.limits_hit


HANDED_BACK = """
void mark(int);
static int checked(int n) { return n < 5 ? -1 : n; }
int caller(int n) { int m = checked(n); if (n == -1) mark(1); return m; }
"""


def test_what_is_handed_back_is_the_callers_own_number(tmp_path: Path) -> None:
    """An argument that a function returns beside an error code may be that code."""
    guarded = Guarded(HANDED_BACK, tmp_path)
    guard = guarded.mark_guards("caller")[1]
    assert guarded.evaluate(guard, "caller", (-1,))
    assert not guarded.evaluate(guard, "caller", (7,))
