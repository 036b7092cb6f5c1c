"""Bodies taken out of a program: nothing else changes."""

from __future__ import annotations

import re
from pathlib import Path

from heapflow.frontend.dump import dump_program
from heapflow.frontend.outline import without_bodies
from heapflow.ir.check import check_program
from heapflow.ir.kinds import GlobalFlag
from heapflow.ir.program import Program
from tests.frontend.test_link import functions, link

TEXT = """
struct pair { int *left; int right; };
static int shared[3];
int first(struct pair *p) { for (int i = 0; i < p->right; i++) shared[i] = *p->left; return 1; }
static int second(int n) { struct pair p = {shared, n}; return n > 3 ? second(n - 1) : first(&p); }
int (*const table[])(int) = {second};
int third(int n) { int doubled = 2 * n; return doubled ? table[0](n) : second(n); }
"""


def definitions(program: Program) -> dict[str, str]:
    """The dump of each function with a body, by its name."""
    parts = re.split(r"^(?=define @|declare @)", dump_program(program), flags=re.M)
    bodies = [part.rstrip() for part in parts if part.startswith("define @")]
    return {body[8 : body.index(":")]: body for body in bodies}


def test_one_body(tmp_path: Path) -> None:
    program = link(tmp_path, TEXT, "extern int third(int); int last(void) { return third(1); }")
    before = definitions(program)
    for name in ("first", "second", "third", "last"):
        changed = without_bodies(program, functions(program, name))
        assert check_program(changed) == []
        after = definitions(changed)
        assert after == {other: text for other, text in before.items() if other != name}
        [func] = functions(changed, name)
        assert changed.is_declaration(func)


def test_variables_of_the_bodies(tmp_path: Path) -> None:
    text = """
    static int seen, set[2], passed, other; static const int fixed = 3;
    int user(int *p); int f(int n) { set[n] = 1; user(&passed); return seen + fixed + *&set[0]; }
    int g(void) { return seen + set[1] + passed + other; }
    """
    program = link(tmp_path, text)
    changed = without_bodies(program, functions(program, "f"))
    flags = changed.globals.flags
    external = [g for g in range(len(flags)) if flags[g] & GlobalFlag.DECLARATION]
    assert {changed.global_name(g) for g in external} == {"set", "passed"}


def test_all_bodies_and_none(tmp_path: Path) -> None:
    program = link(tmp_path, TEXT)
    assert without_bodies(program, ()) is program
    changed = without_bodies(program, range(len(program.functions)))
    assert check_program(changed) == []
    assert definitions(changed) == {}
    assert len(changed.instrs) == len(changed.params) == len(changed.bindings) == 0
    assert len(changed.globals) == len(program.globals)
