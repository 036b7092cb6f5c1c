"""The reader against LLVM's own counts, golden dumps, and damaged input."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from heapflow.frontend.bitcode import BitcodeError, read_module
from heapflow.frontend.canonical import canonicalise
from heapflow.frontend.dump import dump_program
from heapflow.frontend.link import Unit, link_programs
from heapflow.frontend.store import program_from_bytes, program_to_bytes
from heapflow.ir.check import check_program
from heapflow.ir.kinds import CallFlag, Op, ParamFlag
from heapflow.ir.program import TABLES, Program
from heapflow.ir.table import column_specs
from heapflow.support.errors import ToolError
from tests.frontend.bitcode.compile import compile_to_bitcode
from tests.frontend.bitcode.llvm_counts import llvm_counts, table_counts

SOURCES = Path(__file__).parents[2] / "c" / "frontend"
GOLDEN = Path(__file__).parents[2] / "golden" / "program"
VARIANTS = {
    "exotic": ("exotic.c",),
    "exotic-exceptions": ("exotic.c", "-fexceptions"),
    "exotic-optimised-names": ("exotic.c", "-fshort-enums", "-fwrapv", "-std=gnu89"),
    "list": ("list.c",),
    "list-no-debug": ("list.c", "-g0"),
}


@pytest.fixture(scope="module")
def bitcode(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    out = tmp_path_factory.mktemp("bc")
    made = {}
    for name, (source, *flags) in VARIANTS.items():
        made[name] = canonicalise(compile_to_bitcode(SOURCES / source, out, *flags))
    return made


@pytest.mark.parametrize("name", VARIANTS)
def test_counts_equal_llvms(bitcode: dict[str, bytes], name: str) -> None:
    program = read_module(bitcode[name], name)
    assert table_counts(program) == llvm_counts(bitcode[name])
    assert check_program(program) == []
    assert program.unread == ()


def test_32_bit_layout(tmp_path: Path) -> None:
    source = tmp_path / "m32.c"
    source.write_text("struct s { char c; long long l; char *p; double d; }; struct s g[3];\n")
    data = compile_to_bitcode(source, tmp_path, "-target", "x86-linux-gnu")
    program = read_module(canonicalise(data), "m32.c")
    [struct] = [t for t in range(len(program.types)) if _type_name(program, t) == "struct.s"]
    begin, end = program.types.field_start[struct], program.types.field_start[struct + 1]
    assert program.types.field_offset[begin:end].tolist() == [0, 4, 12, 16]
    assert program.types.size[struct] == 24


def _type_name(program: Program, type_id: int) -> str:
    return program.strings[int(program.types.name[type_id])]


def test_golden_dump(bitcode: dict[str, bytes], request: pytest.FixtureRequest) -> None:
    text = dump_program(read_module(bitcode["list"], "list.c"))
    golden = GOLDEN / "list.txt"
    if request.config.getoption("--update-golden"):
        golden.write_text(text)
    assert text == golden.read_text()


def test_facts_that_later_phases_rely_on(bitcode: dict[str, bytes]) -> None:
    program = read_module(bitcode["exotic"], "exotic.c")
    text = dump_program(program)
    assert "alias @second_name" not in text and "@second_name: i32 (i32) = @original" in text
    flags = program.params.flags
    assert (flags & ParamFlag.BY_VALUE).any() and (flags & ParamFlag.STRUCT_RETURN).any()
    calls = program.instrs.op == Op.CALL
    no_return = [
        program.func_name(program.direct_callee(i))
        for i in np.flatnonzero(calls).tolist()
        if program.instrs.aux[i] & CallFlag.NO_RETURN
    ]
    assert {"abort", "longjmp"} <= set(no_return)
    assert "&&@labels_of." in text
    assert "(external declaration returns_twice)" in text
    # member offsets and array strides of an address computation are told apart
    assert any("gep" in line and "+ 0 + 72*" in line for line in text.splitlines())


def test_store_round_trip(bitcode: dict[str, bytes]) -> None:
    program = read_module(bitcode["exotic"], "exotic.c")
    again = program_from_bytes(program_to_bytes(program))
    assert again.strings == program.strings and again.unread == program.unread
    for name, table_type in TABLES.items():
        for spec in column_specs(table_type):
            before, after = (getattr(getattr(p, name), spec.name) for p in (program, again))
            assert np.array_equal(before, after), f"{name}.{spec.name}"


@pytest.mark.parametrize("position", [0, 9, 30, 500, 5000, -1])
def test_damaged_tables_are_noticed(bitcode: dict[str, bytes], position: int) -> None:
    data = bytearray(program_to_bytes(read_module(bitcode["list"], "list.c")))
    data[position] ^= 0x55
    with pytest.raises(ValueError, match=r"damaged|format"):
        program_from_bytes(bytes(data))


def test_relinking_one_unit_changes_nothing(bitcode: dict[str, bytes]) -> None:
    program = read_module(bitcode["list"], "list.c")
    linked = link_programs([Unit(program)])
    assert check_program(linked) == []
    assert dump_program(linked) == dump_program(program)


@pytest.mark.parametrize("seed", range(200))
def test_damaged_bitcode_gives_an_error_or_tables(bitcode: dict[str, bytes], seed: int) -> None:
    """Our reader alone, without LLVM's verifier in front: it must not crash or hang."""
    rng = random.Random(seed)
    data = bytearray(bitcode["list" if seed % 2 else "exotic"])
    if seed % 4 == 0:
        del data[rng.randrange(4, len(data)) :]
    for _ in range(rng.randrange(1, 12)):
        data[rng.randrange(4, len(data))] = rng.randrange(256)
    try:
        program = read_module(bytes(data), "damaged")
    except BitcodeError as error:
        assert str(error)
    else:
        assert isinstance(program, Program)


@pytest.mark.parametrize("data", [b"", b"BC", b"BC\xc0\xde", b"\x7fELF" + bytes(60), b"int x;"])
def test_not_bitcode(data: bytes) -> None:
    with pytest.raises(BitcodeError):
        read_module(data, "x")
    with pytest.raises(ToolError):
        canonicalise(data)


def test_wrong_debug_information_is_dropped() -> None:
    """A call without a position in a function with debug information."""
    program = read_module(canonicalise(WRONG_DEBUG_INFORMATION.encode(), is_text=True), "a.ll")
    assert [program.strings[name] for name in program.functions.name] == ["g", "f"]
    assert not len(program.locs)


def test_broken_module_with_debug_information_is_rejected() -> None:
    broken = WRONG_DEBUG_INFORMATION.replace("ret i32 %x", "%y = add i32 %y, 1\n  ret i32 %y")
    with pytest.raises(ToolError, match="verifier rejects"):
        canonicalise(broken.encode(), is_text=True)


WRONG_DEBUG_INFORMATION = """
define i32 @g() !dbg !5 {
  ret i32 1
}
define i32 @f() !dbg !4 {
  %x = call i32 @g()
  ret i32 %x
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "a.c", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!4 = distinct !DISubprogram(name: "f", file: !1, type: !6, unit: !0, spFlags: DISPFlagDefinition)
!5 = distinct !DISubprogram(name: "g", file: !1, type: !6, unit: !0, spFlags: DISPFlagDefinition)
!6 = !DISubroutineType(types: !7)
!7 = !{null}
"""
