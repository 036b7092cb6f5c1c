"""Without unknowns the executor is an interpreter: it does what compiled programs do."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from heapflow.frontend.inputs import find_inputs
from heapflow.frontend.load import FrontendSettings, load_program
from heapflow.models.load import Models, load_models
from heapflow.replay.concrete import Machine
from heapflow.replay.events import End
from tests.leaks.execution import can_run
from tests.leaks.sources import Unit, find_units
from tests.replay.driver import call_both_ways, run_compiled
from tests.replay.generate import random_program

_PROGRAMS = sorted((Path(__file__).parent.parent / "c" / "replay").glob("*.c"))
_FLAGS = ("-std=gnu11", "-fwrapv")
_SEEDS = range(12)
# What a run may stop at: the world outside, and functions of the library that are not computed.
_STOPS = ("function ", "value of ", "variable ", "something ")
# The C library allocates with the program's own malloc there, here it does not.
_OWN_MALLOC = ("own_allocator", "copied_ok")

pytestmark = pytest.mark.skipif(not can_run(), reason="needs gcc")


@pytest.fixture(scope="module")
def models() -> Models:
    return load_models()


def _machine(source: Path, models: Models) -> Machine:
    settings = FrontendSettings(use_cache=False, jobs=1)
    program = load_program(find_inputs([str(source)], _FLAGS), settings).program
    assert program is not None
    return Machine(program, models)


def _compiled(source: Path, work: Path) -> tuple[bytes, int]:
    program = work / "program"
    command = ["gcc", "-w", "-O0", *_FLAGS, str(source), "-o", str(program), "-lm"]
    subprocess.run(command, check=True, capture_output=True)
    return run_compiled(program, [], work)


def _check(source: Path, work: Path, models: Models) -> None:
    output, status = _compiled(source, work)
    run = _machine(source, models).run_main([b"program"])
    assert run.end in (End.RETURNED, End.EXITED), run.why
    assert run.output.decode("latin-1") == output.decode("latin-1")
    assert run.status == status


@pytest.mark.parametrize("source", _PROGRAMS, ids=lambda source: source.stem)
def test_programs_do_what_they_do_compiled(source: Path, tmp_path: Path, models: Models) -> None:
    _check(source, tmp_path, models)


@pytest.mark.parametrize("seed", _SEEDS)
def test_random_programs_do_what_they_do_compiled(
    seed: int, tmp_path: Path, models: Models
) -> None:
    source = tmp_path / "random.c"
    source.write_text(random_program(seed))
    _check(source, tmp_path, models)


@pytest.mark.parametrize("unit", find_units(), ids=lambda unit: unit.name)
def test_annotated_functions_do_what_they_do_compiled(
    unit: Unit, tmp_path: Path, models: Models
) -> None:
    functions = [function for function in unit.functions() if function.not_run is None]
    if unit.not_run or not functions:
        pytest.skip("nothing in it can be called")
    for called in call_both_ways(unit.files, functions, tmp_path, models):
        run = called.run
        if run.end is None:
            assert run.why.startswith(_STOPS), (called.name, run.why)
        elif (unit.name, called.name.split("(")[0]) != _OWN_MALLOC:
            assert (called.name, run.output, run.status) == (
                called.name,
                called.output,
                called.status,
            )


_PARTS = r"""
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
int sum(int a, long b, unsigned char c) { return a + (int)b + c; }
unsigned long hash(const char *text) {
  unsigned long value = 5381;
  while (*text) value = value * 33 + (unsigned char)*text++;
  return value;
}
int forever(void) { for (;;) ; }
int freed(void) { int *p = malloc(4); *p = 1; free(p); return *p; }
int outside(void) { int *p = (int *)8; return *p; }
int divided(int n) { return 10 / n; }
int environment(void) { return system("true"); }
"""


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory, models: Models) -> Machine:
    source = tmp_path_factory.mktemp("parts") / "parts.c"
    source.write_text(_PARTS)
    return _machine(source, models)


def test_a_function_is_called_with_numbers_and_texts(parts: Machine) -> None:
    assert parts.call(parts.function("sum"), [-5, 1 << 40 | 7, 300]).value == 46
    assert parts.call(parts.function("hash"), [b"ab"]).value == (5381 * 33 + 97) * 33 + 98


def test_a_run_ends_at_its_bound(parts: Machine) -> None:
    run = parts.call(parts.function("forever"), [], most_steps=1000)
    assert (run.end, run.why) == (None, "steps")


@pytest.mark.parametrize(("name", "arguments"), [("freed", []), ("outside", []), ("divided", [0])])
def test_undefined_behaviour_ends_a_run(parts: Machine, name: str, arguments: list[int]) -> None:
    assert parts.call(parts.function(name), arguments).end is End.BROKEN


def test_what_cannot_be_run_is_named(parts: Machine) -> None:
    run = parts.call(parts.function("environment"), [])
    assert (run.end, run.why) == (None, "function system")
