"""Types that consist of thousands of others, and values that do: nothing runs out of stack."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from heapflow.pipeline import analyse_files

DEPTH = 1500
BODY = "{ char *s = malloc(4); if (k) return 1; %s free(s); return 0; }\n"


def structs(member: str, use: str) -> str:
    chain = "".join(f"struct s{i} {{ {member % (i - 1)} int y; }};\n" for i in range(1, DEPTH))
    return f"struct s0 {{ int y; }};\n{chain}int f(struct s{DEPTH - 1} *q, int k)" + BODY % use


def prototypes() -> str:
    chain = "".join(f"typedef void (*t{i})(t{i - 1}, int);\n" for i in range(1, DEPTH))
    return f"typedef void (*t0)(int);\n{chain}int f(t{DEPTH - 1} g, int k)" + BODY % "g(0, 1);"


PROGRAMS = {
    "pointers to structs": structs("struct s%d *a;", "q->a->a->y = sizeof *q->a;"),
    "structs in structs": structs("struct s%d a[1];", "q->y = q->a[0].y;"),
    "prototypes": prototypes(),
    "pointers": f"int f(char {'*' * DEPTH}q, int k)" + BODY % "**q = 0;",
    "additions": "int f(int *a, int k)"
    + BODY % ("int x = 0;" + "x += a[1];\n" * 4000 + "if (x) a[0] = x;"),
    "additions in memory": "void g(int *); int f(int *a, int k)"
    + BODY % ("int x = 0; g(&x);" + "x += a[1];\n" * 2000 + "if (x) g(&x);"),
    "calls": "static int f0(int x) { return x; }\n"
    + "".join(f"static int f{i}(int x) {{ return f{i - 1}(x + 1); }}\n" for i in range(1, DEPTH))
    + "int f(int *a, int k)"
    + BODY % f"if (f{DEPTH - 1}(1)) a[0] = 1;",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_depth_costs_nothing_but_itself(name: str, tmp_path: Path) -> None:
    source = tmp_path / "deep.c"
    source.write_text("#include <stdlib.h>\n" + PROGRAMS[name])
    deepest = sys.getrecursionlimit()
    found = analyse_files([source])
    assert sys.getrecursionlimit() == deepest
    assert [finding.rule.value for finding in found] == ["conditional-leak"]
