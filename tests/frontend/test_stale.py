"""Results are kept only while all that they depend on stays; odd flags and databases are read right."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from heapflow.frontend.compiler import compile_unit, find_compiler
from heapflow.frontend.inputs import find_inputs
from heapflow.frontend.load import FrontendSettings, Loaded, load_program
from heapflow.frontend.manifest import manifest_key
from heapflow.frontend.units import SourceUnit

from .conftest import Heapflow, Write
from .test_load import settle, text

USES = "#include <size.h>\nint f(void) { return SIZE; }\n"


def load(*flags: str) -> Loaded:
    return load_program(find_inputs(["a.c"], flags), FrontendSettings(jobs=1))


def test_a_header_that_comes_first_by_idirafter(write: Write) -> None:
    write("a.c", USES)
    write("two/size.h", "#define SIZE 2\n")
    write("one/other.h", "")
    settle()
    flags = ("-idirafter", "one", "-idirafter", "two")
    before = load(*flags)
    assert load(*flags).from_cache == 1
    write("one/size.h", "#define SIZE 1\n")
    settle()
    after = load(*flags)
    assert after.from_cache == 0
    assert text(after) != text(before)


@pytest.mark.parametrize(
    ("variable", "flag"), [("CPATH", "-isystem"), ("C_INCLUDE_PATH", "-idirafter")]
)
def test_a_header_that_comes_first_by_the_environment(
    write: Write, here: Path, monkeypatch: pytest.MonkeyPatch, variable: str, flag: str
) -> None:
    write("a.c", USES)
    write("two/size.h", "#define SIZE 2\n")
    write("one/other.h", "")
    monkeypatch.setenv(variable, str(here / "one"))
    settle()
    load(flag, "two")
    assert load(flag, "two").from_cache == 1
    write("one/size.h", "#define SIZE 1\n")
    settle()
    assert load(flag, "two").from_cache == 0


def test_files_that_flags_name_are_not_listed_so_nothing_is_kept(write: Write, here: Path) -> None:
    write("a.c", '#include "size.h"\nint f(void) { return SIZE; }\n')
    write("x.h", "#define SIZE 2\n")

    def overlay(name: str) -> None:
        entry = {
            "name": str(here / "size.h"),
            "type": "file",
            "external-contents": str(here / name),
        }
        write("overlay", json.dumps({"version": 0, "roots": [entry]}))

    overlay("x.h")
    settle()
    before = load("-ivfsoverlay", "overlay")
    assert before.failures == ()
    write("y.h", "#define SIZE 3\n")
    overlay("y.h")
    settle()
    assert text(load("-ivfsoverlay", "overlay")) != text(before)


@pytest.mark.parametrize("name", ["CCC_OVERRIDE_OPTIONS", "C_INCLUDE_PATH", "GCC_EXEC_PREFIX"])
def test_what_the_driver_reads_from_the_environment_is_part_of_the_key(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    unit, compiler = SourceUnit("a.c", "/x"), find_compiler()
    monkeypatch.delenv(name, raising=False)
    before = manifest_key(unit, compiler, "")
    monkeypatch.setenv(name, "+-DX")
    assert manifest_key(unit, compiler, "") != before


def test_the_users_flags_and_the_builds_are_told_apart_in_the_key() -> None:
    compiler = find_compiler()
    build = SourceUnit("a.c", "/x", ("-fodd",))
    own = SourceUnit("a.c", "/x", own_flags=("-fodd",))
    assert manifest_key(build, compiler, "") != manifest_key(own, compiler, "")


def test_a_changed_default_configuration_is_another_compiler(tmp_path: Path) -> None:
    config, program = tmp_path / "clang.cfg", tmp_path / "clang"
    program.write_text(
        f"#!/bin/sh\necho 'clang version 16.0.1'\necho 'Configuration file: {config}'\n"
    )
    program.chmod(0o755)
    config.write_text("-DX=1\n")
    before = find_compiler(str(program)).fingerprint
    config.write_text("-DX=2\n")
    assert find_compiler(str(program)).fingerprint != before


def database(write: Write, *arguments: str, file: str = "a.c", mark: str = "") -> None:
    entry = {"directory": ".", "file": file, "arguments": ["cc", *arguments]}
    write("compile_commands.json", mark + json.dumps([entry]))


def test_flags_of_two_words(write: Write, here: Path) -> None:
    write("a.c", "int f(void) { return X; }\n")
    words = ["--serialize-diagnostics", "-DX=2", "-mthread-model", "-DX=3", "-DX=1"]
    database(write, *words, "-c", "a.c")
    (unit,) = find_inputs(["."]).units
    out = here / "out"
    out.mkdir()
    assert compile_unit(find_compiler(), unit, out).dropped_flags == ("-mthread-model -DX=3",)


def test_a_working_directory(write: Write) -> None:
    write("sub/a.c", '#include "x.h"\nint f(void) { return X; }\n')
    write("sub/inc/x.h", "#define X 1\n")
    database(write, "-working-directory", "sub", "-Iinc", "-c", "a.c", file="sub/a.c")
    loaded = load_program(find_inputs(["."]), FrontendSettings(jobs=1))
    assert loaded.failures == ()


@pytest.mark.parametrize("flag", [["-xc++"], ["-x", "c++"], ["-xc", "-xc++"]])
def test_a_language_that_is_joined_to_its_flag(write: Write, flag: list[str]) -> None:
    write("a.c", "int a;\n")
    write("b.c", "int b;\n")
    entries = [
        {"directory": ".", "file": "a.c", "arguments": ["cc", *flag, "-c", "a.c"]},
        {"directory": ".", "file": "b.c", "arguments": ["cc", "-c", "b.c", *flag]},
    ]
    write("compile_commands.json", json.dumps(entries))
    found = find_inputs(["."])
    assert [unit.source for unit in found.units] == ["b.c"]
    assert len(found.others) == 1


def test_a_byte_order_mark(write: Write) -> None:
    write("a.c", "int a;\n")
    database(write, "-c", "a.c", mark="\ufeff")
    assert len(find_inputs(["."]).units) == 1


def test_two_hundred_thousand_macros(write: Write) -> None:
    write("a.c", "int f(void) { return M199999; }\nchar *g(void) { return ODD; }\n")
    macros = [f"-DM{number}={number}" for number in range(200_000)]
    database(write, *macros, '-DODD="a \\"b\\" \\\\ c"', "-c", "a.c")
    loaded = load_program(find_inputs(["."]), FrontendSettings(jobs=1))
    assert loaded.failures == ()
    assert "199999" in text(loaded)


def test_a_missing_response_file_is_a_failure(write: Write, heapflow: Heapflow) -> None:
    write("a.c", "int f(void) { return 0; }\n")
    database(write, "@gone.rsp", "-c", "a.c")
    done = heapflow("check", ".")
    assert done.returncode == 3
    assert "a.c: error: the response file @gone.rsp cannot be read" in done.stderr
    done = heapflow("check", "a.c", "--", "@gone.rsp")
    assert done.returncode == 2
    assert "@gone.rsp cannot be read" in done.stderr


def test_a_source_that_is_edited_during_the_run_is_not_shown(write: Write, here: Path) -> None:
    path = write("a.c", "int f(void) { return 0; }\n")
    settle()
    inputs = find_inputs(["a.c"])
    for _ in range(2):  # compiled, and from the cache
        path.write_text("int f(void) { return 0; }\n")
        settle()
        loaded = load_program(inputs, FrontendSettings(jobs=1))
        path.write_text("/* a new first line */\nint f(void) { return 0; }\n")
        access = loaded.access(inputs, here)
        with pytest.raises(Exception, match="changed since it was compiled"):
            access.read(path)
        assert access.changed == {str(path)}


def _gone(path: Path) -> None:
    path.unlink()


def _fifo(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _directory(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _device(path: Path) -> None:
    path.unlink()
    path.symlink_to("/dev/zero")


@pytest.mark.parametrize("change", [_gone, _fifo, _directory])
@pytest.mark.parametrize("name", ["a.c", "part.h"])
def test_a_source_that_is_gone_by_the_end_is_told(
    write: Write, here: Path, name: str, change: Callable[[Path], None]
) -> None:
    write("part.h", "static void *get(void) { return __builtin_malloc(3); }\n")
    write("a.c", '#include "part.h"\nint f(void) { return get() != 0; }\n')
    settle()
    inputs = find_inputs(["a.c"])
    loaded = load_program(inputs, FrontendSettings(jobs=1))
    access = loaded.access(inputs, here)
    access.look_again([here / "a.c", here / "part.h"])
    assert not access.changed
    change(here / name)
    access.look_again([here / "a.c", here / "part.h"])
    assert access.changed == {str(here / name)}


def test_a_source_that_leads_away_by_the_end_is_told(write: Write, here: Path) -> None:
    path = write("a.c", "int f(void) { return 0; }\n")
    settle()
    inputs = find_inputs(["a.c"])
    access = load_program(inputs, FrontendSettings(jobs=1)).access(inputs, here)
    _device(path)
    access.look_again([path])
    assert access.changed | access.outside == {str(path)}
