"""Which definitions models stand for: by name and prototype, over what, and how the program looks."""

from __future__ import annotations

from pathlib import Path

import pytest

from heapflow.ir.kinds import FuncFlag, Op
from heapflow.models.load import load_models
from tests.frontend.test_link import callees, functions
from tests.modelled.programs import is_external, roles, take

ALLOCATOR = """
void *malloc(size_t n) { used += n; return space + used - n; }
void free(void *p) { (void)p; count--; }
"""


def test_malloc_of_the_program_is_external(tmp_path: Path) -> None:
    client = "void *malloc(size_t); char *make(void) { return malloc(8); }"
    modelled = take(tmp_path, ALLOCATOR, client)
    program = modelled.program
    assert (modelled.named, modelled.handed) == (2, 0)
    assert is_external(program, "malloc")
    assert is_external(program, "free")
    assert not is_external(program, "make")
    assert callees(program, "make") == functions(program, "malloc")


def test_a_program_without_an_allocator_stays_as_it_is(tmp_path: Path) -> None:
    modelled = take(tmp_path, "void *malloc(size_t); char *make(void) { return malloc(8); }")
    assert (modelled.named, modelled.handed) == (0, 0)
    assert roles(modelled) == {}


@pytest.mark.parametrize(
    "definition",
    [
        "static void free(void *p) { last = p; } void f(void) { free(last); }",
        "struct s; void free(struct s *p) { last = p; }",
        "void free(void *p, int flags) { last = p; count = flags; }",
        "int free(void *p) { last = p; return 0; }",
        "void free(void *p, ...) { last = p; }",
        "void free(int p) { count = p; }",
        "void free(double p) { count = (int)p; }",
        "struct s; struct s *malloc(size_t n) { used += n; return last; }",
        "void *malloc(size_t *n) { used += *n; return last; }",
        "void malloc(size_t n) { used += n; }",
        "void *strdup(const char *s) { return (void *)s; }",
    ],
)
def test_other_functions_are_analysed(tmp_path: Path, definition: str) -> None:
    assert take(tmp_path, definition).named == 0


@pytest.mark.parametrize(
    "definition",
    [
        "char *malloc(unsigned n) { used += n; return space; }",
        "void free(p) char *p; { last = p; }",
        "void free(const void *p) { last = (void *)p; }",
        "__attribute__((weak)) void free(void *p) { last = p; }",
        "void *__libc_malloc(size_t n) { used += n; return space; }",
        "int posix_memalign(void **p, size_t a, size_t n) { *p = space + a + n; return 0; }",
        "void *reallocarray(void *p, size_t n, size_t s) { used += n * s; return p; }",
    ],
)
def test_variants_of_the_prototype_fit(tmp_path: Path, definition: str) -> None:
    assert take(tmp_path, definition).named == 1


def test_models_of_users_say_so_too(tmp_path: Path) -> None:
    text = """
    [[model]]
    functions = "struct item *item_new(struct pool *, int)"
    effects = ["alloc ret"]
    family = "malloc"
    over_definitions = true
    """
    (tmp_path / "user.toml").write_text(text)
    models = load_models([tmp_path / "user.toml"])
    definition = "struct item; struct pool; %s struct item *item_new(struct pool *p, int n) "
    definition += "{ last = p; count = n; return last; }"
    assert take(tmp_path, definition % "", models=models).named == 1
    assert take(tmp_path, definition % "static", models=models).named == 0
    assert take(tmp_path, definition % "").named == 0, "without the file"


def test_a_model_without_the_key_loses_against_a_definition(tmp_path: Path) -> None:
    text = "[[model]]\nfunctions = 'void free(void *)'\neffects = []\n"
    (tmp_path / "user.toml").write_text(text)
    assert take(tmp_path, ALLOCATOR, models=load_models([tmp_path / "user.toml"])).named == 1


def test_second_names(tmp_path: Path) -> None:
    text = """
    void *pool_malloc(size_t n) { used += n; return space + used - n; }
    static void pool_free(void *p) { last = p; }
    void *malloc(size_t) __attribute__((alias("pool_malloc")));
    void free(void *) __attribute__((alias("pool_free")));
    """
    client = "void *malloc(size_t); char *make(void) { return malloc(8); }"
    modelled = take(tmp_path, text, client)
    assert roles(modelled) == {"pool_malloc": ["alloc ret size=arg1"], "pool_free": ["free arg1"]}
    assert callees(modelled.program, "make") == functions(modelled.program, "pool_malloc")
    assert is_external(modelled.program, "pool_malloc")


def test_several_programs_with_allocators(tmp_path: Path) -> None:
    """Without recorded targets a call may mean either definition: both are external."""
    client = "void *malloc(size_t); char *make(void) { return malloc(8); }"
    modelled = take(tmp_path, ALLOCATOR, ALLOCATOR, client)
    program = modelled.program
    assert modelled.named == 4
    start = program.functions.alternative_start
    for callee in callees(program, "make"):
        assert program.is_declaration(callee)
        assert start[callee] == start[callee + 1]


def test_of_alternatives_all_or_none_are_taken(tmp_path: Path) -> None:
    other = "struct s; void *malloc(struct s *p) { return last = p; }"
    client = "void *malloc(size_t); char *make(void) { return malloc(8); }"
    modelled = take(tmp_path, ALLOCATOR, other, client)
    program = modelled.program
    defined = [f for f in functions(program, "malloc") if not program.is_declaration(f)]
    assert len(defined) == 2
    assert is_external(program, "free")


def test_what_is_left_of_the_program(tmp_path: Path) -> None:
    """Uses of what stays keep their meaning; addresses of blocks that are gone are nothing."""
    text = """
    static void *jumps[2];
    void *malloc(size_t n) {
      static void *const ways[] = {&&one, &&two};
      goto *ways[n & 1];
    one: used += n;
    two: return space + used;
    }
    void *(*hook)(size_t) = malloc;
    void before(int n) { int kept = n; printf("%d", kept); }
    void *call_it(size_t n) { return hook(n) ? hook(n) : malloc(n); }
    """
    program = take(tmp_path, text).program
    [malloc] = functions(program, "malloc")
    assert callees(program, "call_it")[-1] == malloc
    assert FuncFlag(int(program.functions.flags[malloc])) & FuncFlag.ADDRESS_TAKEN
    names = {program.strings[name] for name in program.variables.name.tolist()}
    assert {"kept", "n"} <= names
    [before] = functions(program, "before")
    ops = [int(program.instrs.op[instr]) for instr in program.instr_range(before)]
    assert ops == [Op.CALL, Op.RET]
