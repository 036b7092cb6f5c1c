"""The decision that is named as the reason is one on which the loss hangs."""

from __future__ import annotations

from pathlib import Path

from heapflow.pipeline import analyse_files
from heapflow.report.wording import condition

HEAD = """#include <stdio.h>
#include <stdlib.h>
#include <string.h>
"""


def _condition(tmp_path: Path, text: str) -> str:
    file = tmp_path / "a.c"
    file.write_text(HEAD + text)
    (finding,) = analyse_files([file])
    return condition(finding)


def test_what_takes_long_on_its_other_way_is_no_reason(tmp_path: Path) -> None:
    """The block is lost on both ways of the second test; one of them is long."""
    text = """
struct options { FILE *out; const char *host; int total; };
int f(struct options *o, const char *issuer) {
    char *p = malloc(10);
    if (!p) return -1;
    if (o->out) free(p);
    if (strcmp(issuer, o->host) == 0)
        printf("self");
    else
        for (int i = 0; i < 30; i++) o->total += o->total * i;
    return 0;
}
"""
    assert _condition(tmp_path, text) == "when `o->out` is false"


def test_what_keeps_the_block_on_its_other_way_is_one(tmp_path: Path) -> None:
    text = """
struct options { FILE *out; const char *host; int total; };
int f(struct options *o, const char *issuer) {
    char *p = malloc(10);
    if (!p) return -1;
    if (strcmp(issuer, o->host) == 0)
        printf("self");
    else {
        for (int i = 0; i < 30; i++) o->total += o->total * i;
        free(p);
    }
    return 0;
}
"""
    assert _condition(tmp_path, text) == "when `strcmp(issuer, o->host) == 0`"


def test_where_it_is_lost_is_told_if_it_is_lost_in_any_case(tmp_path: Path) -> None:
    """The test of the loop, which is true at first, says nothing."""
    text = """
char *f(FILE *file) {
    char *p = malloc(9);
    if (!p) return p;
    for (int i = 0; i < 8; i++) {
        int c = getc(file);
        if (c == EOF) return NULL;
        p[i] = (char)c;
    }
    puts(p);
    return strdup(p);
}
"""
    assert _condition(tmp_path, text) == "when `c == EOF`"


def test_a_call_in_a_loop_may_give_something_else_the_next_time(tmp_path: Path) -> None:
    """Without this turn's error, the loop ends, and the block is released."""
    text = """
int bad_one(int);
int f(const char *name, int n, int (*ready)(void)) {
    int result = 0;
    if (name) {
        char *p = malloc(9);
        if (!p) return -1;
        for (int i = 0; i < n; i++)
            if (bad_one(i)) { result = -1; goto out; }
        free(p);
    }
out:
    if (!ready || !ready()) puts("not ready");
    return result;
}
"""
    assert _condition(tmp_path, text) == "when `bad_one(i)` is true"
