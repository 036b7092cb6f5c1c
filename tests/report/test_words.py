"""What is said of programs, from end to end."""

from __future__ import annotations

from pathlib import Path

import pytest

from heapflow.api import check
from heapflow.report.finding import Finding
from heapflow.report.render.terminal import render_terminal
from heapflow.report.wording import headline, sentence

PROGRAM = r"""#include <stdlib.h>
#include <string.h>
int ask(void);
struct details { char *info; int size; };

int format(int c) {
    char *text = malloc(9);
    if (!text) return 0;
    switch (c) {
    case '%': return 1;
    case 7: break;
    case 'x': break;
    }
    free(text);
    return 2;
}
int no_default(int c) {
    char *text = malloc(9);
    if (!text) return 0;
    switch (c) {
    case 3: free(text); return 1;
    case 4: free(text); return 2;
    }
    return 3;
}
static int parse(const char *s, char **out) {
    *out = strdup(s);
    return *out != NULL;
}
int use(const char *s) {
    struct details details = {0, 0};
    if (!parse(s, &details.info)) return 0;
    if (ask()) return 1;
    free(details.info);
    return 2;
}
static char *outer_one(void) { return strdup("one"); }
static char *(*const chosen)(void) = outer_one;
int through(void) {
    char *made = chosen();
    if (!made) return 0;
    return made[0];
}
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Finding]:
    place = tmp_path_factory.mktemp("words")
    (place / "words.c").write_text(PROGRAM)
    report = check(place / "words.c", root=place)
    return {finding.allocation.function: finding for finding in report.active}


def test_characters_of_cases(found: dict[str, Finding]) -> None:
    assert headline(found["format"]).endswith("is not freed when `c` is `'%'`")


def test_a_switch_without_default(found: dict[str, Finding]) -> None:
    assert headline(found["no_default"]).endswith("is not freed when `c` matches no case")


def test_out_parameters(found: dict[str, Finding]) -> None:
    said = [sentence(step, found["use"]) for step in found["use"].steps]
    assert "comes back in `details.info`" in said
    assert not any("returns it" in one for one in said)


def test_the_function_behind_a_pointer(found: dict[str, Finding]) -> None:
    assert found["through"].allocator == "outer_one"


SIX = r"""#include <stdlib.h>
#include <string.h>
struct six { char *a, *b, *c; };
static struct six *make(void) {
    struct six *s = calloc(1, sizeof *s);
    if (!s) abort();
    s->a = strdup("a"); s->b = strdup("b"); s->c = strdup("c");
    return s;
}
void ignored(void) {
    make();
}
static char *entry(const char *s) { return strdup(s); }
void table(void) {
    entry("a");
    entry("b");
    entry("c");
}
void holds(void) {
    struct six *s = calloc(1, sizeof *s);
    if (!s) return;
    s->a = malloc(7);
}
"""


def test_one_cause_is_one_finding(tmp_path: Path) -> None:
    (tmp_path / "six.c").write_text(SIX)
    report = check(tmp_path / "six.c", root=tmp_path)
    by_function: dict[str, list[Finding]] = {}
    for finding in report.active:
        by_function.setdefault(finding.lost.function, []).append(finding)
    assert {name: len(some) for name, some in by_function.items()} == {
        "ignored": 1,
        "table": 1,
        "holds": 1,
    }
    (table,) = by_function["table"]
    assert [place.line for place in (table.allocation, *table.also_at)] == [15, 16, 17]
    assert table.blocks == 3
    (holds,) = by_function["holds"]
    assert [place.line for place in holds.lost_with] == [22]
    assert by_function["ignored"][0].blocks == 4
    assert "3 blocks are lost for this reason" in render_terminal(report)


def test_members_that_callees_set(tmp_path: Path) -> None:
    """`details` is given, and its member is set inside of the callee."""
    (tmp_path / "a.c").write_text(
        """\
#include <stdlib.h>
#include <string.h>
struct details { int n; char *info; };
static int parse(const char *s, struct details *d) { d->info = strdup(s); return d->info ? 0 : -1; }
int out(const char *s)
{
    struct details details;
    if (parse(s, &details) < 0)
        return 1;
    return 0;
}
""",
    )
    (one,) = check(tmp_path / "a.c", root=tmp_path).active
    assert "comes back in `details.info`" in [sentence(step, one) for step in one.steps]
