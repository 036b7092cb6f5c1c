"""Users' model files: what they may say, what they override, how mistakes are reported."""

from __future__ import annotations

from pathlib import Path

import pytest

from heapflow.models import FunctionModel, ModelError, Models, load_models
from heapflow.models.effect_text import format_effect
from heapflow.models.model import ResourceKind


def load(tmp_path: Path, *texts: str) -> Models:
    paths = []
    for number, text in enumerate(texts):
        path = tmp_path / f"user{number}.toml"
        path.write_text(text, "utf-8")
        paths.append(path)
    return load_models(paths)


def model(models: Models, name: str) -> FunctionModel:
    found = models.lookup(name)
    assert found is not None
    return found


def effects(models: Models, name: str) -> list[str]:
    return [format_effect(effect) for effect in model(models, name).effects]


POOL = """
default_family = "pool"
[families.pool]
kind = "memory"
release = ["pool_free"]
[[model]]
functions = '''
void *pool_get(size_t n);
char *pool_strdup(const char *);
'''
effects = ["alloc ret"]
source = "pool.h"
[[model]]
functions = "void pool_free(void *)"
effects = ["free arg1"]
"""


def test_a_library_of_the_users(tmp_path: Path) -> None:
    models = load(tmp_path, POOL)
    assert effects(models, "pool_strdup") == ["alloc ret family=pool"]
    assert model(models, "pool_get").source == "pool.h"
    assert model(models, "pool_get").origin.endswith("user0.toml")
    assert models.families["pool"].kind is ResourceKind.MEMORY


def test_later_files_win(tmp_path: Path) -> None:
    mine = "[[model]]\nfunctions = 'char *strdup(const char *)'\neffects = ['ret = borrowed']\n"
    again = mine.replace("ret = borrowed", "ret = arg1")
    assert effects(load(tmp_path, mine), "strdup") == ["ret = borrowed"]
    models = load(tmp_path, mine, again)
    assert effects(models, "strdup") == ["ret = arg1"]
    assert effects(models, "__strdup") == ["ret = arg1"], "aliases follow"


def test_a_user_file_wins_over_a_packaged_file_that_is_read_later(tmp_path: Path) -> None:
    mine = "[[model]]\nfunctions = ['SSL_free']\neffects = []\n"
    models = load(tmp_path, mine)
    assert effects(models, "SSL_new") == ["alloc ret family=SSL"]
    assert effects(models, "SSL_free") == []


def test_models_that_hold_over_definitions(tmp_path: Path) -> None:
    mine = "[[model]]\nfunctions='void *grab(int)'\neffects=[]\nover_definitions=true\n"
    mine += "[[model]]\nfunctions='void free(void *)'\neffects=[]\n[alias]\ngrab=['grab2']\n"
    packaged = load_models().over_definitions()
    assert {"malloc", "free", "__libc_free", "posix_memalign"} <= packaged
    assert not {"strdup", "fopen"} & packaged
    models = load(tmp_path, mine)
    assert model(models, "grab2").over_definitions
    assert models.over_definitions() == packaged - {"free", "__libc_free"} | {"grab", "grab2"}


def test_bare_names_need_no_prototype(tmp_path: Path) -> None:
    models = load(tmp_path, "[[model]]\nfunctions = ['grab; grab2']\neffects = ['keep arg9']\n")
    assert model(models, "grab2").signature is None


def test_aliases(tmp_path: Path) -> None:
    models = load(tmp_path, '[alias]\nmalloc = ["my_malloc"]\nmy_malloc = ["my_malloc2"]\n')
    assert models.resolve("my_malloc2") == "malloc"
    assert models.lookup("my_malloc2") is models.lookup("malloc")


def test_an_alias_replaces_a_packaged_model(tmp_path: Path) -> None:
    models = load(tmp_path, '[alias]\nfree = ["fclose"]\n')
    assert models.resolve("fclose") == "free"


def test_families_of_packaged_files_can_be_used(tmp_path: Path) -> None:
    text = "[[model]]\nfunctions = 'BIO *open_it(void)'\nfamily = 'BIO'\neffects = ['alloc ret']\n"
    models = load(tmp_path, text)
    assert models.families["BIO"].refcounted


def test_unknown_names_are_unknown(tmp_path: Path) -> None:
    models = load(tmp_path)
    assert models.lookup("no_such_function") is None
    assert models.lookup("__builtin_no_such_function") is None
    assert models.family("no_such_family") is None


ONE = "[[model]]\nfunctions = 'int f(char *, int)'\neffects = [{}]\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("modle = []", "user0.toml: unknown key `modle`; did you mean `model`?"),
        ("format = 2", "format 2 is unknown; use format = 1"),
        ("[model]\n", "`model` has the wrong type, dict"),
        ("model = [", "not valid TOML"),
        ("[[model]]\neffects = []\n", "[[model]] number 1: `functions` is missing"),
        ("[[model]]\nfunctions = 'f'\n", "`effects` is missing"),
        ("[[model]]\nfunctions = 'f'\neffect = []\n", "did you mean `effects`?"),
        ("[[model]]\nfunctions = 'f'\neffects = [1]\n", "effects: must be a list of strings"),
        ("[[model]]\nfunctions = '*'\neffects = []\n", "`*` is not a function"),
        ("[[model]]\nfunctions = 'f;f'\neffects = []\n", "`f` is modelled twice in this file"),
        ("[families.x]\nkind = 'memroy'\n", "no kind `memroy`; did you mean `memory`?"),
        ("[families.x]\n", "family `x`: `kind` is missing"),
        ("families.x = 3\n", "family `x`: must be a table"),
        ("alias.mallocc = ['m']\n", "`m` stands for `mallocc`: not modelled"),
        ("alias.m = ['m']\n", "`m` stands for `m`: not modelled"),
        ("alias.a = ['b']\nalias.b = ['a']\n", "names stand for each other: b -> a -> b"),
        (
            "alias.malloc = ['b']\nalias.b = ['c']\nalias.c = ['malloc']\n",
            "names stand for each other: b -> malloc -> c -> b",
        ),
        ("alias.malloc = 'm'\n", "alias of `malloc`: must be a list of strings"),
        (ONE.format("'free arg1'"), "model of `f`: effect `free arg1`: no family"),
        (ONE.format("'free arg1 family=maloc'"), "no family `maloc`; did you mean `malloc`?"),
        (ONE.format("'keep arg3'"), "`arg3`, but the function has 2 arguments"),
        (ONE.format("'keep args3+'"), "`args3+`, but the function is not variadic"),
        (ONE.format("'keep arg2'"), "`arg2` is `int`, not a pointer"),
        (ONE.format("'ret = arg1'"), "`ret` is `int`, not a pointer"),
        (
            "[[model]]\nfunctions='f'\neffects=[]\nover_definitions=true\n",
            "model of `f`: `over_definitions` needs a prototype",
        ),
        (ONE.format("") + "over_definitions=1\n", "`over_definitions` has the wrong type, int"),
        (ONE.format("'fre arg1'"), "effect `fre arg1`: `fre` is not an effect; did you mean"),
        (ONE.format("'*arg2 = null'"), "`*arg2` is `int`, not a pointer"),
        (
            ONE.format("'ensures ret != 0'").replace("int f", "void f"),
            "`ret`, but the function returns nothing",
        ),
        (
            "[[model]]\nfunctions='int f(int, ...)'\neffects=['keep args3+']\n",
            "variable arguments begin at `args2+`",
        ),
        (
            "[[model]]\nfunctions='m'\neffects=[]\n[alias]\nmalloc=['m']\n",
            "`m` has a model and is an alias",
        ),
    ],
)
def test_mistakes_name_file_entry_and_remedy(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ModelError) as caught:
        load(tmp_path, text)
    assert message in str(caught.value)
    assert "user0.toml" in str(caught.value)


def test_unreadable_files(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="cannot read the model file: No such file"):
        load_models([tmp_path / "missing.toml"])
    path = tmp_path / "binary.toml"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(ModelError, match="must be UTF-8"):
        load_models([path])
