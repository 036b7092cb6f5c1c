"""Flags of real builds, made fit for clang."""

from __future__ import annotations

from pathlib import Path

import pytest

from heapflow.frontend.compiler import compile_unit, find_compiler
from heapflow.frontend.flags import refused_flags, translate_flags
from heapflow.frontend.units import SourceUnit


@pytest.mark.parametrize(
    ("flags", "kept"),
    [
        ("-O2 -g3 -Wall -Werror -pipe", ""),
        ("-Iinc -I inc2 -DX -D Y=1 -UZ", "-Iinc -I inc2 -DX -D Y=1 -UZ"),
        ("-include pre.h -isystem sys -iquote q", "-include pre.h -isystem sys -iquote q"),
        ("-MD -MP -MF x.d -MT x.o", ""),
        ("-Wp,-MD,x.d -Wp,-DX=1,-Iinc", "-DX=1 -Iinc"),
        ("-fsanitize=address -fstack-protector-strong -D_FORTIFY_SOURCE=2 -flto=auto", ""),
        (
            "-std=gnu89 -ansi -fshort-enums -funsigned-char -m32",
            "-std=gnu89 -ansi -fshort-enums -funsigned-char -m32",
        ),
        ("-pthread -ffreestanding -undef", "-pthread -ffreestanding -undef"),
        ("-Xlinker --as-needed -L lib --param ssp-buffer-size=4", ""),
    ],
)
def test_kept(flags: str, kept: str) -> None:
    assert translate_flags(flags.split()).kept == tuple(kept.split())


def test_refused_flags_are_named() -> None:
    found = translate_flags(["-fweird", "-fodd=3", "-DX"], {"-fweird", "-fodd="})
    assert found.kept == ("-DX",)
    assert found.dropped == ("-fweird", "-fodd=3")


def test_a_source_error_refuses_no_flag() -> None:
    assert not refused_flags("a.c:1:2: error: use of undeclared identifier '-fx'\n")


@pytest.mark.parametrize(
    "flag",
    [
        "-fno-ipa-sra",
        "-mno-such-thing",
        "-march=pentium99",
        "-std=gnu77",
        "-fconserve-stack",
        "--weird",
    ],
)
def test_clang_is_asked_again_without_what_it_refuses(tmp_path: Path, flag: str) -> None:
    (tmp_path / "a.c").write_text("int f(void) { return X; }\n")
    unit = SourceUnit("a.c", str(tmp_path), ("-DX=1", flag))
    out = tmp_path / "out"
    out.mkdir()
    made = compile_unit(find_compiler(), unit, out)
    assert made.data[:2] == b"BC"
    assert made.dropped_flags == (flag,)
    assert str(tmp_path / "a.c") in made.dependencies
