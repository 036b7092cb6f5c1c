"""What a file asks for by `__has_include` is part of what its result depends on."""

from __future__ import annotations

from pathlib import Path

import pytest

from heapflow.frontend.asked import headers_asked_for
from heapflow.frontend.searched import search_directories
from heapflow.frontend.units import SourceUnit

from .conftest import Write
from .test_load import settle, text
from .test_stale import load

OPTIONAL = """\
#ifdef __has_include
#if __has_include(%s)
#include %s
#endif
#endif
#ifndef SIZE
#define SIZE 1
#endif
int f(void) { return SIZE; }
"""


@pytest.mark.parametrize(
    ("spelt", "place", "flags"),
    [
        ('"size.h"', "size.h", ()),
        ("<size.h>", "inc/size.h", ("-I", "inc")),
        ("<part/size.h>", "inc/part/size.h", ("-isystem", "inc")),
        ("<size.h>", "pre/fix/size.h", ("-iprefix", "pre/", "-iwithprefix", "fix")),
        ("<size.h>", "root/odd/size.h", ("-isysroot", "root", "-iwithsysroot", "/odd")),
        ("<../other/size.h>", "other/size.h", ("-Iinc",)),
    ],
)
def test_a_header_that_appears_where_it_was_looked_for(
    write: Write, here: Path, spelt: str, place: str, flags: tuple[str, ...]
) -> None:
    write("a.c", OPTIONAL % (spelt, spelt))
    write("inc/other.h", "")
    settle()
    before = load(*flags)
    assert load(*flags).from_cache == 1
    write(place, "#define SIZE 2\n")
    settle()
    after = load(*flags)
    assert (after.from_cache, after.failures) == (0, ())
    assert text(after) != text(before)
    assert load(*flags).from_cache == 1
    (here / place).unlink()
    assert text(load(*flags)) == text(before)


def test_a_header_asks_beside_itself(write: Write) -> None:
    write("a.c", '#include "inc/asks.h"\nint f(void) { return SIZE; }\n')
    write("inc/asks.h", OPTIONAL.replace("int f", "static int g") % ('"size.h"', '"size.h"'))
    settle()
    before = load()
    assert load().from_cache == 1
    write("inc/size.h", "#define SIZE 2\n")
    settle()
    assert text(load()) != text(before)


@pytest.mark.parametrize(
    "lines",
    [
        "#define NAME <size.h>\n#if __has_include(NAME)\n#include NAME\n#endif\n",
        "#define HAS(x) __has_include(x)\n#if HAS(<size.h>)\n#include <size.h>\n#endif\n",
        "#if IS_THERE(<size.h>)\n#include <size.h>\n#endif\n",
    ],
)
def test_what_asks_by_a_macro_is_not_kept(write: Write, lines: str) -> None:
    write("a.c", lines + "#ifndef SIZE\n#define SIZE 1\n#endif\nint f(void) { return SIZE; }\n")
    write("inc/other.h", "")
    flags = ("-Iinc", "-DIS_THERE=__has_include")
    settle()
    before = load(*flags)
    assert before.failures == ()
    write("inc/size.h", "#define SIZE 2\n")
    settle()
    assert text(load(*flags)) != text(before)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("int x;", set()),
        ('#if __has_include(<a.h>) || __has_include_next ( "b/c.h" )', {"a.h", "b/c.h"}),
        ("#if defined(__has_include) && \\\n  __has_inclu\\\nde(<x//y.h>)", {"x//y.h"}),
        ("#ifndef __has_include\n#define __has_include(x) 0\n#endif", set()),
        ("#if __has_embed(<a.bin> limit(1))", {"a.bin"}),
        ("/* as __has_include\n does */ // __has_include too", set()),
        ('static char s[] = "__has_include /*"; /* __has_include(X) */', set()),
        ("# if __has_attribute(x) && __has_builtin(__y)", set()),
        ("#if __has_include(NAME)", None),
        ("#define HAS(x) __has_include(x)", None),
        ("#define HAS(x) __has_##x(<a.h>)", None),
        ("#define HAS __has_include", None),
        ("'\"' /* ' */ __has_include(N) // '", None),
    ],
)
def test_names_are_read_off_the_text(text: str, names: set[str] | None) -> None:
    assert headers_asked_for(text.encode()) == names


def test_directories_of_all_spellings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CPATH", "/env")
    flags = (
        "-I a -Ib -iquote q -iprefix p/ -iwithprefixbefore w --sysroot=/s -iwithsysroot /x -I=/y"
    )
    found = search_directories(SourceUnit("m/a.c", "/d", tuple(flags.split())))
    assert found[:6] == ("/d/m/", "/d/q/", "/d/a/", "/d/b/", "/d/p/w/", "/y/")
    assert {"/s/y/", "/s/x/", "/x/", "/env/", "/s/usr/include/", "/usr/include/"} <= set(found)


def test_a_map_of_headers_is_not_followed(write: Write) -> None:
    write("a.c", "int f(void) { return 1; }\n")
    settle()
    load("-Ithings")
    assert load("-Ithings").from_cache == 1
    write("things", "no map")
    settle()
    assert load("-Ithings").from_cache == 0
