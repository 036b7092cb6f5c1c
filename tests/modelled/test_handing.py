"""What bodies of modelled functions hand on to, and what is left alone since nothing is certain."""

from __future__ import annotations

from pathlib import Path

import pytest

from heapflow.models.load import load_models
from tests.modelled.programs import roles, take

FREE = "void free(void *p) { put(p, NULL); }"
PUT = "static void put(void *p, const char *file) { printf(file); *(void **)p = last; last = p; }"
GET = (
    "static void *get(size_t n, const char *file) { printf(file); used += n; return space + used; }"
)


def test_one_step(tmp_path: Path) -> None:
    modelled = take(tmp_path, GET + PUT + "void *malloc(size_t n) { return get(n, NULL); }" + FREE)
    assert roles(modelled) == {"get": ["alloc ret size=arg1"], "put": ["free arg1"]}
    assert (modelled.named, modelled.handed) == (2, 2)


def test_positions_and_further_steps(tmp_path: Path) -> None:
    text = """
    static void *deep(int zone, const char *why, size_t n) {
      printf(why); used += n + zone; return space;
    }
    static void *middle(size_t n, int zone) { void *p = deep(zone, "middle", n); return p; }
    void *malloc(size_t n) { void *p = middle(n, 1); if (!p) count = 12; return p; }
    void *memalign(size_t a, size_t n) { return a > 4096 ? NULL : deep(2, "aligned", n); }
    """
    assert roles(take(tmp_path, text)) == {
        "middle": ["alloc ret size=arg1"],
        "deep": ["alloc ret size=arg3"],
    }


def test_what_the_callee_remembers(tmp_path: Path) -> None:
    text = """
    struct head { const char *file; int line; };
    void *debug_malloc(size_t n, const char *file, int line) {
      struct head *head = (struct head *)(space + used);
      used += n + sizeof *head; head->file = file; head->line = line;
      return head + 1;
    }
    void *malloc(size_t n) { return debug_malloc(n, "?", 0); }
    """
    assert roles(take(tmp_path, text)) == {"debug_malloc": ["alloc ret size=arg1", "keep arg2"]}


def test_zeros_may_be_the_work_of_calloc(tmp_path: Path) -> None:
    cleared = "void *calloc(size_t n, size_t s) { void *p = get(n * s, NULL); %s return p; }"
    clears = take(tmp_path, GET + cleared % "if (p) memset(p, 0, n * s);")
    assert roles(clears) == {"get": ["alloc ret"]}
    hands_on = take(tmp_path, GET + cleared % "")
    assert roles(hands_on) == {"get": ["alloc ret zeroed"]}
    malloc = "void *malloc(size_t n) { return get(n, NULL); }"
    assert roles(take(tmp_path, GET + malloc + cleared % "")) == {"get": ["alloc ret size=arg1"]}


def test_free_with_a_test_for_null(tmp_path: Path) -> None:
    for free in (
        "void free(void *p) { if (!p) return; put(p, NULL); }",
        "void free(void *p) { if (p != NULL) { count--; put(p, NULL); } }",
        'void free(void *p) { printf("%p", p); put(p, NULL); used = 0; }',
    ):
        assert roles(take(tmp_path, PUT + free)) == {"put": ["free arg1"]}


@pytest.mark.parametrize(
    "free",
    [
        "void free(void *p) { if (count) put(p, NULL); }",
        "void free(void *p) { if (count) last = p; else put(p, NULL); }",
        "void free(void *p) { if (count) keep(p); else put(p, NULL); }",
        "void free(void *p) { put((char *)p - 16, NULL); }",
        "void free(void *p) { put(p ? p : space, NULL); }",
        "void free(void *p) { twice(p, p); }",
        "void free(void *p) { back(p); }",
        "void free(void *p) { hook(p); }",
        "void free(void *p) { some(1, p); }",
        "void free(void *p) { into(space, p); }",
    ],
)
def test_uncertain_releases(tmp_path: Path, free: str) -> None:
    others = """
    static void keep(void *p) { last = p; }
    static void twice(void *p, void *q) { last = p; *(void **)q = p; }
    static void *back(void *p) { *(void **)p = last; return p; }
    static void some(int n, ...) { count = n; }
    static void into(void *pool, void *p) { *(void **)pool = p; *(int *)p = 0; }
    extern void (*hook)(void *);
    """
    assert roles(take(tmp_path, others + PUT + free)) == {}


@pytest.mark.parametrize(
    "malloc",
    [
        "void *malloc(size_t n) { return resize(NULL, n); }",
        "void *malloc(size_t n) { return from(space, n); }",
        "void *malloc(size_t n) { return n > 64 ? get(n, NULL) : small(n); }",
        "void *malloc(size_t n) { return (char *)get(n + 16, NULL) + 16; }",
        "void *malloc(size_t n) { void *p; fill(&p, n); return p; }",
        "void *malloc(size_t n) { void *p = get(n, NULL); return p ? p : space; }",
        "void *malloc(size_t n) { return hook(n); }",
        "void *malloc(size_t n) { return other_library(n); }",
        "void *malloc(size_t n) { return (void *)number(n); }",
        "void *malloc(size_t n) { return n ? malloc(n - 1) : NULL; }",
        "void *malloc(size_t n) { return calloc(n, 1); } "
        "void *calloc(size_t n, size_t s) { used += n * s; return space; }",
    ],
)
def test_uncertain_allocations(tmp_path: Path, malloc: str) -> None:
    others = """
    void *calloc(size_t, size_t);
    static void *resize(void *old, size_t n) { used += n; last = old; return old ? old : space; }
    static void *from(char *pool, size_t n) { pool[0] = 1; used += n; return pool + used; }
    static void *small(size_t n) { used += n; return space; }
    static void fill(void **p, size_t n) { used += n; *p = space; }
    static size_t number(size_t n) { return (size_t)space + n; }
    extern void *other_library(size_t);
    extern void *(*hook)(size_t);
    """
    modelled = take(tmp_path, others + GET + malloc)
    assert roles(modelled) == {}
    assert modelled.named >= 1


def test_realloc(tmp_path: Path) -> None:
    resize = "static void *resize(size_t n, void *p) { used += n; *(int *)p = 0; return p; }"
    text = resize + "void *realloc(void *p, size_t n) { return resize(n, p); }"
    assert roles(take(tmp_path, text)) == {"resize": ["realloc arg2 into ret size=arg1"]}


@pytest.mark.parametrize(
    "body",
    [
        "void *q = get(n, NULL); if (q) { memcpy(q, p, n); put(p, NULL); } return q;",
        "void *q = near(n, p); memcpy(q, p, n); put(p, NULL); return q;",
        "if (!p) return get(n, NULL); return near(n, p);",
    ],
)
def test_realloc_made_of_others(tmp_path: Path, body: str) -> None:
    near = "static void *near(size_t n, void *p) { used += n; return (char *)p + n; }"
    text = GET + PUT + near + f"void *realloc(void *p, size_t n) {{ {body} }}"
    assert roles(take(tmp_path, text)) == {}


def test_contradicting_roles(tmp_path: Path) -> None:
    """One function for everything: `act(p, 0)` frees, `act(NULL, n)` allocates."""
    act = (
        "static void *act(void *p, size_t n) { if (!n) last = p; used += n; return n ? space : p; }"
    )
    text = act + "void *realloc(void *p, size_t n) { return act(p, n); }"
    assert roles(take(tmp_path, text)) == {"act": ["realloc arg1 into ret size=arg2"]}
    hands = "static void *both(size_t n, void *p) { used += n; last = p; return space; }"
    hands += "void *realloc(void *p, size_t n) { return both(n, p); }"
    hands += "void *malloc(size_t n) { return both(n, NULL); }"
    assert roles(take(tmp_path, hands)) == {}


def test_no_allocator_whose_releaser_is_unknown(tmp_path: Path) -> None:
    """Who calls `get` may release by `put`; if that cannot be told, `get` is analysed."""
    malloc = "void *malloc(size_t n) { return get(n, NULL); }"
    unclear = "static void keep(void *p) { last = p; } "
    unclear += "void free(void *p) { if (count) keep(p); else put(p, NULL); }"
    assert roles(take(tmp_path, GET + PUT + malloc + unclear)) == {}
    in_place = "void free(void *p) { *(void **)p = last; last = p; }"
    assert roles(take(tmp_path, GET + malloc + in_place)) == {"get": ["alloc ret size=arg1"]}


def test_messages_of_functions_that_do_not_return(tmp_path: Path) -> None:
    text = """
    static void die(const char *format, ...) { printf(format); abort(); }
    static void check(const char *file) { die("bad block", file); }
    static void *get(size_t n, const char *file) { if (count) check(file); used += n; return space; }
    void *malloc(size_t n) { return get(n, NULL); }
    """
    assert roles(take(tmp_path, text)) == {"get": ["alloc ret size=arg1"]}


def test_names_that_mean_two_functions(tmp_path: Path) -> None:
    """Models are found by name: an external function of the same name has none of this."""
    malloc = GET + "void *malloc(size_t n) { return get(n, NULL); }"
    other = "extern void *get(int); void *f(void) { return get(1); }"
    assert roles(take(tmp_path, malloc, other)) == {}
    defined = "void *get(int n) { count = n; return last; } void *f(void) { return get(1); }"
    modelled = take(tmp_path, malloc, defined)
    assert roles(modelled) == {"get": ["alloc ret size=arg1"]}


def test_users_models_hand_on(tmp_path: Path) -> None:
    text = """
    default_family = "malloc"
    [[model]]
    functions = "int item_new(struct item **, const char *)"
    effects = ["alloc *arg1 when ret == 0"]
    over_definitions = true
    """
    (tmp_path / "user.toml").write_text(text)
    program = """
    struct item { const char *name; };
    static int make(int kind, const char *name, struct item **out) {
      count += kind; *out = (struct item *)space; (*out)->name = name; return 0;
    }
    int item_new(struct item **out, const char *name) { return make(3, name, out); }
    """
    modelled = take(tmp_path, program, models=load_models([tmp_path / "user.toml"]))
    assert roles(modelled) == {"make": ["alloc *arg3 family=malloc when ret == 0"]}
