"""Which global pointers serve as a function's local variable."""

from __future__ import annotations

from pathlib import Path

import pytest

from heapflow.config import Config
from heapflow.memssa.build import build_memory_ssa
from heapflow.models.load import load_models
from heapflow.pointsto.analyse import solve_points_to
from tests.svfg.programs import from_text

HEAD = "#include <stdlib.h>\nvoid use(char *); extern int n;\n"
SHOW = "static char *g; static void show(void) { use(g); }\n"
CASES = {
    "argument": (SHOW + "void f(void) { g = malloc(1); show(); }", "f"),
    "callee writes": (
        SHOW + "static void set(void) { g = malloc(1); } void f(void) { set(); show(); }",
        "f",
    ),
    "callee may write": (
        SHOW + "static void set(void) { if (n) g = malloc(1); } void f(void) { set(); show(); }",
        None,
    ),
    "read first": (SHOW + "void f(void) { show(); g = malloc(1); }", None),
    "read in the next turn": (
        SHOW + "void f(void) { while (n) { g = malloc(1); use(g); } show(); }",
        None,
    ),
    "two functions": (
        SHOW + "void f(void) { g = malloc(1); show(); } void h(void) { show(); }",
        None,
    ),
    "written only": ("static char *g; void f(void) { g = malloc(1); }", None),
    "address taken": (SHOW + "char **h = &g; void f(void) { g = malloc(1); show(); }", None),
    "by a callback": (SHOW + "void f(void) { g = malloc(1); show(); atexit(show); }", None),
    "one function": ("static char *g; void f(void) { g = malloc(1); use(g); }", None),
    "static local": ("void f(void) { static char *g; g = malloc(1); use(g); }", None),
    "header": ("extern char *g; " + SHOW[7:] + "void f(void) { g = malloc(1); show(); }", None),
    "helper in a header": (
        "char *g; void show(void); void show(void) { use(g); } void f(void) { g = malloc(1); show(); }",
        None,
    ),
    "helper in no header": (
        "char *g; void show(void) { use(g); } void f(void) { g = malloc(1); show(); }",
        "f",
    ),
    "recursion": (SHOW + "void f(int i) { g = malloc(1); show(); if (i) f(i - 1); }", None),
    "once": (SHOW + "static void f(void) { g = malloc(1); show(); } int main(void) { f(); }", None),
    "in a loop of main": (
        SHOW + "static void f(void) { g = malloc(1); show(); } int main(void) { while (n) f(); }",
        "f",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_owner(name: str, tmp_path: Path) -> None:
    text, owner = CASES[name]
    program = from_text(HEAD + text, tmp_path)
    models = load_models()
    points_to, calls = solve_points_to(program, models, Config().pointsto)
    borrowed = build_memory_ssa(points_to, calls, models).memory.borrowed
    assert [program.func_name(func) for func in borrowed.values()] == ([owner] if owner else [])
