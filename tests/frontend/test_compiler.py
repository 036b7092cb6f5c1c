"""Which clang is taken, and what it is told."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from heapflow.frontend import compiler
from heapflow.frontend.compiler import (
    CompileFailure,
    compile_unit,
    dependencies_of,
    find_compiler,
    zig_path,
)
from heapflow.frontend.units import SourceUnit
from heapflow.support.errors import UserError


def fake_clang(place: Path, version: str) -> Path:
    place.mkdir(exist_ok=True)
    program = place / "clang"
    program.write_text(f"#!/bin/sh\necho 'Some clang version {version} (x)'\n")
    program.chmod(0o755)
    return program


@pytest.mark.parametrize(
    ("version", "taken"), [("14.0.6", False), ("15.0.7", True), ("99.1", False)]
)
def test_clang_on_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, taken: bool
) -> None:
    program = fake_clang(tmp_path / "bin", version)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    found = find_compiler()
    assert (found.path == str(program)) is taken
    assert taken or Path(found.path).name == "zig"


def test_clang_that_was_asked_for(tmp_path: Path) -> None:
    program = fake_clang(tmp_path, "16.0.1")
    assert find_compiler(str(program)).path == str(program)
    with pytest.raises(UserError, match="not a clang from 15"):
        find_compiler(str(fake_clang(tmp_path / "old", "3.8")))


def test_replacing_a_compiler_changes_its_fingerprint(tmp_path: Path) -> None:
    before = find_compiler(str(fake_clang(tmp_path, "16.0.1")))
    program = fake_clang(tmp_path, "16.0.1")
    program.write_text(program.read_text() + "# rebuilt\n")
    assert find_compiler(str(program)).fingerprint != before.fingerprint


def test_headers_on_a_system_without_any(tmp_path: Path) -> None:
    zig = zig_path()
    assert zig is not None
    headers = compiler._libc_headers(zig.parent / "lib", tmp_path)
    plain = compiler._zig_clang()
    bare = replace(plain, command=(*plain.command, "-nostdlibinc", *headers))
    includes = "stdio.h stdlib.h pthread.h sys/socket.h linux/types.h stdatomic.h".split()
    (tmp_path / "a.c").write_text("".join(f"#include <{name}>\n" for name in includes))
    made = compile_unit(bare, SourceUnit("a.c", str(tmp_path)), tmp_path)
    assert not any(name.startswith("/usr/include") for name in made.dependencies)


def test_errors_name_the_file_that_was_compiled(tmp_path: Path) -> None:
    (tmp_path / "a.h").write_text("int x\n")
    (tmp_path / "a.c").write_text('#include "a.h"\nint f(void) { return 0; }\n')
    with pytest.raises(CompileFailure, match=r"error: expected ';'.*a\.c includes"):
        compile_unit(compiler._zig_clang(), SourceUnit("a.c", str(tmp_path)), tmp_path)


def test_dependencies_with_odd_names() -> None:
    text = "unit: a.c \\\n  dir/with\\ space.h \\\n  cash$$.h hash\\#.h\n"
    assert dependencies_of(text) == ["a.c", "dir/with space.h", "cash$.h", "hash#.h"]


def test_a_slow_compiler_is_stopped(tmp_path: Path) -> None:
    program = tmp_path / "clang"
    program.write_text("#!/bin/sh\nexec sleep 30\n")
    program.chmod(0o755)
    slow = replace(compiler._zig_clang(), command=(str(program),), seconds=1.0)
    (tmp_path / "a.c").write_text("int a;\n")
    with pytest.raises(CompileFailure, match="took longer than 1 s"):
        compile_unit(slow, SourceUnit("a.c", str(tmp_path)), tmp_path)
