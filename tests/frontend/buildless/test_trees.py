"""Trees without a build, compiled as well as it goes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from heapflow.frontend.buildless.messages import Complaint, Kind
from heapflow.frontend.buildless.repair import Repair
from heapflow.frontend.inputs import Search, find_inputs
from heapflow.frontend.load import FrontendSettings, Loaded, load_program
from heapflow.support.errors import UserError

from ..conftest import Heapflow, Write

FILES = {
    "include/lib/api.h": "#include <config.h>\nstruct item *make(void);\nstruct item { char *s; };\n",
    "config.h.in": "#undef HAVE_STDLIB_H\n#undef VERSION\n#undef HAVE_WINDOWS_H\n",
    "src/make.c": """\
#include <lib/api.h>
#ifdef HAVE_STDLIB_H
#include <stdlib.h>
#endif
#include <nolib/odd.h>
ODD_EXPORT struct item *make(void)
{
    struct item *one = malloc(sizeof *one);
    if (one)
        one->s = 0;
    return one;
}
odd_handle *broken(odd_handle *h)
{
    return h ? ODD_NEXT(h) : $;
}
""",
    "src/main.c": """\
#include "lib/api.h"
#include <stdio.h>
int main(void)
{
    struct item *lost = make();
    printf("%s %d\\n", VERSION, ODD_LEVEL);
    return lost == 0;
}
""",
    "src/part.c": "static int part(void) { return 1; }\n",
    "src/whole.c": '#include "part.c"\nint whole(void) { return part(); }\n',
    "src/extra.c": "#ifdef USE_EXTRA\nint extra(void) { return 1; }\n#endif\n",
    "win32/config.h": "#error wrong\n",
}


@pytest.fixture
def tree(write: Write) -> None:
    for name, text in FILES.items():
        write(name, text)


def load() -> Loaded:
    return load_program(find_inputs(["."]), FrontendSettings(jobs=1))


@pytest.mark.usefixtures("tree")
def test_a_bare_tree(here: Path) -> None:
    before = sorted(path for path in here.rglob("*"))
    loaded = load()
    assert not loaded.failures
    assert sorted(path for path in here.rglob("*")) == before
    guesses = {Path(file).name: one for file, one in loaded.guesses}
    assert sorted(guesses) == ["extra.c", "main.c", "make.c", "whole.c"]
    assert guesses["make.c"].made == ("config.h",)
    assert guesses["make.c"].invented == ("nolib/odd.h",)
    assert guesses["make.c"].dropped == ("broken",)
    assert "odd_handle" in guesses["make.c"].types
    assert "ODD_EXPORT" in guesses["make.c"].macros
    assert guesses["main.c"].macros == ("ODD_LEVEL",)
    assert guesses["extra.c"].macros == ("USE_EXTRA",)
    assert not guesses["whole.c"]
    assert loaded.program is not None
    program = loaded.program
    defined = {
        program.func_name(one)
        for one in range(len(program.functions))
        if not program.is_declaration(one)
    }
    assert {"make", "main", "whole", "part", "extra"} <= defined
    assert "broken" not in defined


@pytest.mark.usefixtures("tree")
def test_guesses_come_from_the_cache_too() -> None:
    first, second = load(), load()
    assert second.from_cache == second.units == 4
    assert first.guesses == second.guesses


@pytest.mark.usefixtures("tree")
def test_findings_and_summary_say_what_was_guessed(heapflow: Heapflow) -> None:
    run = heapflow("check", ".", "--format", "json")
    assert run.returncode == 3, run.stderr
    report = json.loads(run.stdout)
    (finding,) = report["findings"]
    assert finding["allocation"]["file"] == "src/main.c"
    assert "config.h" in finding["guessed"]
    assert "ODD_LEVEL" in finding["guessed"]
    assert report["summary"]["complete"] is False
    (made,) = [one for one in report["summary"]["guessed"] if one["file"] == "src/make.c"]
    assert made["dropped"] == ["broken"]
    assert "no compile database; 4 files are compiled by guessing" in run.stderr
    assert "1 function left out (broken)" in run.stderr


def test_a_database_is_used_unless_guessing_is_forced(write: Write, here: Path) -> None:
    write("a.c", "int f(void) { return 0; }\n")
    entry = {"directory": str(here), "file": "a.c", "command": "gcc -DX -c a.c"}
    write("compile_commands.json", json.dumps([entry]))
    assert not find_inputs(["."]).units[0].tree
    for names in (["."], ["a.c"]):
        (unit,) = find_inputs(names, search=Search.BUILDLESS).units
        assert unit.tree == str(here)
        assert not unit.flags


def test_links_out_of_the_tree_are_not_followed(write: Write, here: Path) -> None:
    write("a.c", "int f(void) { return 0; }\n")
    (here / "b.c").symlink_to("/etc/passwd")
    assert [unit.name for unit in find_inputs(["."]).units] == ["a.c"]


def test_no_c_file(here: Path) -> None:
    with pytest.raises(UserError, match="no C file in it"):
        find_inputs(["."])


FEATURES = {
    "COPYING": "",
    "Makefile": "all:\n\tcc -DAPI_VERSION=31 -c src/a.c\n",
    "include/api.h": """\
#ifndef API_VERSION
#error set API_VERSION
#endif
struct conn {
    int fd;
#ifdef WITH_TLS
    char *tls;
#endif
};
#define UNUSED(x) FAR_UNUSED(x)
""",
    "src/a.c": """\
#include <api.h>
#include <far.h>
int version(void) { return API_VERSION; }
char *tls_of(struct conn *one) { return one->tls; }
int extra_of(struct conn *one) { return one->extra->level + one->list[2]; }
void ignore(far_t *UNUSED(one), int n) { (void)n; }
int kind(int n) { switch (n) { case Far_One: return 1; case Far_Two: return 2; } return 0; }
int len(far_p p) { return p->length; }
int sum(int *all) {
    int n = 0, *one;
    FAR_CONST char *none = 0;
    if (none) return 0;
    FAR_EACH(one, all) {
        if (*one < 0)
            continue;
        n += *one;
    }
    far_each (one, all)
    {
        n += *one;
    }
    return n;
}
""",
}


def test_what_the_tree_has_under_other_conditions(write: Write, here: Path) -> None:
    for name, text in FEATURES.items():
        write(name, text)
    (unit,) = find_inputs(["src/a.c"], search=Search.BUILDLESS).units
    assert unit.tree == str(here)
    loaded = load_program(find_inputs(["src"]), FrontendSettings(jobs=1))
    ((_, guesses),) = loaded.guesses
    assert not loaded.failures
    assert not guesses.dropped
    assert {"API_VERSION", "WITH_TLS", "Far_One", "Far_Two"} <= set(guesses.macros)
    assert {"conn.extra", "conn.list"} <= set(guesses.types)
    assert "conn.tls" not in guesses.types


def test_a_project_is_not_left(write: Write, here: Path) -> None:
    write("COPYING", "")
    write("inner/LICENSE", "")
    write("inner/src/a.c", "int f(void) { return 0; }\n")
    (unit,) = find_inputs(["inner/src"]).units
    assert unit.tree == str(here / "inner")
    (unit,) = find_inputs(["inner"]).units
    assert unit.tree == str(here / "inner")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("configure.ac", ""),
        ("meson.build", "project('x', 'c')\n"),
        ("CMakeLists.txt", "PROJECT(x C)\n"),
    ],
)
def test_a_part_with_a_licence_of_its_own(write: Write, here: Path, name: str, text: str) -> None:
    write(name, text)
    write("tools/COPYING", "")
    write("tools/meson.build", "executable('a', 'a.c')\n")
    write("tools/a.c", "int f(void) { return 0; }\n")
    (unit,) = find_inputs(["tools"]).units
    assert unit.tree == str(here)


def test_a_part_with_a_build_of_its_own(write: Write, here: Path) -> None:
    write("configure.ac", "AC_CONFIG_SUBDIRS([lib])\n")
    write("base/base.h", "int base(void);\n")
    write("lib/configure.ac", "")
    write("lib/src/a.c", '#include "base.h"\nint f(void) { return base(); }\n')
    (unit,) = find_inputs(["lib/src"]).units
    assert unit.tree == str(here)


CHOICES = {
    "configure.ac": "",
    "src/pool.h": """\
#if !LIB_CHECK_VERSION(2, 28, 0)
#error old
#endif
#ifdef POOL_FAR
#include "far/pool.h"
#elif defined(POOL_PLAIN)
#include <stdlib.h>
#define pool_alloc malloc
#else
#error "no pool selected"
#endif
""",
    "src/a.c": '#include "config.h"\n#include "pool.h"\nvoid *f(void) { return pool_alloc(SIZE); }\n',
    "Win32-Code/config.h": "#define SIZE no such thing\n",
}


def test_one_of_several_branches_is_chosen(write: Write) -> None:
    for name, text in CHOICES.items():
        write(name, text)
    ((_, guesses),) = load_program(find_inputs(["src"]), FrontendSettings(jobs=1)).guesses
    assert "POOL_PLAIN" in guesses.macros
    assert "POOL_FAR" not in guesses.macros
    assert guesses.implicit == ()
    assert guesses.dropped == ()


PARTS = {
    "configure.ac": "",
    "config.h.in": "#undef HOST_IS_LITTLE_ENDIAN\n",
    "include/lib1/more.h": "#define MORE 1\n",
    "include/api.h.in": '#include "lib@VERSION@/more.h"\n'
    "typedef @COUNT@ count_t;\nstruct info { count_t frames; int more; };\n",
    "src/other.c": "int g(void) { return 0; }\n#ifdef WITH_OS\n"
    "int h(void) { return os_time(OS_NOW); }\n#endif\n",
    "src/codec/config.h": "#error of a part\n",
    "src/a.c": """\
#include "config.h"
#include "api.h"
#include FAR_HEADER
#if HOST_IS_LITTLE_ENDIAN == 1
enum { HAVE_STDLIB = 1 };
#else
#error unknown
#endif
#if defined(HAVE_NO_SUCH_THING) && !defined(ALONE)
static int hidden(struct info *one) { return one->more; }
#else
#define hidden(one) 0
#endif
int f(struct info *one) { return one->frames + hidden(one) + HAVE_STDLIB + MORE; }
""",
}


def test_what_parts_and_templates_say(write: Write) -> None:
    for name, text in PARTS.items():
        write(name, text)
    loaded = load_program(find_inputs(["src"]), FrontendSettings(jobs=1))
    found = {Path(file).name: one for file, one in loaded.guesses}
    assert "WITH_OS" not in found["other.c"].macros  # what it needs is not there
    guesses = found["a.c"]
    assert guesses.invented == ("far_header.h",)
    assert sorted(guesses.made) == ["api.h", "config.h"]
    assert guesses.dropped == guesses.inactive == ()
    assert "HAVE_NO_SUCH_THING" in guesses.macros
    assert "info.frames" not in guesses.types


def test_repairs_that_undo_each_other_cost_a_function_only() -> None:
    repair = Repair("/t/a.c", lambda _: True, lambda _: "int f(void)\n{\n    return $;\n}\n")
    wrong = [Complaint(Kind.OTHER, "/t/a.c", 3, 5, text="it is the same again")]
    repair.met[tuple(wrong)] = 2
    again = [Complaint(Kind.IDENTIFIER, "/t/a.c", 3, 12, name="one")]
    assert repair.round(again)
    assert not repair.edits.dropped()
    repair.met[tuple(again)] = 2
    assert repair.round(again)
    assert list(repair.edits.dropped()) == ["f"]


@pytest.mark.parametrize("name", ["LICENSE.txt", "COPYRIGHT", "readme.md", "README.rst"])
def test_what_says_where_a_project_begins(write: Write, here: Path, name: str) -> None:
    write(f"inner/{name}", "")
    write("inner/src/a.c", "int f(void) { return 0; }\n")
    (unit,) = find_inputs(["inner/src"]).units
    assert unit.tree == str(here / "inner")


def test_definitions_that_clash(write: Write) -> None:
    write("LICENSE", "")
    write("own.h", "int twice(int n);\n")
    write(
        "a.c",
        """\
#include <stdio.h>
#include "own.h"
int getline(char *line, int most) { return line[0] + most; }
char *twice(char *s) { return s; }
int thrice(int n) { return 3 * n; }
""",
    )
    ((_, guesses),) = load().guesses
    assert guesses.replaced == ("getline",)
    assert guesses.dropped == ()  # its own head is declared instead


def defined_in(loaded: Loaded) -> set[str]:
    program = loaded.program
    assert program is not None
    functions = range(len(program.functions))
    return {program.func_name(one) for one in functions if not program.is_declaration(one)}


def test_what_only_a_lost_function_calls_stays(write: Write) -> None:
    text = (
        "static int inner(int n) { return n + 1; }\n"
        "static int helper(int n) { return inner(n); }\n"
        "static int nobody(int n) { return n; }\n"
        "int broken(int n) { return helper($); }\n"
    )
    write("a.c", text)
    loaded = load()
    (guesses,) = [one for _, one in loaded.guesses]
    assert guesses.dropped == ("broken",)
    assert guesses.inactive == ("nobody",)
    assert defined_in(loaded) == {"inner", "helper"}


@pytest.mark.parametrize(
    ("build", "has"),
    [
        ("AC_DEFINE(USE_MORE, 1, [More])", True),
        ("", False),
    ],
    ids=["set", "unknown"],
)
def test_functions_under_what_a_build_sets(write: Write, build: str, has: bool) -> None:
    text = (
        "int first(void) { return 1; }\n"
        "#if USE_MORE\n"
        "int second(struct odd *one) { return one->number + MORE_OF_IT; }\n"
        "int third(void) { return 3; }\n"
        "#endif\n"
    )
    write("a.c", text)
    write("configure.ac", f"AC_INIT\n{build}\n")
    assert defined_in(load()) == {"first", *(("second", "third") if has else ())}


def test_meson_says_true(write: Write) -> None:
    write(
        "a.c", "int first(void) { return 1; }\n#if USE_MORE\nint more(void) { return 2; }\n#endif\n"
    )
    write("meson.build", "conf.set10('USE_MORE', true,\n  description: 'more')\n")
    assert defined_in(load()) == {"first", "more"}


def test_results_that_are_used_as_pointers(heapflow: Heapflow, write: Write) -> None:
    text = (
        "#include <gtk/nowhere.h>\n"
        "int f(void *widget)\n"
        "{\n"
        "    void *children = gtk_container_get_children(NO_CONTAINER(widget));\n"
        "    return children != 0;\n"
        "}\n"
    )
    write("a.c", text)
    report = json.loads(heapflow("check", "--buildless", "a.c", "--format", "json").stdout)
    assert [one["allocation"]["line"] for one in report["findings"]] == [4]
