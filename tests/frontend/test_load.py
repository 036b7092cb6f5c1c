"""From files to one program: caching, failures, and the same result however it is reached."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from heapflow.frontend.dump import dump_program
from heapflow.frontend.inputs import find_inputs
from heapflow.frontend.load import FrontendSettings, Loaded, load_program
from heapflow.ir.kinds import GlobalFlag, Linkage

from .conftest import Write

A = '#include "size.h"\nint *get(void);\nint main(void) { return get()[SIZE - 1]; }\n'
B = '#include <stdlib.h>\n#include "size.h"\nint *get(void) { return malloc(SIZE); }\n'


def load(*names: str, jobs: int = 1, use_cache: bool = True, flags: tuple[str, ...] = ()) -> Loaded:
    settings = FrontendSettings(jobs=jobs, use_cache=use_cache)
    return load_program(find_inputs(names, flags), settings)


def text(loaded: Loaded) -> str:
    assert loaded.program is not None
    return dump_program(loaded.program)


@pytest.fixture
def sources(write: Write) -> None:
    write("size.h", "#define SIZE 8\n")
    write("a.c", A)
    write("b.c", B)
    settle()


def settle() -> None:
    """A result made from files that are newer than the start of the compiler is not cached."""
    time.sleep(0.02)


@pytest.mark.usefixtures("sources")
class TestCaching:
    def test_second_run_compiles_nothing(self) -> None:
        first, second = load("a.c", "b.c"), load("a.c", "b.c")
        assert (first.from_cache, second.from_cache) == (0, 2)
        assert second.costs.compiler == 0.0
        assert text(first) == text(second)

    def test_without_the_cache(self, own_cache: Path) -> None:
        assert load("a.c", "b.c", use_cache=False).from_cache == 0
        assert not list(own_cache.rglob("*"))

    def test_a_changed_source_is_compiled_again(self, write: Write) -> None:
        load("a.c", "b.c")
        write("b.c", B.replace("SIZE);", "SIZE + 1);"))
        settle()
        assert load("a.c", "b.c").from_cache == 1

    def test_a_changed_header_is_seen(self, write: Write) -> None:
        before = load("a.c", "b.c")
        write("size.h", "#define SIZE 9\n")
        settle()
        after = load("a.c", "b.c")
        assert after.from_cache == 0
        assert text(after) != text(before)

    def test_going_back_finds_the_old_result(self, write: Write) -> None:
        for size in (8, 9, 8, 9):
            write("size.h", f"#define SIZE {size}\n")
            settle()
            found = load("a.c", "b.c")
        assert found.from_cache == 2

    def test_same_content_with_a_new_time_counts_as_unchanged(self, here: Path) -> None:
        load("a.c", "b.c")
        os.utime(here / "size.h", (1, 1))
        assert load("a.c", "b.c").from_cache == 2

    def test_same_size_and_time_with_new_content_is_seen(self, here: Path, write: Write) -> None:
        os.utime(here / "size.h", (1, 1))
        settle()
        load("a.c", "b.c")
        write("size.h", "#define SIZE 7\n")
        os.utime(here / "size.h", (1, 1))
        settle()
        assert load("a.c", "b.c").from_cache == 0

    def test_flags_are_part_of_the_key(self) -> None:
        load("a.c", "b.c")
        assert load("a.c", "b.c", flags=("-DX",)).from_cache == 0

    def test_a_header_that_comes_first_now(self, write: Write) -> None:
        write("late/n.h", "#define N 1\n")
        write("early/other.h", "")
        write("c.c", "#include <n.h>\nint n = N;\n")
        settle()
        flags = ("-Iearly", "-Ilate")
        before = load("c.c", flags=flags)
        assert load("c.c", flags=flags).from_cache == 1
        write("early/n.h", "#define N 2\n")
        settle()
        after = load("c.c", flags=flags)
        assert after.from_cache == 0
        assert text(before) != text(after)

    @pytest.mark.parametrize("kind", ["unit", "linked", "manifest"])
    def test_damaged_entries_are_made_again(self, own_cache: Path, kind: str) -> None:
        before = text(load("a.c", "b.c"))
        for entry in own_cache.glob(f"v1/{kind}/*/*"):
            entry.write_bytes(entry.read_bytes()[:-5])
        for entry in own_cache.glob("v1/linked/*/*") if kind == "unit" else ():
            entry.unlink()
        assert text(load("a.c", "b.c")) == before

    def test_a_killed_run_leaves_the_cache_whole(self, own_cache: Path) -> None:
        run = subprocess.Popen(
            [sys.executable, "-m", "heapflow", "dump", "program", "a.c", "b.c"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        time.sleep(0.4)
        os.killpg(run.pid, 9)
        run.wait()
        assert text(load("a.c", "b.c")) == text(load("a.c", "b.c", use_cache=False))


@pytest.mark.usefixtures("sources")
def test_the_number_of_processes_changes_nothing(write: Write) -> None:
    names = [f"f{number}.c" for number in range(12)]
    for number, name in enumerate(names):
        write(name, f"int f{number}(int x) {{ return x + {number}; }}\n")
    found = {text(load(*names, jobs=jobs, use_cache=False)) for jobs in (1, 2, 5)}
    assert len(found) == 1


@pytest.mark.usefixtures("sources")
def test_a_broken_file_costs_itself_only(write: Write) -> None:
    write("broken.c", "int f(void) { return }\n")
    found = load("a.c", "broken.c", "b.c")
    (failure,) = found.failures
    assert failure.error == "broken.c:1:22: error: expected expression"
    assert found.program is not None
    assert len(found.program.modules) == 2


def test_a_file_of_a_subdirectory_knows_its_path(here: Path, write: Write) -> None:
    write("sub/a.c", "int main(void) { return 0; }\n")
    (here / "compile_commands.json").write_text(
        f'[{{"directory": "{here / "sub"}", "file": "a.c", "command": "cc -c a.c"}}]'
    )
    program = load(".").program
    assert program is not None
    assert program.strings[program.modules.source[0]] == "sub/a.c"


def test_bitcode_is_read_and_cached(here: Path, write: Write) -> None:
    write(
        "m.ll",
        'target triple = "x86_64-linux-gnu"\ndefine i32 @f() {\n  ret i32 4\n}\n',
    )
    settle()
    first = load("m.ll")
    assert "ret 4" in text(first)
    assert load("m.ll").from_cache == 1


def test_dropped_flags_are_counted(write: Write) -> None:
    write("a.c", "int a;\n")
    write("b.c", "int b;\n")
    settle()
    for _ in range(2):  # the second time from the cache
        found = load("a.c", "b.c", flags=("-fno-ipa-sra", "-O2"))
        assert found.dropped_flags == (("-fno-ipa-sra", 2),)


def test_kr_c_and_implicit_declarations_compile(write: Write) -> None:
    write("old.c", "f(a, b) char *b; { return g(a, b) + h; }\nint h;\n".replace("+ h", ""))
    assert not load("old.c").failures


@pytest.mark.parametrize(
    ("flags", "linkage"), [((), Linkage.EXTERNAL), (("-fcommon",), Linkage.COMMON)]
)
def test_variables_without_initialiser_are_told_apart(
    write: Write, flags: tuple[str, ...], linkage: Linkage
) -> None:
    write(
        "a.c",
        "int open; int given = 0; static int own; int f(void) { return open + given + own; }\n",
    )
    program = load("a.c", flags=flags).program
    assert program is not None
    table = program.globals
    rows = {program.global_name(row): row for row in range(len(table))}
    tentative = {name for name, row in rows.items() if int(table.flags[row]) & GlobalFlag.TENTATIVE}
    assert tentative == {"open"}
    assert table.linkage[rows["open"]] == linkage
    assert table.linkage[rows["given"]] == Linkage.EXTERNAL
