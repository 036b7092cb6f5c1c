"""Calls through variables of files that are not given name a function."""

from __future__ import annotations

import pytest

from heapflow.frontend.inputs import find_inputs
from heapflow.frontend.load import FrontendSettings, load_program
from heapflow.ir.check import check_program
from heapflow.ir.kinds import Op

from .conftest import Write

TYPES = "typedef void *(*maker)(unsigned long); typedef void (*ender)(void *);\n"
USE = "void use(void) { void *p = lib_new(8); if (p) lib_end(p); }\n"


STRUCT = "struct hooks { maker make; ender end; }; extern struct hooks lib;\n"
MEMBERS = "void use(void) { void *p = lib.make(8); if (p) lib.end(p); }\n"
SHOWN = "ender look(struct hooks *h) { return h->make ? h->end : 0; }\n"
THROUGH = "void use(struct hooks *h) { void *p = h->make(8); if (p) h->end(p); }\n"
DECLARED = "extern maker lib_new; extern ender lib_end;\n"


def called(write: Write, **files: str) -> set[str]:
    """External functions that calls name, in files that are linked."""
    paths = [write(f"{name}.c", TYPES + text) for name, text in files.items()]
    inputs = find_inputs([str(one) for one in paths])
    program = load_program(inputs, FrontendSettings(use_cache=False)).program
    assert program is not None
    assert check_program(program) == []
    instrs = program.instrs
    rows = [row for row in range(len(instrs.op)) if instrs.op[row] == Op.CALL]
    callees = {program.direct_callee(row) for row in rows} - {-1}
    names = {program.func_name(one) for one in callees if program.is_declaration(one)}
    return {one for one in names if not one.startswith("llvm.")}


def test_variables_of_other_files(write: Write) -> None:
    assert called(write, a=DECLARED + USE) == {"lib_new", "lib_end"}


def test_both_files_mean_one_function(write: Write) -> None:
    assert called(write, a=DECLARED + USE, b=DECLARED + USE.replace("use", "other")) == {
        "lib_new",
        "lib_end",
    }


def test_members_are_called_by_their_names(write: Write) -> None:
    assert called(write, a=STRUCT + MEMBERS + SHOWN) == {"lib.make", "lib.end"}


def test_members_have_names_though_no_variable_of_this_file_has_their_type(write: Write) -> None:
    assert called(write, a=STRUCT + MEMBERS) == {"lib.make", "lib.end"}


def test_members_of_what_a_parameter_leads_to(write: Write) -> None:
    assert called(write, a=STRUCT + THROUGH) == {"hooks.make", "hooks.end"}


@pytest.mark.parametrize(
    ("rest", "left"),
    [
        ("static void end(void *p) {} void set(struct hooks *h) { h->end = end; }", {"hooks.make"}),
        ("static void end(void *p) {} struct hooks own = {0, end};", set()),
        (
            "static void end(void *p) {} ender all[] = {end};",
            {"hooks.make"},
        ),
    ],
    ids=["stored", "initialised", "copied"],
)
def test_members_that_a_file_at_hand_fills(write: Write, rest: str, left: set[str]) -> None:
    assert called(write, a=STRUCT + THROUGH, b=STRUCT + rest) == left


@pytest.mark.parametrize(
    "rest",
    [
        "void *make(unsigned long n); maker lib_new = make; ender lib_end;",
        "void *make(unsigned long n); void set(void) { lib_new = make; lib_end = 0; }",
    ],
    ids=["defined", "written"],
)
def test_variables_that_a_file_at_hand_fills(write: Write, rest: str) -> None:
    assert called(write, a=DECLARED + USE, b=DECLARED + rest) == set()
