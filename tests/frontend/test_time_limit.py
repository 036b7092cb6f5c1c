"""A compiler that does not end is ended, and costs the one file that it does not end with."""

from __future__ import annotations

import os
import shlex
import time
from pathlib import Path

import pytest

from heapflow.frontend.compiler import find_compiler
from heapflow.frontend.inputs import Search, find_inputs
from heapflow.frontend.load import FrontendSettings, load_program

from .conftest import Write

# What works is running and what waits is asleep: both are ended, by bounds of their own.
ENDLESS = "while :; do :; done"


@pytest.mark.parametrize("search", [Search.NONE, Search.BUILDLESS])
def test_a_compiler_that_goes_on_for_ever(write: Write, here: Path, search: Search) -> None:
    real = shlex.join(find_compiler().command)
    stand_in = write(
        "bin/clang",
        '#!/bin/sh\ncase "$*" in\n--version) echo "clang version 20.1.0";;\n'
        f'*slow.c*) echo $$ > "{here}/pid"; {ENDLESS};;\n*) exec {real} "$@";;\nesac\n',
    )
    stand_in.chmod(0o755)
    write("slow.c", "int slow(void) { return 1; }\n")
    write("fast.c", "int fast(void) { return 2; }\n")
    settings = FrontendSettings(clang=str(stand_in), jobs=2, use_cache=False, compiler_seconds=1.5)
    started = time.monotonic()
    loaded = load_program(find_inputs(["slow.c", "fast.c"], search=search), settings)
    assert time.monotonic() - started < 60
    assert [(one.name, one.error) for one in loaded.failures] == [
        ("slow.c", "slow.c: error: the compiler took longer than 1.5 s")
    ]
    assert loaded.program is not None
    names = map(loaded.program.func_name, range(len(loaded.program.functions)))
    assert "fast" in names
    with pytest.raises(ProcessLookupError):
        os.kill(int((here / "pid").read_text()), 0)
