"""Example values of a path are told in terms of C."""

from __future__ import annotations

from pathlib import Path

import pytest

from heapflow.pipeline import analyse_files

BODY = """
#include <stdlib.h>
struct point {{ int x; short tag[4]; }};
struct shape {{ char kind; struct point at; struct shape *next; long total; }};
int function({parameter}) {{
    char *p = malloc(4);
    if (!p) return 0;
    if ({condition}) return 1;
    free(p);
    return 2;
}}
"""


@pytest.mark.parametrize(
    ("parameter", "condition", "told"),
    [
        ("int n", "n == 3", (("n", "3"),)),
        ("int *a", "a[7] == -12", (("a[7]", "-12"),)),
        ("int *a", "*a == 6", (("*a", "6"),)),
        ("struct shape *s", "s->at.tag[2] == 3", (("s->at.tag[2]", "3"),)),
        ("struct shape *s", "s[3].next == 0", (("s[3].next", "NULL"),)),
        ("const char *s", "s[0] == 'x' && !s[1]", (("s", '"x"'),)),
    ],
)
def test_example(
    tmp_path: Path, parameter: str, condition: str, told: tuple[tuple[str, str], ...]
) -> None:
    file = tmp_path / "example.c"
    file.write_text(BODY.format(parameter=parameter, condition=condition))
    (finding,) = analyse_files([file])
    assert finding.examples == told


def test_long_text_is_cut(tmp_path: Path) -> None:
    file = tmp_path / "long.c"
    file.write_text(BODY.format(parameter="const char *s", condition="s[0] == 'x' && s[60] == 'y'"))
    (finding,) = analyse_files([file])
    ((name, text),) = finding.examples
    assert name == "s"
    assert text.startswith('"xa') and text.endswith("… (61 bytes)")
