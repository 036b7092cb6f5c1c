"""The parts that only read text: functions, templates, messages, includes."""

from __future__ import annotations

import pytest

from heapflow.frontend.buildless.builds import is_build_file, value_in_builds
from heapflow.frontend.buildless.conditions import (
    choices_at,
    demands_at,
    hidden_by,
    hidden_member,
    missing_at,
)
from heapflow.frontend.buildless.functions import (
    declaration_at,
    function_spans,
    guards_at,
    member_at,
    without_bodies,
    without_definitions,
)
from heapflow.frontend.buildless.macros import Macros, header_names
from heapflow.frontend.buildless.members import alias_of, defines_struct, with_members
from heapflow.frontend.buildless.messages import Kind, complaints_of
from heapflow.frontend.buildless.system import System
from heapflow.frontend.buildless.templates import enumerators_in, fill_template, names_in
from heapflow.frontend.compiler import find_compiler

SOURCE = """\
#include <stdio.h>
struct s { int a; };
static int table[] = { 1, 2 };
API(int) first(void) { return '}'; }
int old(a, b)
  int a;
  char *b;
{
  if (a) { return 1; } /* } */
  return 0;
}
#ifdef X
void third(int n) {
#else
void third(long n) {
#endif
  puts("{");
}
typedef struct { int x; } t;
void *last(const char *s) __attribute__((nonnull(1)));
void *last(const char *s)
{
  return 0;
}
"""


def test_functions_are_found() -> None:
    spans = function_spans(SOURCE)
    assert [one.name for one in spans] == ["first", "old", "third", "last"]
    assert (spans[1].first, spans[1].last) == (5, 11)


def test_bodies_go_and_lines_stay() -> None:
    spans = [one for one in function_spans(SOURCE) if one.name in ("old", "third")]
    text = without_bodies(SOURCE, spans)
    assert text.count("\n") == SOURCE.count("\n")
    assert "return 1" not in text
    assert "int old(a, b);" in text
    assert text.split("\n")[20] == "void *last(const char *s)"
    assert text.count("#") == SOURCE.count("#")
    gone = without_definitions(SOURCE, spans)
    assert "old" not in gone
    assert gone.count("\n") == SOURCE.count("\n")


def test_guards() -> None:
    text = (
        "#ifdef A\n#if defined(B) && C\n#else\n#endif\n#if 1\nint f(void) { return 0; }\n#endif\n"
    )
    assert guards_at(text, text.index("int f")) == ["A"]
    assert guards_at("#ifndef HAVE_X\n x", 16) == ["!HAVE_X"]
    assert guards_at("#if defined(A) && defined B && C > 1\n x", 38) == ["A", "B"]
    assert guards_at("#if defined(A) || defined(B)\n x", 30) == ["A"]
    assert guards_at("#if defined(A) && !defined(B)\n x", 31) == ["A"]


@pytest.mark.parametrize(
    ("text", "kind", "name"),
    [
        ("'x.h' file not found", Kind.FILE, "x.h"),
        ("unknown type name 'T'; did you mean 'U'?", Kind.TYPE, "T"),
        ("use of undeclared identifier 'X'", Kind.IDENTIFIER, "X"),
        ("no member named 'm' in 'struct s'", Kind.MEMBER, "s"),
        ("variable has incomplete type 'T' (aka 'struct T')", Kind.INCOMPLETE, "T"),
        ("conflicting types for 'f'", Kind.CLASH, "f"),
        ("member reference type 'T' (aka 'long') is not a pointer", Kind.NOT_A_POINTER, "T"),
        ("'cleanup' argument 'f' is not a function", Kind.NOT_A_FUNCTION, "f"),
        ("field designator 'm' does not refer to any field in type 'struct s'", Kind.MEMBER, "s"),
        ("expression is not an integer constant expression", Kind.NOT_CONSTANT, ""),
        (
            "token is not a valid binary operator in a preprocessor subexpression",
            Kind.NO_MACRO,
            "",
        ),
        ("nobody knows", Kind.OTHER, ""),
    ],
)
def test_messages(text: str, kind: Kind, name: str) -> None:
    (found,) = complaints_of(f"/a/b.c:3:7: error: {text}\n")
    assert (found.kind, found.name, found.line, found.column) == (kind, name, 3, 7)


@pytest.fixture(scope="module")
def macros() -> Macros:
    system = System(find_compiler())
    asked = [f'_Static_assert(sizeof(&{name}) > 0, "")' for name in ("malloc", "no_such")]
    return Macros(system, system.answers(asked))


def test_what_the_system_has(macros: Macros) -> None:
    assert macros.value("HAVE_MALLOC") == "1"
    assert macros.value("HAVE_NO_SUCH") is None
    assert macros.value("HAVE_SYS_STAT_H") == "1"
    assert macros.value("HAVE_WINDOWS_H") is None
    assert macros.value("SIZEOF_LONG") == "__SIZEOF_LONG__"
    assert macros.value("PACKAGE_VERSION") == '"package_version"'


def test_templates(macros: Macros) -> None:
    template = (
        "#undef HAVE_MALLOC\n#undef HAVE_NO_SUCH\n#cmakedefine HAVE_STDIO_H 1\n"
        "#cmakedefine01 HAVE_NO_SUCH\n#mesondefine HAVE_STDLIB_H\n"
        '#define VERSION "@MAJOR@.@MINOR@"\n#define int32_t @INT32@\n#define N @COUNT@\n'
    )
    header = fill_template(template, macros)
    for line in ("#define HAVE_MALLOC 1", "#define HAVE_STDIO_H 1", "#define HAVE_NO_SUCH 0"):
        assert line in header
    assert '#define VERSION "0.0"' in header
    assert "#define N 0" in header
    assert "int32_t" not in header
    assert (
        fill_template("/* @INPUT@, of\n the tree */\n@CODE@\n", macros)
        == "/* 0, of\n the tree */\n\n"
    )


def test_what_sources_ask_for() -> None:
    text = "#if HAVE_A == 1 || MY_HAVE_B\nenum { HAVE_C = 1,\n\tX_HAVE_D\t= 2 };\n"
    text += "#if CPU_IS_LITTLE_ENDIAN\n"
    assert enumerators_in(text + "x = HAVE_E = 2;\n") == {"X_HAVE_D"}
    assert enumerators_in("enum {\n HAVE_C = 1 };") == {"HAVE_C"}
    assert {"HAVE_A", "MY_HAVE_B", "CPU_IS_LITTLE_ENDIAN"} <= names_in(text)


def test_names_of_headers() -> None:
    assert {"sys/sendfile.h", "sys_sendfile.h"} <= set(header_names("SYS_SENDFILE"))


def test_what_an_error_asks_for() -> None:
    text = (
        "#if !defined(API) || API < 30\n#error old\n#endif\n"
        "#ifdef A\n#ifndef TEXT_DOMAIN\n#error none\n#endif\n#else\n#error never\n#endif\n"
        "#ifndef __cplusplus\n#error no\n#endif\n#if N <= 4\n#error few\n#endif\n"
    )
    assert demands_at(text, 2) == {"API": 30}
    assert demands_at(text, 6) == {"TEXT_DOMAIN": None}
    assert demands_at(text, 9) == {}
    assert demands_at(text, 12) == {}
    assert demands_at(text, 15) == {"N": 5}


def test_of_which_macros_an_error_asks_for_one() -> None:
    text = (
        "#ifdef A\n#elif defined(B)\n#if X\n#endif\n#elif defined __arm\n#elif N > 3\n"
        "#else\n#error choose\n#endif\n#ifdef C\n#error never\n#endif\n"
    )
    assert choices_at(text, 8) == ["A", "B"]
    assert choices_at(text, 4) == []
    assert choices_at(text, 11) == []


def test_what_hides_a_definition() -> None:
    files = {
        "main.c": '#ifdef WITH_NET\n#include "net.h"\n#endif\n#ifdef _WIN32\ntypedef int w;\n#endif\n',
        "net.h": "#ifndef NET_H\n#define NET_H\ntypedef struct { int a; } net_t;\n#endif\n",
        "s.h": "struct s {\n    int a;\n#ifdef WITH_TLS\n    void *tls;\n#endif\n};\n"
        "#if USE_DROP\nvoid drop(void);\n#else\n#define drop()\n#endif\n",
    }
    assert hidden_by("net_t", files, files.__getitem__) == ("WITH_NET",)
    assert hidden_by("w", files, files.__getitem__) == ()
    assert hidden_by("drop", files, files.__getitem__, is_function=True) == ("USE_DROP",)
    assert hidden_member("tls", files["s.h"]) == ("WITH_TLS",)
    assert hidden_member("a", files["s.h"]) == ()
    assert missing_at("#ifndef HAVE_X\nstruct x { int a; };\n#endif\n", 2) == "HAVE_X"


def test_members_are_added_on_the_same_lines() -> None:
    text = "struct s {\n    int a;\n};\ntypedef struct {\n  int n;\n  char data[];\n} flex;\n"
    assert with_members(text, "s", ["long b"]).split("\n")[2] == " long b; };"
    assert with_members(text, "flex", ["long b"]).split("\n")[3] == "typedef struct { long b; "
    assert with_members(text, "other", ["long b"]) == text
    assert defines_struct(text, "flex")
    assert not defines_struct("struct s *next(struct s *one) { return one; }", "s")
    assert alias_of("typedef struct s_tag s_t;", "s_t") == "s_tag"


def test_values_in_build_files() -> None:
    texts = ['CFLAGS += -DLEVEL=3 -DNAME=\\"x\\" -DON -DDIR=$(dir)\n', "cfg.set_quoted('MAP', 'a')"]
    assert [value_in_builds(one, texts) for one in ("LEVEL", "NAME", "ON", "DIR", "MAP", "NO")] == [
        "3",
        '"name"',
        "1",
        None,
        '"map"',
        None,
    ]
    assert value_in_builds("API", ["AC_DEFINE([API], [31], [version])"]) == "31"
    assert is_build_file("Makefile.am")
    assert is_build_file("meson.build")
    assert not is_build_file("make.c")


def test_declarations_and_members() -> None:
    text = (
        "int a;\nstruct s {\n int n;\n odd_t\n  m;\n};\nint f(void) { return 1; }\nextern\nint b;\n"
    )
    assert declaration_at(text, 4) == range(2, 7)
    assert declaration_at(text, 8) == range(8, 10)
    assert member_at(text, 4) == range(4, 6)
    assert not member_at(text, 9)
    assert not member_at(text, 2)


def test_messages_without_an_error_of_a_file() -> None:
    assert complaints_of("error: the compiler took longer than 600 s") == []


def test_what_a_definition_clashes_with() -> None:
    first, second = complaints_of(
        "/a/b.c:3:7: error: conflicting types for 'f'\n    3 | int f(void)\n"
        "/usr/include/x.h:9:1: note: previous declaration is here\n    9 | char f(void);\n"
        "/a/b.c:4:7: error: conflicting types for 'g'\n"
    )
    assert (first.other, second.other) == ("/usr/include/x.h", "")


def test_long_comments_before_functions_cost_little() -> None:
    text = "int f(void)\n" + "/*" + "x " * 400_000 + "*/\n{ return 1; }\n"
    assert [one.name for one in function_spans(text)] == ["f"]
