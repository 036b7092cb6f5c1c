"""Writing models and reading them back: packaged ones, and summaries as the analysis makes them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from heapflow.models import dump_models, load_models
from heapflow.models.effect_text import parse_effect
from heapflow.models.model import Family, FunctionModel, ResourceKind
from heapflow.models.signature import parse_signature


def reload(tmp_path: Path, text: str) -> dict[str, FunctionModel]:
    path = tmp_path / "dump.toml"
    path.write_text(text, "utf-8")
    return {model.name: model for model in load_models([path]).all() if model.origin == str(path)}


def test_everything_packaged_survives_a_round_trip(tmp_path: Path) -> None:
    models = load_models()
    written = list(models.all())
    read = reload(tmp_path, dump_models(written, models.families.values()))
    assert len(read) == len(written)
    for model in written:
        assert replace(read[model.name], origin=model.origin) == model


def summary(declaration: str, *effects: str, note: str = "") -> FunctionModel:
    name = declaration.partition("(")[0].split()[-1].lstrip("*")
    return FunctionModel(
        name,
        parse_signature(declaration),
        tuple(parse_effect(effect, "malloc") for effect in effects),
        source="analysis",
        note=note,
    )


SUMMARIES = [
    summary("int make(char **)", "alloc *arg1 when ret == 0"),
    summary("char *make2(void)", "alloc ret"),
    summary("void get(char **)", "*arg1 = global.table"),
    summary("char *get2(void)", "ret = global.table"),
    summary("void drop(struct list *)", "free arg1->8->0"),
    summary("void put(char *)", "global.table = arg1"),
    summary("void link(struct list *, char *)", "arg1->16 = arg2"),
    summary("char *name(struct list *)", "ret = arg1->8"),
]


def test_summaries_of_all_kinds_can_be_exported(tmp_path: Path) -> None:
    read = reload(tmp_path, dump_models(SUMMARIES, library="mine"))
    for model in SUMMARIES:
        assert replace(read[model.name], origin="") == model


def test_the_text_is_stable_and_shares_effects() -> None:
    models = [
        summary("void *b(size_t)", "alloc ret", note='say "so"'),
        summary("void *a(size_t)", "alloc ret", note='say "so"'),
        FunctionModel("c", None, ()),
    ]
    family = Family("pool", ResourceKind.MEMORY, ("pool_free",), refcounted=True, arena=True)
    expected = """\
format = 1
library = "demo"

[families.pool]
kind = "memory"
release = ["pool_free"]
refcounted = true
arena = true

[[model]]
functions = '''
void *a(size_t);
void *b(size_t);
'''
effects = ["alloc ret family=malloc"]
source = "analysis"
note = "say \\"so\\""

[[model]]
functions = '''
c;
'''
effects = []
"""
    assert dump_models(models, [family], library="demo") == expected
    assert dump_models(models[::-1], [family], library="demo") == expected
