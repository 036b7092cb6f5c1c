"""Further turns of a loop: what the bounded control flow does not show."""

from __future__ import annotations

from pathlib import Path

import pytest

from heapflow.pipeline import analyse_files

HEAD = """#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int get(const char *s, char **out) {
  if (!s[0]) return -1;
  *out = strdup(s);
  return *out ? 0 : -1;
}
struct box { char *name; };
"""

LOST = {
    "sliding window": """char *a = NULL, *b = NULL;
        for (int i = 0; i < n; i++) { b = a; a = malloc(8); }
        free(a); free(b);""",
    "out-parameter": """char *p = NULL;
        while (get(s, &p) == 0) s++;
        free(p);""",
    "field of a heap object": """struct box *box = calloc(1, sizeof *box);
        if (!box) return -1;
        for (; *s; s++) if (*s == 'x') box->name = strdup(s);
        free(box->name); free(box);""",
    "library call": """char *p = NULL;
        for (int i = 0; i < n; i++) if (asprintf(&p, "%d", i) < 0) return -1;
        free(p);""",
    "returns in a later turn": """char *a[4];
        for (int i = 0; i < 4; i++) { a[i] = malloc(4); if (!a[i]) return -1; }
        for (int i = 0; i < 4; i++) free(a[i]);""",
    "only the next turn frees": """char *p = NULL;
        for (int i = 0; i < n; i++) { free(p); p = malloc(4); }""",
}
KEPT = {
    "sliding window": """char *a = NULL, *b = NULL;
        for (int i = 0; i < n; i++) { free(b); b = a; a = malloc(8); }
        free(a); free(b);""",
    "out-parameter": """char *p = NULL;
        while (get(s, &p) == 0) { free(p); p = NULL; s++; }
        free(p);""",
    "field of a heap object": """struct box *box = calloc(1, sizeof *box);
        if (!box) return -1;
        for (; *s; s++) if (*s == 'x') { free(box->name); box->name = strdup(s); }
        free(box->name); free(box);""",
    "flag": """char *p = NULL; int done = 0;
        for (; *s; s++) if (*s == 'x' && !done) { p = strdup(s); done = 1; }
        free(p);""",
    "index": """char *p = NULL;
        for (int i = 0; i < n; i++) if (i == 2) p = malloc(4);
        free(p);""",
    "returns in a later turn": """char *a[4];
        for (int i = 0; i < 4; i++) {
          a[i] = malloc(4);
          if (!a[i]) { while (i > 0) free(a[--i]); return -1; }
        }
        for (int i = 0; i < 4; i++) free(a[i]);""",
}


def _findings(tmp_path: Path, body: str) -> int:
    file = tmp_path / "test.c"
    file.write_text(f"{HEAD}int f(const char *s, int n) {{ (void)s; {body} return n; }}\n")
    return len(analyse_files([file]))


@pytest.mark.parametrize("body", LOST.values(), ids=LOST.keys())
def test_lost(tmp_path: Path, body: str) -> None:
    assert _findings(tmp_path, body) == 1


@pytest.mark.parametrize("body", KEPT.values(), ids=KEPT.keys())
def test_kept(tmp_path: Path, body: str) -> None:
    assert _findings(tmp_path, body) == 0
