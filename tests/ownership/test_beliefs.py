"""What is believed of functions that have no body and no model, and on which evidence."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from heapflow.config import Config
from heapflow.frontend.inputs import find_inputs
from heapflow.frontend.load import FrontendSettings, load_program
from heapflow.modelled.take import take_models
from heapflow.models.load import load_models
from heapflow.ownership.belief import Belief, Beliefs, Kind, UnknownFunctions
from heapflow.ownership.beliefs import form_beliefs
from heapflow.pipeline import analyse_files
from heapflow.support.run import Run

HEAD = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"


def beliefs(
    tmp_path: Path, text: str, choice: UnknownFunctions = UnknownFunctions.BELIEVE
) -> Beliefs:
    file = tmp_path / "x.c"
    file.write_text(HEAD + text)
    loaded = load_program(find_inputs([str(file)], []), FrontendSettings(), Run())
    assert loaded.program is not None
    modelled = take_models(loaded.program, load_models())
    return form_beliefs(modelled.program, modelled.models, choice)


def of(found: Beliefs, function: str) -> dict[tuple[Kind, int], Belief]:
    return {(one.kind, one.argument): one for one in found.listed if one.function == function}


def roles(tmp_path: Path, text: str, function: str) -> set[tuple[str, int]]:
    return {(kind.value, at) for kind, at in of(beliefs(tmp_path, text), function)}


def test_counts_for_and_against(tmp_path: Path) -> None:
    text = """
    int look(const char *text);
    int a(char *p) { int n = look(p); free(p); return n; }
    int b(void) { return look("constant"); }
    int c(const char *s) { char *p = strdup(s); return p ? look(p) : 0; }
    """
    one = of(beliefs(tmp_path, text), "look")[Kind.BORROWER, 1]
    assert (one.support, one.against) == (2, 1)
    assert one.reason == "declared const, 1 release it afterwards, 1 give a variable or a constant"


@pytest.mark.parametrize(
    ("declared", "uses", "expected"),
    [
        # const and one fresh block that is dropped: read, and lost.
        ("int f(const char *)", "char *p = strdup(s); return p ? f(p) : 0;", {("borrower", 1)}),
        # … as `const void *` it may be a key.
        ("int f(const void *)", "char *p = strdup(s); return p ? f(p) : 0;", set()),
        # Not const: nothing speaks for a loan.
        ("int f(char *)", "char *p = strdup(s); return p ? f(p) : 0;", set()),
        # A local variable cannot be given away.
        ("int f(char *)", "char b[9]; return f(b);", {("borrower", 1)}),
        # Elements of a container can be constants.
        ("int f(void *)", 'return f("x");', set()),
        # A single use afterwards proves nothing.
        ("int f(char *)", "char *p = strdup(s); if (!p) return 0; f(p); return puts(p);", set()),
        # A result of the same type may be the argument.
        ("char *f(char *)", "char b[9]; return f(b) != NULL;", set()),
    ],
)
def test_arguments(
    tmp_path: Path, declared: str, uses: str, expected: set[tuple[str, int]]
) -> None:
    assert roles(tmp_path, f"{declared}; int g(const char *s) {{ {uses} }}", "f") == expected


def test_taken_if_it_worked(tmp_path: Path) -> None:
    text = """
    int put(void *q, char *text);
    int a(void *q, const char *s) {
      char *p = strdup(s);
      if (put(q, p) != 0) { free(p); return -1; }
      return 0;
    }
    """
    found = beliefs(tmp_path, text)
    assert (Kind.TAKER, 2) in of(found, "put")
    assert (Kind.BORROWER, 2) not in of(found, "put")


def test_a_pair_of_unknown_functions(tmp_path: Path) -> None:
    text = """
    struct t; struct t *t_new(void); void t_end(struct t *); int t_run(struct t *);
    int a(void) {
      struct t *t = t_new();
      if (!t) return -1;
      if (t_run(t) < 0) { t_end(t); return -1; }
      t_end(t);
      return 0;
    }
    """
    found = beliefs(tmp_path, text)
    assert of(found, "t_new")[Kind.ALLOCATOR, 0].family == "t_end"
    assert (Kind.DEALLOCATOR, 1) in of(found, "t_end")
    assert (Kind.BORROWER, 1) in of(found, "t_run")
    assert found.families["t_end"].releasers == ("t_end",)


@pytest.mark.parametrize(
    "uses",
    [
        # One function that is always called last, in two places, is not enough.
        "void a(void) { f(g()); } void b(void) { f(g()); }",
        # Others only look at the result.
        "void a(void) { struct t *t = g(); if (t) f(t); else f(t); } "
        "int b(void) { return *(int *)g(); } int c(void) { return *(int *)g(); }",
    ],
)
def test_what_is_no_pair(tmp_path: Path, uses: str) -> None:
    assert roles(tmp_path, f"struct t; struct t *g(void); void f(struct t *); {uses}", "g") == set()


def test_found_then_removed(tmp_path: Path) -> None:
    text = """
    struct d; void *fetch(struct d *, int); void drop(struct d *, int);
    void a(struct d *d, int k) { void *v = fetch(d, k); free(v); drop(d, k); }
    """
    assert roles(tmp_path, text, "fetch") == set()


def test_choices(tmp_path: Path) -> None:
    text = "int f(char *); int g(void) { char *p = malloc(4); return p ? f(p) : 0; }"
    assert not beliefs(tmp_path, text, UnknownFunctions.ESCAPE).models
    assert not beliefs(tmp_path, text).listed
    assert set(beliefs(tmp_path, text, UnknownFunctions.BORROW).models) == {"f"}
    file = tmp_path / "x.c"
    assert not analyse_files([file])
    assert len(analyse_files([file], config=Config(unknown_functions=UnknownFunctions.BORROW))) == 1


def test_a_finding_says_what_it_believes(tmp_path: Path) -> None:
    file = tmp_path / "x.c"
    file.write_text(
        HEAD + "char *get(int); int a(int n) { char *p = get(n); free(p); return 0; }\n"
        "int b(int n) { char *p = get(n); if (n) return 1; free(p); return 0; }\n"
    )
    (finding,) = analyse_files([file])
    assert finding.believes == ("`get` is taken for an allocator: 2 callers free its result",)


def test_functions_as_json(tmp_path: Path) -> None:
    file = tmp_path / "x.c"
    file.write_text(
        HEAD + "char *get(int); static char *own(void) { return malloc(3); }\n"
        "int a(int n) { char *p = get(n); free(p); free(own()); return 0; }\n"
    )
    command = [sys.executable, "-m", "heapflow", "functions", "--format", "json", "--no-cache"]
    done = subprocess.run(
        [*command, str(file)], capture_output=True, text=True, timeout=120, check=True
    )
    rows = json.loads(done.stdout)["functions"]
    known = {(row["function"], row["role"]): row for row in rows}
    assert len(known) == len(rows)
    assert known["get", "allocator"]["how"] == "believed"
    assert known["get", "allocator"]["support"] == 1
    assert known["own", "allocator"]["how"] == "found"
    assert known["free", "deallocator"]["how"] == "modelled"


def test_those_who_keep_a_result_for_ever_speak_against_an_allocator(tmp_path: Path) -> None:
    """What one struct's maker releases, others leave to the object that was given."""
    text = """
    struct o; struct p; struct p *p_new(struct o *, int); void p_free(struct p *);
    struct a { struct p *one; }; struct b { struct p *one, *two; };
    void a_init(struct a *a, struct o *o) { a->one = p_new(o, 1); }
    void a_end(struct a *a) { p_free(a->one); }
    """
    others = """
    void b_init(struct b *b, struct o *o) { b->one = p_new(o, 1); b->two = p_new(o, 2); }
    """
    ignoring = "void i(struct o *o) { p_new(o, 1); p_new(o, 2); }"
    assert (Kind.ALLOCATOR.value, 0) in roles(tmp_path, text, "p_new")
    assert roles(tmp_path, text + others, "p_new") == set()
    assert roles(tmp_path, text + ignoring, "p_new") == set()


def test_released_through_another_variable_only(tmp_path: Path) -> None:
    """No caller releases it where the result says that the call worked: it is there always."""
    found = beliefs(
        tmp_path,
        """
        #include <stdlib.h>
        int fetch(char **body); int expand(char **out, const char *text);
        int get(int packed) {
          char *body = NULL;
          if (fetch(&body) < 0) return -1;
          if (packed) {
            char *other = NULL;
            expand(&other, body);
            if (other == NULL) { free(body); return -1; }
            free(body);
            body = other;
          }
          int size = body[0];
          free(body);
          return size;
        }
        """,
    )
    assert of(found, "expand")[Kind.ALLOCATOR, 1].support == 1


PAIR = """
void *lib_calloc(size_t n);
void lib_free(void *block);
int path_of(const char *name, char **path);
int watch(void *state);
struct state { char *path; };
struct module { struct state *state; };
void module_done(struct module *m) {
  if (m->state == NULL) return;
  lib_free(m->state->path);
  lib_free(m->state);
}
int module_init(struct module *m) {
  struct state *state = lib_calloc(sizeof *state);
  state->path = strdup("a");
  if (state->path == NULL) { module_done(m); return -1; }
  return watch(state);
}
"""


@pytest.mark.parametrize(
    ("maker", "ender", "ends"),
    [
        ("lib_calloc", "lib_free", True),
        ("lib_fetch", "lib_free", False),
        ("lib_calloc", "free_lib", False),
    ],
)
def test_pairs_that_are_named_as_malloc_and_free(
    tmp_path: Path, maker: str, ender: str, ends: bool
) -> None:
    """Nobody releases the result where it is made; what is released comes from fields."""
    text = PAIR.replace("lib_calloc", maker).replace("lib_free", ender)
    assert (("allocator", 0) in roles(tmp_path, text, maker)) == ends
    assert (("deallocator", 1) in roles(tmp_path, text, ender)) == ends
