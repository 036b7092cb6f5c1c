"""A compile database loads no code into the compiler and makes it write no file."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from heapflow.frontend.compiler import _clang_at, zig_path
from heapflow.frontend.flags import translate_flags
from tests.security.conftest import LEAK, Heapflow

# Each was tried with a system clang: they load code or write files.
DANGEROUS = [
    ["-fpass-plugin=plug.so"],
    ["-fplugin=plug.so"],
    ["-Xclang", "-load", "-Xclang", "plug.so"],
    ["-Xpreprocessor", "-load", "-Xpreprocessor", "plug.so"],
    ["-mllvm", "-load=plug.so"],
    ["--config=cfg"],
    ["--config", "cfg"],
    ["@rsp"],
    ["-D@rsp"],
    ["-I", "@rsp"],
    ["-isystem@rsp"],
    ["-iprefix", "@rsp"],
    ["-Wp,-D@rsp"],
    ["-B."],
    ["-ftime-trace=out"],
    ["-foptimization-record-file=out", "-fsave-optimization-record"],
    ["-Xclang", "-dependency-dot", "-Xclang", "out"],
    ["-mllvm", "-info-output-file=out", "-mllvm", "-stats"],
    ["-fmodules", "-fmodules-cache-path=out"],
    ["--serialize-diagnostics", "out"],
    ["-serialize-diagnostics", "out"],
    ["--save-temps"],
    ["-save-temps=cwd"],
    ["-fproc-stat-report=out"],
    ["-Xclang", "-header-include-file", "-Xclang", "out", "-H"],
    ["-MJout"],
    ["-fcrash-diagnostics-dir=out"],
    ["-include-pch", "out"],
    ["-ivfsoverlay", "out"],
    ["-index-store-path", "out"],
    ["-module-dependency-dir", "out"],
    ["--", "-fpass-plugin=plug.so"],
    ["-fflag-of-the-future=out"],
]
WORDS = ("plug.so", "out", "cfg", "rsp", "temps", "module")


def write_database(here: Path, flags: list[str], file: str = "leak.c") -> None:
    entry = {"directory": str(here), "file": file, "arguments": ["cc", *flags, "-c", file]}
    (here / "compile_commands.json").write_text(json.dumps([entry]))


def recorder(here: Path) -> Path:
    """A clang that notes what it is given."""
    program = here.parent / "clang"
    program.write_text(
        f"#!/bin/sh\n[ \"$1\" = --version ] && exec echo 'clang version 20.1.2'\n"
        f"printf '%s\\n' \"$@\" >> {here.parent}/given\n"
        f"{{ pwd; ls; }} >> {here.parent}/where\nexec {zig_path()} clang "
        f'-target x86_64-linux-gnu -resource-dir {zig_path().parent}/lib "$@"\n'  # type: ignore[union-attr]
    )
    program.chmod(0o755)
    return program


def test_dangerous_flags_do_not_reach_the_compiler(here: Path, heapflow: Heapflow) -> None:
    (here / "rsp").write_text("-fpass-plugin=plug.so")
    entries = []
    for number, flags in enumerate(DANGEROUS):
        file = f"a{number}.c"
        (here / file).write_text(LEAK.replace("f(int", f"f{number}(int"))
        arguments = ["cc", *flags, "-c", file]
        entries.append({"directory": str(here), "file": file, "arguments": arguments})
    (here / "compile_commands.json").write_text(json.dumps(entries))
    before = sorted(here.iterdir())
    done = heapflow("check", ".", "--clang", str(recorder(here)), "--format", "json")
    assert len(json.loads(done.stdout)["findings"]) == len(DANGEROUS), done.stderr
    given = (here.parent / "given").read_text().splitlines()
    assert given.count("-emit-llvm") == len(DANGEROUS)
    assert not [word for word in given if any(bad in word for bad in WORDS)]
    assert sorted(here.iterdir()) == before


def test_the_compiler_runs_in_an_empty_directory_of_ours(here: Path, heapflow: Heapflow) -> None:
    (here / "sub").mkdir()
    (here / "sub" / "part.h").write_text("#define SIZE 3\n")
    (here / "leak.c").write_text(f'#include "part.h"\n{LEAK}')
    write_database(here, ["-Isub"])
    done = heapflow("check", ".", "--clang", str(recorder(here)))
    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith("leak.c:"), "names are relative to the build's directory"
    where = (here.parent / "where").read_text().splitlines()
    assert len(where) == 1, "the directory, and nothing in it"
    assert not where[0].startswith(str(here))


def test_a_compiler_that_is_named_from_here(here: Path, heapflow: Heapflow) -> None:
    done = heapflow("check", "leak.c", "--clang", f"../{recorder(here).name}")
    assert done.returncode == 1, done.stderr


def test_what_was_left_out_is_counted(here: Path, heapflow: Heapflow) -> None:
    write_database(here, ["-fpass-plugin=plug.so", "-DX"])
    done = heapflow("check", ".")
    assert "were left out (1): -fpass-plugin=plug.so" in done.stderr
    listed = heapflow("check", ".", "--verbose").stderr
    assert "    1 file  -fpass-plugin=plug.so\n" in listed


@pytest.mark.parametrize("name", ["-fpass-plugin=x.c", "-.c", "sub/-x.c"])
def test_a_files_name_is_no_flag(here: Path, heapflow: Heapflow, name: str) -> None:
    (here / name).parent.mkdir(exist_ok=True)
    (here / name).write_text(LEAK)
    write_database(here, [], name)
    done = heapflow("check", ".")
    assert done.returncode == 1, done.stderr


@pytest.mark.parametrize("name", ["@evil.c", "./@evil.c", "sub/@evil.c"])
def test_a_file_that_clang_takes_for_flags_is_not_compiled(
    here: Path, heapflow: Heapflow, name: str
) -> None:
    (here / "sub").mkdir()
    (here / name).write_text(LEAK)
    (here / "evil.c").write_text("X -load plug.so")
    write_database(here, [], name)
    done = heapflow("check", ".", "--clang", str(recorder(here)))
    assert done.returncode == 3
    assert not (here.parent / "given").exists()
    assert "begins with @" in heapflow("check", name).stderr


def test_flags_that_the_user_types_are_the_users_own(here: Path, heapflow: Heapflow) -> None:
    clang = str(recorder(here))
    heapflow("check", "leak.c", "--clang", clang, "--", "-Xclang", "-fno-odd", "-fpass-plugin=p.so")
    given = (here.parent / "given").read_text().splitlines()
    assert "-fpass-plugin=p.so" in given
    assert "-fno-odd" in given


def test_flags_that_decide_what_the_program_means_stay() -> None:
    flags = (
        "-Iinc -I inc2 -DX=@y -D Y=1 -UZ -include a.h -imacros m.h -isystem s -iquote q -idirafter d "
        "-nostdinc -std=gnu11 -ansi --target=arm-linux-gnueabi -target x86_64-linux-gnu -m32 "
        "-march=armv7-a+fp -mfloat-abi=hard -mno-sse -mcmodel=kernel --sysroot=/x -fshort-enums "
        "-funsigned-char -fno-common -fno-builtin-malloc -fms-extensions -fwrapv -ffreestanding -fPIC "
        "-pthread -mregparm=3 -mpreferred-stack-boundary=3 -fpack-struct=2 -fno-strict-aliasing"
    ).split()
    assert translate_flags(flags) == translate_flags(flags, own=True)
    assert translate_flags(flags).kept == tuple(flags)


def fitting_clang() -> str | None:
    names = ["clang", *(f"clang-{number}" for number in range(15, 23))]
    paths = filter(None, map(shutil.which, names))
    return next((path for path in paths if _clang_at(path)), None)


@pytest.mark.skipif(fitting_clang() is None, reason="the clang of ziglang loads no plugins")
@pytest.mark.parametrize(
    "flags", [["-Xclang", "-load", "-Xclang", "plug.so"], ["-D@rsp"], ["@rsp"]]
)
def test_no_code_of_the_tree_runs(here: Path, heapflow: Heapflow, flags: list[str]) -> None:
    """The real attack, where there is a clang that can be attacked."""
    mark, library = here.parent / "ran", here.parent / "plug.so"
    (here / "plug.c").write_text(
        "#include <stdio.h>\n__attribute__((constructor)) static void x(void) "
        f'{{ FILE *f = fopen("{mark}", "w"); if (f) fclose(f); }}\n'
    )
    call = [str(zig_path()), "cc", "-shared", "-fPIC", "-o", str(library), str(here / "plug.c")]
    subprocess.run(call, check=True, env={**os.environ, "HOME": str(here.parent)})
    (here / "rsp").write_text(f"X -load {library}")
    write_database(here, [flag.replace("plug.so", str(library)) for flag in flags])
    clang = fitting_clang()
    assert clang is not None
    assert heapflow("check", ".", "--clang", clang).returncode == 1
    assert not mark.exists()
