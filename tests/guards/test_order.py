"""Conditions do not depend on which function is asked for first.

Spaces number their variables as they meet them, so conditions of two books are compared by what they
say: under each choice of truth values for the comparisons, named by their texts.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path

import pytest

from heapflow.config import Config
from heapflow.frontend.inputs import find_inputs
from heapflow.frontend.load import load_program
from heapflow.guards.book import GuardBook
from heapflow.guards.text import GuardText
from heapflow.ir.ids import FuncId
from heapflow.ir.program import Program
from heapflow.logic.space import Guard
from heapflow.modelled.take import take_models
from heapflow.models.load import load_models
from heapflow.support.run import Run

LEAKS = Path(__file__).resolve().parents[1] / "c" / "leaks"
MOST_ATOMS = 8  # conditions with more of them are left out: truth tables double with each
FILES = ("flags_across_calls", "result_codes", "kept_by_callee", "contexts", "guard_comparisons")


def booked(file: Path) -> tuple[Program, list[GuardBook]]:
    """Two books: functions are asked for in the order of the program, and the other way round."""
    loaded = load_program(find_inputs([str(file)]), Config().frontend, Run())
    assert loaded.program is not None
    taken = take_models(loaded.program, load_models())
    program = taken.program
    funcs = [FuncId(f) for f in range(len(program.functions)) if not program.is_declaration(f)]
    books = []
    for order in (funcs, funcs[::-1]):
        book = GuardBook(program, Config().guards, taken.models)
        for func in order:
            book.guards(func)
        books.append(book)
    return program, books


def named(book: GuardBook, guard: Guard) -> dict[str, int]:
    """The variables of a condition by what they say."""
    text = GuardText(book.context)
    return {text.literal(variable, True): variable for variable in book.space.support(guard)}


def table(book: GuardBook, guard: Guard, names: Sequence[str]) -> list[bool]:
    """Whether a condition can hold, for every choice of truth values."""
    variables, found = named(book, guard), []
    for values in itertools.product((False, True), repeat=len(names)):
        chosen = dict(zip(names, values, strict=True))
        way = book.space.cube({variables[name]: chosen[name] for name in variables})
        found.append(not book.space.is_false(guard & way))
    return found


@pytest.mark.parametrize("name", FILES)
def test_the_order_of_questions_changes_nothing(name: str) -> None:
    _, (one, other) = booked(LEAKS / f"{name}.c")
    compared = 0
    for func in one.known():
        reached, again = one.guards(func).reach, other.guards(func).reach
        assert reached.keys() == again.keys()
        for block, guard in reached.items():
            names = sorted(named(one, guard).keys() | named(other, again[block]).keys())
            is_plain = len(named(one, guard)) == len(one.space.support(guard))
            if is_plain and len(names) <= MOST_ATOMS:
                compared += 1
                assert table(one, guard, names) == table(other, again[block], names)
    assert compared > 20


def test_tables_tell_conditions_apart() -> None:
    _, (book, _) = booked(LEAKS / "contexts.c")
    guards = [guard for func in book.known() for guard in book.guards(func).reach.values()]
    open_ones = [guard for guard in guards if len(named(book, guard)) == 1]
    assert open_ones
    for guard in open_ones:
        names = list(named(book, guard))
        assert table(book, guard, names) != table(book, ~guard, names)
