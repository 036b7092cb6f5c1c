"""Builds of many shapes, recorded while they run with real compilers."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from heapflow.frontend.capture import capture_build, read_earlier, write_database
from heapflow.frontend.capture.entries import Captured
from heapflow.frontend.capture.records import parse_records
from heapflow.frontend.capture.tools import Tool, tool_of
from heapflow.frontend.inputs import find_inputs
from heapflow.support.errors import UserError

from .conftest import Heapflow, Write

pytestmark = pytest.mark.skipif(not shutil.which("gcc"), reason="builds with gcc")
MAIN = "int f(void); int main(void) { return f(); }\n"
FUNCTION = "int f(void) { return 0; }\n"


@pytest.fixture
def sources(write: Write) -> None:
    write("main.c", MAIN)
    write("f.c", FUNCTION)


def capture(script: str, *compilers: str, method: str = "auto") -> Captured:
    outcome = capture_build(["sh", "-ec", script], compilers, method)
    assert outcome.status == 0
    return outcome.captured


def files(captured: Captured) -> list[str]:
    return [entry["file"] for entry in captured.entries]


def targets(captured: Captured) -> dict[str, set[str]]:
    return {
        Path(target["output"]).name: {Path(name).name for name in target["files"]}
        for target in captured.targets
    }


METHODS = pytest.mark.parametrize("method", ["auto", "shims"])


@METHODS
@pytest.mark.usefixtures("sources")
class TestBothMethods:
    def test_compile_then_link(self, method: str) -> None:
        found = capture(
            "gcc -c -O2 -DX='a b' main.c; cc -c f.c -o g.o; gcc main.o g.o -o prog", method=method
        )
        assert files(found) == ["main.c", "f.c"]
        assert "-DX=a b" in found.entries[0]["arguments"]
        assert [entry["output"] for entry in found.entries] == ["main.o", "g.o"]
        assert targets(found) == {"prog": {"main.c", "f.c"}}

    def test_several_sources_in_one_command(self, method: str) -> None:
        found = capture("gcc -DX main.c f.c -o prog", method=method)
        assert files(found) == ["main.c", "f.c"]
        for entry in found.entries:
            assert [word for word in entry["arguments"] if word.endswith(".c")] == [entry["file"]]
        assert targets(found) == {"prog": {"main.c", "f.c"}}

    def test_archives_and_libraries(self, method: str) -> None:
        found = capture(
            "gcc -c main.c f.c; ar rcs libf.a f.o; ranlib libf.a; gcc main.o -L. -lf -o one;"
            "gcc -shared -fPIC f.c -o libg.so; gcc main.o ./libg.so -o two;"
            "ld -r main.o f.o -o both.o; gcc both.o -o three",
            method=method,
        )
        everything = {"main.c", "f.c"}
        assert targets(found) == {
            "one": everything,
            "libg.so": {"f.c"},
            "two": everything,
            "three": everything,
        }

    def test_response_files_that_are_deleted(self, method: str) -> None:
        found = capture("echo '-c f.c -DY' > args; gcc @args; rm args", method=method)
        assert files(found) == ["f.c"]
        assert "-DY" in found.entries[0]["arguments"]

    def test_versions_and_cross_names(self, method: str) -> None:
        name = next((n for n in ("gcc-12", "gcc-13", "gcc-14") if shutil.which(n)), None)
        if name is None:
            pytest.skip("no versioned compiler")
        assert files(capture(f"{name} -c f.c", method=method)) == ["f.c"]


@pytest.mark.usefixtures("sources")
class TestPreloading:
    def test_absolute_paths(self) -> None:
        compiler = shutil.which("gcc")
        assert files(capture(f"{compiler} -c f.c")) == ["f.c"]

    def test_what_makes_no_code_is_not_recorded(self) -> None:
        found = capture(
            "gcc -E f.c; gcc -M f.c; gcc -fsyntax-only f.c; gcc --version; gcc -dumpmachine;"
            "echo 'int x;' | gcc -x c -c - -o x.o; echo nop > s.s; gcc -c s.s"
        )
        assert found.entries == []
        assert found.from_stdin == 1

    def test_probes_are_left_out(self, write: Write) -> None:
        found = capture(
            "echo 'int main(){}' > conftest.c; gcc conftest.c -o conftest; rm conftest.c;"
            "cp f.c gone.c; gcc -c gone.c; rm gone.c; gcc -c f.c"
        )
        assert files(found) == ["f.c"]
        assert [Path(name).name for name in found.vanished] == ["gone.c"]
        assert found.targets == []

    def test_assembly_on_the_way(self) -> None:
        assert files(capture("gcc -S f.c; gcc -c f.s")) == ["f.c"]

    def test_directories(self, write: Write, here: Path) -> None:
        write("sub/x.c", FUNCTION)
        found = capture("cd sub && gcc -c x.c -I ../inc")
        assert found.entries[0]["directory"] == str(here / "sub")

    def test_a_wrapper_adds_flags(self, write: Write, here: Path) -> None:
        write("mycc", '#!/bin/sh\nexec gcc -DWRAPPED "$@"\n').chmod(0o755)
        found = capture("./mycc -c f.c", "mycc")
        assert len(found.entries) == 1
        assert "-DWRAPPED" in found.entries[0]["arguments"]

    def test_a_compiler_cache_that_does_not_compile(self, write: Write) -> None:
        write("bin/ccache", "#!/bin/sh\n: > f.o\n").chmod(0o755)
        found = capture("PATH=$PWD/bin:$PATH; ccache gcc -c f.c")
        assert files(found) == ["f.c"]
        assert Path(found.entries[0]["arguments"][0]).name == "gcc"

    def test_a_compiler_cache_that_compiles(self, write: Write) -> None:
        write(
            "bin/ccache",
            "#!/bin/sh\ngcc -E f.c > tmp.i; gcc -c -x cpp-output tmp.i -o f.o; rm tmp.i\n",
        ).chmod(0o755)
        assert files(capture("PATH=$PWD/bin:$PATH; ccache gcc -c f.c -o f.o")) == ["f.c"]

    def test_cc_names_a_compiler(self, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
        write("odd", '#!/bin/sh\nexec gcc "$@"\n').chmod(0o755)
        monkeypatch.setenv("CC", "ccache ./odd -m64")
        assert files(capture("./odd -c f.c")) == ["f.c"]

    def test_search_paths_of_the_environment(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("CPATH", "/x/inc")
        assert "-I/x/inc" in capture("gcc -c f.c").entries[0]["arguments"]

    def test_recompiled_objects_are_told_apart(self, here: Path) -> None:
        found = capture(
            "gcc -c main.c; gcc -DONE -c f.c; gcc main.o f.o -o one;"
            "gcc -DTWO -c f.c; gcc main.o f.o -o two"
        )
        write_database(found, here / "compile_commands.json")
        units = {unit.flags: unit.targets for unit in find_inputs(["."]).units}
        assert units == {
            (): (str(here / "one"), str(here / "two")),
            ("-DONE",): (str(here / "one"),),
            ("-DTWO",): (str(here / "two"),),
        }

    def test_the_same_call_for_two_objects_keeps_all_targets(self, here: Path) -> None:
        found = capture(
            "gcc -c f.c -o one.o; gcc -c main.c; gcc main.o one.o -o prog; gcc -c f.c -o two.o"
        )
        write_database(found, here / "compile_commands.json")
        units = {unit.source: unit.targets for unit in find_inputs(["."]).units}
        assert units == {"f.c": (str(here / "prog"),), "main.c": (str(here / "prog"),)}

    def test_libtool_style(self) -> None:
        found = capture(
            "mkdir .libs; gcc -fPIC -c f.c -o .libs/f.o; gcc -c f.c -o f.o;"
            "gcc -shared .libs/f.o -Wl,-soname -Wl,libf.so.1 -o .libs/libf.so.1.0;"
            "(cd .libs && ln -s libf.so.1.0 libf.so.1 && ln -s libf.so.1.0 libf.so);"
            "ar cru .libs/libf.a f.o; gcc -c main.c; gcc -o .libs/prog main.o .libs/libf.so"
        )
        assert len(found.entries) == 3
        assert targets(found) == {"libf.so.1.0": {"f.c"}, "prog": {"main.c", "f.c"}}

    def test_objects_that_move(self) -> None:
        found = capture(
            "mkdir o lax; gcc -c f.c main.c; mv f.o o/; cp main.o o/m.o; ar cr libf.a o/f.o;"
            "cd lax; ar x ../libf.a; cd ..; ar cr libg.a lax/f.o; gcc o/m.o libg.a -o prog"
        )
        assert targets(found) == {"prog": {"main.c", "f.c"}}

    def test_parallel_make_records_every_file(self, write: Write) -> None:
        count = 60
        for number in range(count):
            write(f"src/u{number}.c", f"int u{number}(void) {{ return {number}; }}\n")
        objects = " ".join(f"src/u{number}.o" for number in range(count))
        write("Makefile", f"lib.a: {objects}\n\tar rc $@ $^\n%.o: %.c\n\t$(CC) -c -o $@ $<\n")
        found = capture("make -s -j8")
        assert sorted(files(found)) == sorted(f"src/u{number}.c" for number in range(count))

    def test_a_static_compiler_is_caught_by_a_shim(self, here: Path, write: Write) -> None:
        import ziglang

        zig = Path(ziglang.__file__).parent / "zig"
        (here / "bin").mkdir()
        (here / "bin" / "zig").symlink_to(zig)
        old = os.environ["PATH"]
        os.environ["PATH"] = f"{here / 'bin'}:{old}"
        try:
            found = capture("zig cc -c f.c -DZ")
        finally:
            os.environ["PATH"] = old
        assert files(found) == ["f.c"]
        assert "-DZ" in found.entries[0]["arguments"]


@METHODS
def test_the_build_is_not_changed(write: Write, here: Path, method: str) -> None:
    write("warn.c", "int f(void) { int unused; }\n")
    write("bad.c", "int f(void) { return }\n")
    build = "gcc -Wall -c warn.c; echo out; gcc -c bad.c; gcc nofile.c; exit 7"
    plain = subprocess.run(["sh", "-c", build], capture_output=True, check=False)
    output = (here / "warn.o").read_bytes()
    command = [sys.executable, "-m", "heapflow", "capture", "-q", "--method", method, "--"]
    seen = subprocess.run([*command, "sh", "-c", build], capture_output=True, check=False)
    assert (seen.returncode, seen.stdout, seen.stderr) == (7, plain.stdout, plain.stderr)
    assert (here / "warn.o").read_bytes() == output


def test_a_build_that_is_killed(heapflow: Heapflow) -> None:
    assert heapflow("capture", "--", "sh", "-c", "kill -TERM $$").returncode == 128 + 15


def test_nothing_compiled_leaves_the_database(heapflow: Heapflow, write: Write) -> None:
    write("compile_commands.json", "[]\n")
    run = heapflow("capture", "--", "true")
    assert run.returncode == 0
    assert "compiled no C file" in run.stderr
    assert Path("compile_commands.json").read_text() == "[]\n"


@pytest.mark.usefixtures("sources")
def test_a_partial_build_keeps_what_it_does_not_compile(heapflow: Heapflow, here: Path) -> None:
    heapflow("capture", "--", "sh", "-c", "gcc -c main.c f.c; gcc main.o f.o -o prog")
    run = heapflow("capture", "--", "sh", "-c", "gcc -DNEW -c f.c; exit 2")
    assert run.returncode == 2
    assert "main.c: not compiled now, kept from an earlier capture" in run.stderr
    assert "the build ended with status 2" in run.stderr
    entries: list[dict[str, Any]] = json.loads((here / "compile_commands.json").read_text())
    assert sorted(entry["file"] for entry in entries) == ["f.c", "main.c"]
    for unit in find_inputs(["."]).units:
        assert unit.targets == (str(here / "prog"),)


@pytest.mark.usefixtures("sources")
def test_fresh_and_files_that_are_gone(heapflow: Heapflow, here: Path) -> None:
    def recorded() -> list[str]:
        entries = json.loads((here / "compile_commands.json").read_text())
        return sorted(entry["file"] for entry in entries)

    heapflow("capture", "--", "sh", "-c", "gcc -c main.c f.c")
    (here / "main.c").unlink()
    assert "main.c" not in heapflow("capture", "--", "gcc", "-c", "f.c").stderr
    assert recorded() == ["f.c"]
    (here / "main.c").write_text(MAIN)
    heapflow("capture", "--fresh", "--", "gcc", "-c", "main.c")
    assert recorded() == ["main.c"]


def test_a_damaged_database_is_told_before_the_build(heapflow: Heapflow, write: Write) -> None:
    write("compile_commands.json", "{")
    run = heapflow("capture", "--", "touch", "built")
    assert run.returncode == 2
    assert "--fresh" in run.stderr
    assert not Path("built").exists()
    assert heapflow("capture", "--fresh", "--", "touch", "built").returncode == 0


@pytest.mark.usefixtures("sources")
def test_captured_programs_are_read(heapflow: Heapflow) -> None:
    heapflow("capture", "--", "gcc", "main.c", "f.c", "-o", "prog")
    run = heapflow("dump", "program", "--stats", ".")
    assert run.returncode == 0
    assert run.stdout.splitlines()[0].split() == ["modules", "2"]


@pytest.mark.parametrize(
    ("name", "tool"),
    [
        ("/usr/bin/gcc", Tool.COMPILER),
        ("gcc-12", Tool.COMPILER),
        ("arm-none-eabi-gcc-10.2.1", Tool.COMPILER),
        ("c99", Tool.COMPILER),
        ("x86_64-linux-gnu-ar", Tool.ARCHIVER),
        ("ld.gold", Tool.LINKER),
        ("g++", Tool.CXX),
        ("cc1", None),
        ("gcc-nm", None),
        ("collect2", None),
        ("accent", None),
    ],
)
def test_names_of_tools(name: str, tool: Tool | None) -> None:
    assert tool_of(name) is tool


def test_damaged_records_cost_themselves() -> None:
    def record(*fields: str) -> bytes:
        body = "\0".join((*fields, "")).encode()
        return b"HFR1" + f"{len(body):08x}".encode() + body

    good = record("5", "10.1 9.1", "/d", "/usr/bin/gcc", "", "", "0000003", "gcc", "-c", "a.c")
    data = good[:20] + good + b"HFR1zzzzzzzz" + good + good[:-4]
    assert [one.arguments for one in parse_records(data)] == [("-c", "a.c")] * 2


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[" * 100_000,
        "[]",
        '{"targets": 5}',
        '{"targets": [{"name": "x"}]}',
        '{"units": []}',
        '{"units": {"x": 5}}',
        '{"archived": [5]}',
    ],
)
def test_links_that_cannot_be_added_to(write: Write, text: str) -> None:
    place = write("compile_commands.json", "[]")
    write("heapflow-links.json", text)
    with pytest.raises(UserError, match="cannot be added to"):
        read_earlier(place)


def test_a_pipe_is_no_database(here: Path) -> None:
    os.mkfifo(here / "compile_commands.json")
    with pytest.raises(UserError, match="not a regular file"):
        read_earlier(here / "compile_commands.json")
