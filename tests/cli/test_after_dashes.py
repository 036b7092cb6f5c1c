"""What is written after `--`: used, or said."""

from __future__ import annotations

import pytest

from tests.cli.test_mistakes import here as here
from tests.cli.test_mistakes import shell


@pytest.mark.parametrize(
    "words", ["-xc++", "-x c++", "--language=c++", "--language c++", "-xc -xassembler", "@words"]
)
def test_another_language_is_not_c(words: str) -> None:
    done = shell(f"echo '-xobjective-c' > words; heapflow check leak.c ok.c -- {words}")
    assert done.returncode == 3
    assert done.stderr.count("error: is not C: -x ") == 2
    assert "not analysed: 2 of 2 files" in done.stderr


@pytest.mark.parametrize("words", ["-xc", "-x c", "-xc++ -xc", "-x cpp-output -xc"])
def test_a_file_of_any_name_is_c_for_who_says_so(words: str) -> None:
    done = shell(
        f"cp leak.c leak.inc; cp leak.c leak.cc; heapflow check leak.inc leak.cc -- {words}"
    )
    assert done.returncode == 1
    assert done.stdout.count("[conditional-leak]") == 2


def test_none_takes_a_language_back() -> None:
    assert shell("heapflow check leak.c -- -xc++ -xnone").returncode == 1
    assert shell("cp leak.c leak.inc; heapflow check leak.inc -- -xc -xnone").returncode == 2


def test_what_has_no_use_is_said_once_and_counted() -> None:
    words = "ok.c -lm -L. -o x -c -O2 -MF y -working-directory /tmp -DX=1 -I ."
    done = shell(f"heapflow check leak.c leak.c ok.c -- {words}")
    assert done.returncode == 1
    said = [line for line in done.stderr.splitlines() if "no use for" in line]
    assert said == [
        "note: words after `--` that the analysis has no use for (8): "
        "ok.c, -lm, -L., -o x, -c, -working-directory /tmp, -O2, -MF y"
    ]
    assert len(said) == 1 and "-DX" not in said[0] and "-I" not in said[0]


def test_what_is_used_is_not_said() -> None:
    done = shell("heapflow check leak.c -- -DX=1 -I . -include stddef.h -std=c11 -m64 -xc")
    assert done.returncode == 1 and "no use for" not in done.stderr
