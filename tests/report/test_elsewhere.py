"""Further lines on which a block is lost, compared with the compiled program under LeakSanitizer."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from heapflow.api import check
from heapflow.report.finding import Finding

HEAD = r"""#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int at;
#define OUT do { at = __LINE__; return 0; } while (0)
#define LOST { at = __LINE__; goto out; }
int run(int how);
int main(int count, char **words) {
    if (count < 2) return 2;
    run(atoi(words[1]));
    printf("%d\n", at);
    fflush(stdout);
    return 0;
}
"""
EXITS = r"""
int run(int how) {
    char *text = malloc(9);
    if (!text) return 0;
    if (how == 1) OUT;
    if (how == 2) { free(text); OUT; }
    char *copy = strdup("x");
    if (!copy) { return 0; }
    if (how == 3) { free(copy); OUT; }
    if (how == 4) { free(copy); free(text); OUT; }
    for (int i = 0; i < 3; i++)
        if (how == 5 + i) { free(copy); OUT; }
    free(copy);
    free(text);
    OUT;
}
"""
CALLEES = r"""
static char *make(void) { return calloc(1, 20); }
static int look(const char *one) { return one[0] + one[1]; }
int run(int how) {
    char *one = make();
    if (!one) return 0;
    if (look(one)) { free(one); OUT; }
    switch (how) {
    case 1: OUT;
    case 2: free(one); OUT;
    case 3: one[0] = 'x'; OUT;
    case 4: one = NULL; OUT;
    default: break;
    }
    free(one);
    if (how == 6) OUT;
    OUT;
}
"""
SHARED_EXIT = r"""
int run(int how) {
    char *text = malloc(9);
    if (!text) return 0;
    if (how == 1) LOST
    if (how == 2) { free(text); OUT; }
    if (how == 3) OUT;
    free(text);
    OUT;
out:
    return 1;
}
"""


def _found(tmp_path: Path, source: str) -> Finding:
    file = tmp_path / "a.c"
    file.write_text(HEAD + source)
    findings = [one for one in check(file).findings if one.is_confirmed]
    errors = [one for one in findings if one.allocator in ("malloc", "calloc", "make")]
    assert len(errors) == 1, errors
    return errors[0]


def _leaking_lines(tmp_path: Path) -> set[int]:
    program = tmp_path / "program"
    command = ["gcc", "-w", "-fsanitize=address", str(tmp_path / "a.c"), "-o", str(program)]
    subprocess.run(command, check=True)
    lines = set()
    for how in range(10):
        done = subprocess.run(
            [program, str(how)],
            env={"ASAN_OPTIONS": "exitcode=99:detect_leaks=1"},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode == 99:
            lines.add(int(done.stdout))
    return lines


@pytest.mark.parametrize("source", [EXITS, CALLEES], ids=["exits", "callees"])
def test_all_lines_on_which_it_is_lost(tmp_path: Path, source: str) -> None:
    found = _found(tmp_path, source)
    told = {found.lost.line, *(place.line for place in found.elsewhere)}
    assert len(told) > 2
    assert told == _leaking_lines(tmp_path)


def test_a_line_is_told_once(tmp_path: Path) -> None:
    found = _found(tmp_path, SHARED_EXIT)
    lines = [found.lost.line, *(place.line for place in found.elsewhere)]
    assert len(lines) == len(set(lines)) == 2


def test_of_one_way_out_nothing_more_is_told(tmp_path: Path) -> None:
    source = "int run(int how) { char *a = malloc(3); if (how) free(a); OUT; }\n"
    assert _found(tmp_path, source).elsewhere == ()


def test_an_allocation_that_fails_is_no_further_line(tmp_path: Path) -> None:
    source = r"""
int run(int how) {
    char *a = malloc(3);
    if (!a) return 0;
    if (how == 1) OUT;
    char *b = strdup("x");
    if (!b)
        OUT;
    free(a); free(b);
    OUT;
}
"""
    assert _found(tmp_path, source).elsewhere == ()
