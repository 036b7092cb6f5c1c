"""Functions that nobody calls in what was built, told from those that others may call."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from heapflow.frontend.capture import capture_build, write_database
from heapflow.frontend.inputs import find_inputs
from heapflow.frontend.load import FrontendSettings, load_program
from heapflow.ir.kinds import FuncFlag

from .conftest import Heapflow, Write

pytestmark = pytest.mark.skipif(not shutil.which("gcc"), reason="builds with gcc")
MAIN = """
int used(void); extern int (*table[])(void); int also(void);
int main(int argc, char **argv) { return used() + table[argc](); }
static int by_dead(void) { return also(); }
int dead_in_main(void) { return by_dead(); }
"""
PARTS = """
int used(void) { return 0; }
int in_table(void) { return 1; }
int (*table[])(void) = { in_table };
int also(void) { return 2; }
int dead(void) { return 3; }
int in_local_table(void) { return 5; }
int choose(int n) { int (*own[])(void) = { in_local_table, in_local_table }; return own[n & 1](); }
static int by_pointer(void) { return 4; }
int seen;
static void __attribute__((constructor)) at_start(void) { seen = by_pointer() + choose(seen); }
"""
ALL_DEAD = {"also", "by_dead", "dead", "dead_in_main"}


def uncalled(here: Path, script: str) -> set[str]:
    """Names of functions that are marked, after a build."""
    outcome = capture_build(["sh", "-ec", script], ())
    assert outcome.status == 0
    write_database(outcome.captured, here / "compile_commands.json")
    program = load_program(find_inputs(["."]), FrontendSettings(use_cache=False)).program
    assert program is not None
    flags = program.functions.flags
    return {
        program.func_name(func)
        for func in range(len(program.functions))
        if flags[func] & FuncFlag.UNCALLED
    }


@pytest.fixture
def sources(write: Write) -> None:
    write("main.c", MAIN)
    write("parts.c", PARTS)


@pytest.mark.usefixtures("sources")
class TestOneProgram:
    def test_compiled_and_linked_apart(self, here: Path) -> None:
        assert uncalled(here, "gcc -c main.c parts.c; gcc main.o parts.o -lm -o prog") == ALL_DEAD

    def test_compiled_and_linked_at_once(self, here: Path) -> None:
        assert uncalled(here, "gcc main.c parts.c -o prog") == ALL_DEAD

    @pytest.mark.parametrize("flag", ["-rdynamic", "-Wl,-E", "-Wl,--export-dynamic", "-Wl,-z,now"])
    def test_names_that_are_exported(self, here: Path, flag: str) -> None:
        found = uncalled(here, f"gcc {flag} main.c parts.c -o prog")
        assert found == (ALL_DEAD if flag == "-Wl,-z,now" else set())

    def test_a_library_is_called_by_others(self, here: Path) -> None:
        assert uncalled(here, "gcc -fPIC -shared parts.c -o libparts.so") == set()

    def test_an_archive_may_go_into_other_programs(self, here: Path) -> None:
        script = "gcc -c main.c parts.c; ar cr libparts.a parts.o; gcc main.o -L. -lparts -o prog"
        assert uncalled(here, script) == {"by_dead", "dead_in_main"}

    def test_an_object_that_is_not_known(self, here: Path) -> None:
        script = "printf '.globl x\\nx: jmp dead\\n' > x.s; as x.s -o x.o; gcc main.c parts.c x.o"
        assert uncalled(here, script) == set()

    def test_a_file_that_is_not_read(self, here: Path, write: Write) -> None:
        write(
            "odd.c",
            "#ifdef __clang__\n#error no\n#endif\nint dead(void); int odd(void) { return dead(); }",
        )
        assert uncalled(here, "gcc main.c parts.c odd.c -o prog") == set()

    def test_a_second_program_calls_it(self, here: Path, write: Write) -> None:
        write("other.c", "int dead(void); int main(void) { return dead(); }")
        script = (
            "gcc -c main.c parts.c other.c; gcc main.o parts.o -o one; gcc other.o parts.o -o two"
        )
        assert uncalled(here, script) == ALL_DEAD - {"dead"}

    def test_a_plug_in_names_it(self, here: Path, write: Write) -> None:
        write("plug.c", "int dead(void); int plug(void) { return dead(); }")
        script = "gcc main.c parts.c -o prog; gcc -fPIC -shared plug.c -o plug.so"
        assert uncalled(here, script) == ALL_DEAD - {"dead"}

    def test_without_a_record_nothing_is_said(self, here: Path) -> None:
        (here / "heapflow-links.json").unlink(missing_ok=True)
        outcome = capture_build(["gcc", "main.c", "parts.c", "-o", "prog"], ())
        write_database(outcome.captured, here / "compile_commands.json")
        (here / "heapflow-links.json").unlink()
        loaded = load_program(find_inputs(["."]), FrontendSettings(use_cache=False))
        assert loaded.program is not None
        assert not (loaded.program.functions.flags & FuncFlag.UNCALLED).any()

    def test_one_file_of_a_build_is_not_the_whole(self, here: Path, write: Write) -> None:
        write("sub/own.c", "int dead(void); int own(void) { return dead(); }")
        outcome = capture_build(["gcc", "main.c", "parts.c", "sub/own.c", "-o", "prog"], ())
        write_database(outcome.captured, here / "compile_commands.json")
        chosen = [find_inputs(["main.c", "parts.c"]), find_inputs(["sub"])]
        chosen.append(find_inputs(["main.c"], build="."))
        assert [unit.whole for inputs in chosen for unit in inputs.units] == [False] * 4
        assert all(unit.whole for unit in find_inputs(["."]).units)

    def test_what_nobody_calls_gives_a_note(self, heapflow: Heapflow, write: Write) -> None:
        body = "{ char *p = malloc(3); if (n > 2) return 1; free(p); return 0; }"
        write("dead.c", f"#include <stdlib.h>\nint dead(int n) {body}\n")
        write("main.c", "int main(int n, char **v) { return n; }")
        built = heapflow("capture", "--fresh", "--", "gcc", "main.c", "dead.c", "-o", "prog")
        assert built.returncode == 0
        only_note = heapflow("check", ".")
        assert only_note.returncode == 0
        assert "dead.c:2:29: note: memory from `malloc`" in only_note.stdout
        assert "nobody calls `dead` in what was built" in only_note.stdout
        alone = heapflow("check", "dead.c", "--no-database")
        assert alone.returncode == 1 and "error:" in alone.stdout

    def test_what_a_copy_has_is_told_where_it_is_called(
        self, heapflow: Heapflow, write: Write
    ) -> None:
        body = "{ char *p = malloc(3); if (n > 2) return 1; free(p); return 0; }"
        write("shared.c", f"#include <stdlib.h>\nint risky(int n) {body}\n")
        write("one.c", "int main(int n, char **v) { return n; }")
        write("two.c", "int risky(int); int main(int n, char **v) { return risky(n); }")
        both = "".join(
            f"gcc -D{name} -c shared.c -o {name}.o; gcc {name}.c {name}.o -o p{name};"
            for name in ("one", "two")
        )
        assert heapflow("capture", "--fresh", "--", "sh", "-ec", both).returncode == 0
        checked = heapflow("check", ".")
        assert checked.returncode == 1, checked.stdout
        assert "shared.c:2:30: error: memory from `malloc`" in checked.stdout
        assert "nobody calls" not in checked.stdout
        write("two.c", "int risky(int); int main(int n, char **v) { return risky(1); }")
        assert heapflow("check", ".").returncode == 0
