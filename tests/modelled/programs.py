"""C text to a program, and what its own functions are taken for."""

from __future__ import annotations

from pathlib import Path

from heapflow.ir.check import check_program
from heapflow.ir.program import Program
from heapflow.modelled.take import Modelled, take_models
from heapflow.models.effect_text import format_effect
from heapflow.models.load import Models, load_models
from tests.frontend.test_link import functions, link

HEAD = """
typedef unsigned long size_t;
#define NULL ((void *)0)
extern int printf(const char *, ...);
extern void *memset(void *, int, size_t), *memcpy(void *, const void *, size_t);
extern void abort(void) __attribute__((noreturn));
static char space[4096]; static size_t used; static void *last; static int count;
"""


def take(tmp_path: Path, *texts: str, models: Models | None = None) -> Modelled:
    modelled = take_models(
        link(tmp_path, *(HEAD + text for text in texts)), models or load_models()
    )
    assert check_program(modelled.program) == []
    return modelled


def roles(modelled: Modelled) -> dict[str, list[str]]:
    """Effects of the functions that others hand on to, by name."""
    return {
        name: [format_effect(effect).removesuffix(" family=malloc") for effect in model.effects]
        for name, model in modelled.models.own.items()
    }


def is_external(program: Program, name: str) -> bool:
    [func] = functions(program, name)
    return program.is_declaration(func)
