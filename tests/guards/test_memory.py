"""Conditions on memory: what was stored is what is tested, through joins, calls and tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.guards.harness import Guarded

HEAD = """
#include <stdlib.h>
#include <string.h>
void mark(int); int unknown(void); void fill(void *);
struct box { int owned; int level; char *text; };
static struct { int on; int level; } settings = {1, 3};
static int flag;
static void set_flag(int n) { flag = n; }
static void own(struct box *box, int n) { box->owned = n; }
static int is_owned(const struct box *box) { return box->owned; }
static void level_up(struct box *box) { box->level++; }
static struct box *box_new(int n) {
  struct box *box = calloc(1, sizeof *box);
  if (!box) return NULL;
  box->owned = n;
  return box;
}
static char *must_copy(const char *s) { char *p = strdup(s); if (!p) abort(); return p; }
static struct box *last;
static void die(int n) { last->owned = n; fill(last); exit(n); }
static char *must_have(int n) { char *p = malloc(n); if (!p) die(2); return p; }
static void fill_text(char **text, const char *s) { if (s) fill(text); }
static void fill_word(char *text) { fill(text); }
static void fill_two(char **text, char *word) { fill_text(text, word); fill_word(word); }
"""

SAME = {
    "stored and tested": "box->owned = a > 1; if (a > 1) mark(1); if (box->owned) mark(2);",
    "read twice": "if (box->owned) mark(1); if (box->owned) mark(2);",
    "another field in between": "box->owned = a; box->level = 0; if (a) mark(1);"
    " if (box->owned) mark(2);",
    "stored on two paths": "if (a > 1) box->owned = 1; else box->owned = 0;"
    " if (a > 1) mark(1); if (box->owned) mark(2);",
    "a global": "flag = a > 1; if (a > 1) mark(1); if (flag) mark(2);",
    "a field of a constant global": "if (a) mark(1); if (a && settings.level > 2) mark(2);",
    "stored by a callee": "own(box, a); if (a) mark(1); if (box->owned) mark(2);",
    "a global stored by a callee": "set_flag(a); if (a) mark(1); if (flag) mark(2);",
    "read by a callee": "box->owned = a; if (a) mark(1); if (is_owned(box)) mark(2);",
    "a callee writes another field": "box->owned = a; level_up(box); if (a) mark(1);"
    " if (box->owned) mark(2);",
    "counted by callees": "box->level = a; level_up(box); level_up(box);"
    " if (a + 1 + 1 > 5) mark(1); if (box->level > 5) mark(2);",
    "cleared memory": "struct box b; memset(&b, 0, sizeof b); if (a) mark(1);"
    " if (a && !b.owned) mark(2);",
    "copied memory": "struct box b = *box, c; c = b; if (b.owned) mark(1); if (c.owned) mark(2);",
    "a callee's new block": "struct box *mine = box_new(a); if (!mine) return;"
    " if (mine && a) mark(1); if (mine->owned) mark(2);",
    "written on a way that ends": "box->owned = a; char *p = must_have(9); if (a) mark(1);"
    " if (box->owned) mark(2); free(p);",
    "filled behind it": "struct box *mine = box_new(a); if (!mine) return; fill_text(&mine->text, s);"
    " if (mine && a) mark(1); if (mine->owned) mark(2);",
    "given, not filled": "box->text = 0; fill_text(&other->text, (char *)box);"
    " if (box->owned) mark(1); fill_text(0, (char *)box); if (box->owned) mark(2);",
    "a bit and its complement": "if (a & 4) mark(1); if (!(~a & 4)) mark(2);",
    "a pure function": 'if (!strcmp(s, "a")) mark(1); if (!strcmp(s, "a")) mark(2);',
    "a result that is never NULL": "char *p = must_copy(s); if (a) mark(1); if (a && p) mark(2);",
}

DIFFERENT = {
    "stored in between": "if (box->owned) mark(1); box->owned = unknown(); if (box->owned) mark(2);",
    "stored through another pointer": "if (box->owned) mark(1); other->owned = a;"
    " if (box->owned) mark(2);",
    "stored by a callee": "if (box->owned) mark(1); own(box, unknown()); if (box->owned) mark(2);",
    "a global stored by a callee": "if (flag) mark(1); set_flag(unknown()); if (flag) mark(2);",
    "written by an unknown function": "if (box->owned) mark(1); fill(box);"
    " if (box->owned) mark(2);",
    "filled by a callee": "if (box->owned) mark(1); fill_word((char *)box);"
    " if (box->owned) mark(2);",
    "filled two calls down": "if (box->owned) mark(1); fill_two(&s, (char *)box);"
    " if (box->owned) mark(2);",
    "two bits and their complement": "if (a & 6) mark(1); if (!(~a & 6)) mark(2);",
    "changed in a loop": "box->owned = 1; while (unknown()) { if (box->owned) mark(1);"
    " box->owned = unknown(); } if (box->owned) mark(2);",
    "other strings": 'if (!strcmp(s, "a")) mark(1); if (!strcmp(s, "b")) mark(2);',
    "a changed string": "char t[8]; fill(t); if (!strcmp(t, s)) mark(1); fill(t);"
    " if (!strcmp(t, s)) mark(2);",
}


def _marks(tmp_path: Path, body: str) -> tuple[object, object]:
    text = f"void f(struct box *box, struct box *other, char *s, int a) {{ {body} }}"
    guards = Guarded(HEAD + text, tmp_path).mark_guards("f")
    return guards[1], guards[2]


@pytest.mark.parametrize("name", SAME)
def test_the_same_condition(name: str, tmp_path: Path) -> None:
    first, second = _marks(tmp_path, SAME[name])
    assert first == second


@pytest.mark.parametrize("name", DIFFERENT)
def test_another_condition(name: str, tmp_path: Path) -> None:
    first, second = _marks(tmp_path, DIFFERENT[name])
    assert first != second
