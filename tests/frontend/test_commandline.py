"""Compiler command lines, taken apart."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from heapflow.frontend.commandline import Stage, parse_command
from heapflow.frontend.responses import ResponseError, expand_response_files


def parse(text: str) -> tuple[Stage, tuple[str, ...], tuple[str, ...], str | None]:
    command = parse_command(text.split())
    return command.stage, command.sources, command.link_inputs, command.output


@pytest.mark.parametrize(
    ("text", "stage", "sources", "linked", "output"),
    [
        ("-c a.c", Stage.OBJECT, ("a.c",), (), None),
        ("-c a.c -o x/a.o", Stage.OBJECT, ("a.c",), (), "x/a.o"),
        ("-c a.c -ox/a.o", Stage.OBJECT, ("a.c",), (), "x/a.o"),
        ("a.c b.c -o prog", Stage.LINK, ("a.c", "b.c"), (), "prog"),
        ("a.o libx.a -L. -ly -o prog", Stage.LINK, (), ("a.o", "libx.a", "-ly"), "prog"),
        ("-o prog a.o -l y", Stage.LINK, (), ("a.o", "-ly"), "prog"),
        ("-E a.c", Stage.NOTHING, ("a.c",), (), None),
        ("-M a.c", Stage.NOTHING, ("a.c",), (), None),
        ("-c -MM a.c", Stage.NOTHING, ("a.c",), (), None),
        ("--version", Stage.NOTHING, (), (), None),
        ("-print-file-name=plugin", Stage.NOTHING, (), (), None),
        ("-S a.c", Stage.ASSEMBLY, ("a.c",), (), None),
        ("-S -c a.c", Stage.ASSEMBLY, ("a.c",), (), None),
        ("-c start.S", Stage.OBJECT, (), (), None),
        ("-c x.cc", Stage.OBJECT, (), (), None),
        ("-x c - -o prog", Stage.LINK, ("-",), (), "prog"),
        ("-x c weird.txt -x none a.o", Stage.LINK, ("weird.txt",), ("a.o",), None),
        ("-c -MD -MF a.d -MT a.o a.c", Stage.OBJECT, ("a.c",), (), None),
        ("-c -include pre.c a.c", Stage.OBJECT, ("a.c",), (), None),
        ("-c --param max.c a.c", Stage.OBJECT, ("a.c",), (), None),
        ("--output=prog a.c", Stage.LINK, ("a.c",), (), "prog"),
        (
            "-Wl,--whole-archive,libx.a,--no-whole-archive a.o",
            Stage.LINK,
            (),
            ("libx.a", "a.o"),
            None,
        ),
    ],
)
def test_parse(
    text: str,
    stage: Stage,
    sources: tuple[str, ...],
    linked: tuple[str, ...],
    output: str | None,
) -> None:
    assert parse(text) == (stage, sources, linked, output)


def test_flags_keep_their_order_and_values() -> None:
    command = parse_command(["-I", "inc", "-DX=a b", "-c", "a.c", "-std=gnu89", "-o", "a.o", "-UY"])
    assert command.flags == ("-I", "inc", "-DX=a b", "-std=gnu89", "-UY")


@pytest.mark.parametrize("text", ["-r a.o -o b.o", "-Wl,-r a.o -o b.o", "-Xlinker -r a.o -o b.o"])
def test_relocatable_output_is_no_program(text: str) -> None:
    assert parse_command(text.split()).relocatable


def test_response_files_nest_and_quote(tmp_path: Path) -> None:
    (tmp_path / "one").write_text('-DX="a b" @two\n-c')
    (tmp_path / "two").write_text("'x y.c'")
    found = expand_response_files(["@one", "-o", "@"], tmp_path)
    assert found == ("-DX=a b", "x y.c", "-c", "-o", "@")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("-c @loop @loop", "@loop includes itself"),
        ("@none", "@none cannot be read: No such file"),
        ("'", "@loop cannot be split"),
        ("@fifo", "@fifo cannot be read: not a regular file"),
        ("@/dev/zero", "@/dev/zero cannot be read: not a regular file"),
        ("@d0", "too many words"),
    ],
)
def test_response_files_that_cannot_be_used_are_named(tmp_path: Path, text: str, why: str) -> None:
    os.mkfifo(tmp_path / "fifo")
    for number in range(20):  # a million times nothing
        (tmp_path / f"d{number}").write_text(f"@d{number + 1} " * 2 if number < 19 else "")
    (tmp_path / "loop").write_text(text)
    with pytest.raises(ResponseError, match=why):
        expand_response_files(["@loop"], tmp_path)
