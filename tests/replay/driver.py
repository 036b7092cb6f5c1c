"""Run annotated functions twice: compiled, and by replay's executor without unknowns.

In:    a program of tests/c/leaks.     Out: for each call, what both printed and how both ended.
A generated `main` takes the number of a call; numbers and texts are chosen as for the runs under
LeakSanitizer (tests/leaks/execution.py). Blocks are filled with zeros (MALLOC_PERTURB_), as the
executor has it.
"""

from __future__ import annotations

import itertools
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from heapflow.frontend.inputs import find_inputs
from heapflow.frontend.load import FrontendSettings, load_program
from heapflow.models.load import Models
from heapflow.replay.concrete import Machine, Run
from tests.leaks.sources import Function, Param

_INTS = ("-1", "0", "1", "2", "3")
_NATURALS = ("0", "1", "2", "3")
_TEXTS = ('""', '"a"', '"key=value;b=c"', '"a longer text, with: several, fields"')
_WIDE_TEXTS = ('L""', 'L"wide text"')
_NUMBERS = ("int", "long", "unsigned", "size_t", "char", "_Bool", "bool", "short")
_MOST_CALLS = 6  # of one function
_MOST_STEPS = 200_000
_FLAGS = ("-Dmain=program_main", "-std=gnu11")


@dataclass(frozen=True)
class Called:
    """One call, both ways."""

    name: str
    output: bytes
    status: int
    run: Run


def driver_source(functions: Sequence[Function]) -> tuple[str, list[str]]:
    """A program that makes one of several calls, and the calls."""
    lines = [
        "#include <stdio.h>",
        "#include <stdlib.h>",
        "#include <stddef.h>",
        "#include <wchar.h>",
    ]
    lines += ["#include <stdbool.h>", "#undef main"]
    lines += sorted({f"struct {name};" for name in _structs(functions)})
    calls: list[str] = []
    body: list[str] = []
    for function in functions:
        name = "program_main" if function.name == "main" else function.name
        lines.append(function.prototype.replace(" main(", " program_main(") + ";")
        inputs = list(itertools.product(*(_values(p) for p in function.params)))
        for values in inputs[:: max(len(inputs) // _MOST_CALLS, 1)]:
            call = f"{name}({', '.join(values)})"
            body.append(f"  case {len(calls)}: {_shown(function, call)}; break;")
            calls.append(call)
    lines += ["int main(int argc, char **argv) {", "  switch (atoi(argv[1])) {", *body, "  }"]
    return "\n".join([*lines, "  return 0;", "}"]) + "\n", calls


def _shown(function: Function, call: str) -> str:
    words = function.result.replace("static", "").split()
    if "*" in function.result:
        return f'printf("%d\\n", {call} != NULL)'
    if any(word in _NUMBERS for word in words):
        return f'printf("%ld\\n", (long){call})'
    return call


def _structs(functions: Sequence[Function]) -> set[str]:
    texts = [f.result for f in functions] + [p.type for f in functions for p in f.params]
    words = [text.replace("*", " ").split() for text in texts]
    return {one[one.index("struct") + 1] for one in words if "struct" in one}


def _values(param: Param) -> tuple[str, ...]:
    kind = param.type.replace("const", "").replace(" ", "")
    if kind == "char*" and "const" in param.type:
        return _TEXTS
    if kind == "wchar_t*":
        return _WIDE_TEXTS
    if "*" in kind:
        return ("calloc(1, 4096)",)
    if kind in ("size_t", "unsigned", "unsignedint", "unsignedlong", "unsignedchar"):
        return _NATURALS
    return _INTS


def call_both_ways(
    files: Sequence[Path], functions: Sequence[Function], work: Path, models: Models
) -> list[Called]:
    """Every call, compiled and executed."""
    driver = work / "driver.c"
    text, calls = driver_source(functions)
    driver.write_text(text)
    program = work / "program"
    sources = [str(file) for file in (*files, driver)]
    command = ["gcc", "-w", "-O0", *_FLAGS, *sources, "-o", str(program), "-lm", "-pthread"]
    subprocess.run(command, check=True, capture_output=True)
    settings = FrontendSettings(use_cache=False, jobs=1)
    tables = load_program(find_inputs(sources, _FLAGS), settings).program
    assert tables is not None
    machine = Machine(tables, models)
    found = []
    for number, call in enumerate(calls):
        output, status = run_compiled(program, [str(number)], work)
        run = machine.run_main([b"program", str(number).encode()], most_steps=_MOST_STEPS)
        found.append(Called(call, output, status, run))
    return found


def run_compiled(program: Path, arguments: list[str], work: Path) -> tuple[bytes, int]:
    """What a compiled program prints, and its status as a shell sees it."""
    done = subprocess.run(
        [program, *arguments],
        env={"MALLOC_PERTURB_": "255", "PATH": "/usr/bin:/bin", "LC_ALL": "C"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=20,
        cwd=work,
    )
    return done.stdout, done.returncode if done.returncode >= 0 else 128 - done.returncode
