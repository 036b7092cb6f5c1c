"""Constants, masks and flags in the tables, against what the compiled program and LLVM's text say."""

from __future__ import annotations

import re
import struct
import subprocess
from fractions import Fraction
from pathlib import Path

import llvmlite.binding as llvm
import pytest

from heapflow.frontend.bitcode import read_module
from heapflow.frontend.canonical import canonicalise
from heapflow.frontend.link import Unit, link_programs
from heapflow.ir.arguments import STRUCT_RETURN_NUMBER, by_value_argument
from heapflow.ir.check import check_program
from heapflow.ir.constants import (
    constant_bytes,
    constant_elements,
    constant_number,
    constant_text,
    shuffle_mask,
)
from heapflow.ir.kinds import ArithFlag, EdgeKind, GepFlag, Op, RmwOp, ValueKind
from heapflow.ir.program import Program
from tests.frontend.bitcode.compile import ZIG, compile_to_bitcode

SOURCE = Path(__file__).parents[2] / "c" / "frontend" / "constants.c"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    return read_module(
        canonicalise(compile_to_bitcode(SOURCE, tmp_path_factory.mktemp("bc"))), "constants.c"
    )


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What the program itself prints of its tables."""
    binary = tmp_path_factory.mktemp("run") / "constants"
    command = [str(ZIG), "cc", "-w", "-o", str(binary), str(SOURCE)]
    subprocess.run(command, check=True, capture_output=True)
    lines = subprocess.run([str(binary)], check=True, capture_output=True, text=True).stdout
    return {
        name: bytes.fromhex(digits)
        for name, digits in (line.split() for line in lines.splitlines())
    }


def test_tables_hold_what_the_program_prints(program: Program, printed: dict[str, bytes]) -> None:
    assert len(printed) == 20
    assert program.unread == () and check_program(program) == []
    for name, expected in printed.items():
        assert _memory(program, name) == expected, name


def test_linking_keeps_constants(
    program: Program, printed: dict[str, bytes], tmp_path: Path
) -> None:
    other = tmp_path / "other.c"
    other.write_text("const double before[] = {7, 8}; double f(void) { return 0.125; }\n")
    first = read_module(canonicalise(compile_to_bitcode(other, tmp_path)), "other.c")
    linked = link_programs([Unit(first), Unit(program)])
    assert check_program(linked) == []
    for name, expected in printed.items():
        assert _memory(linked, name) == expected, name


def _memory(program: Program, name: str) -> bytes:
    """A variable's initial contents, from its leaves."""
    table = program.globals
    [row] = [r for r in range(len(table)) if program.global_name(r) == name]
    memory = bytearray(int(program.types.size[table.type[row]]))
    for at in range(int(table.init_start[row]), int(table.init_start[row + 1])):
        part = constant_bytes(program, int(table.init_value[at]))
        assert part is not None
        offset = int(table.init_offset[at])
        memory[offset : offset + len(part)] = part
    return bytes(memory)


def _func(program: Program, name: str) -> int:
    return [program.func_name(f) for f in range(len(program.functions))].index(name)


def _rows(program: Program, func: str, op: Op) -> list[int]:
    return [i for i in program.instr_range(_func(program, func)) if program.instrs.op[i] == op]


def _second_operand(program: Program, func: str, op: Op) -> int:
    [row] = _rows(program, func, op)
    return program.operands(row)[1]


def test_floats_in_code(program: Program) -> None:
    double = _second_operand(program, "add_double", Op.FADD)
    assert constant_bytes(program, double) == struct.pack("<d", 2.5)
    assert constant_text(program, double) == "2.5"
    single = _second_operand(program, "add_float", Op.FADD)
    assert constant_bytes(program, single) == struct.pack("<f", 0.1)
    extended = constant_bytes(program, _second_operand(program, "add_extended", Op.FADD))
    assert extended is not None and len(extended) == 16
    mantissa, exponent = struct.unpack("<QH", extended[:10])
    assert abs(Fraction(mantissa) * Fraction(2) ** (exponent - 16383 - 63) - Fraction(1, 10)) < (
        Fraction(1, 1 << 66)
    )


def test_wide_integers_in_code(program: Program) -> None:
    wide = _second_operand(program, "add_wide", Op.ADD)
    assert program.values.kind[wide] == ValueKind.WIDE_INT
    assert constant_number(program, wide) == (5 << 70) | 9
    assert constant_number(program, _second_operand(program, "add_negative", Op.ADD)) == -2
    assert constant_text(program, wide) == str((5 << 70) | 9)


def test_vectors_in_code(program: Program) -> None:
    added = constant_elements(program, _second_operand(program, "add_vector", Op.ADD))
    assert added == [struct.pack("<i", n) for n in (1, 2, 3, 4)]
    zero = constant_elements(program, _second_operand(program, "add_zero", Op.MUL))
    assert zero == [bytes(4)] * 4
    for func, mask in (
        ("shuffle", [0, -1, 5, 2]),
        ("shuffle_zero", [0, 0, 0, 0]),
        ("shuffle_all", [7, 6, 1, 0]),
    ):
        [row] = _rows(program, func, Op.SHUFFLE_VECTOR)
        assert shuffle_mask(program, row) == mask


def _made(tmp_path: Path, text: str, *flags: str) -> tuple[Program, str]:
    """The tables of a C text, and LLVM's own words for it."""
    source = tmp_path / "made.c"
    source.write_text(text)
    data = canonicalise(compile_to_bitcode(source, tmp_path, "-g0", *flags))
    program = read_module(data, "made.c")
    assert program.unread == () and check_program(program) == []
    return program, str(llvm.parse_bitcode(data, llvm.create_context()))


ATOMICS = """
int c; unsigned u; double d;
void f(int x) {
  __atomic_fetch_add(&c, x, 5); __atomic_fetch_sub(&c, x, 5); __atomic_fetch_and(&c, x, 5);
  __atomic_fetch_or(&c, x, 5); __atomic_fetch_xor(&c, x, 5); __atomic_exchange_n(&c, x, 5);
  __atomic_fetch_nand(&c, x, 5); __atomic_fetch_min(&c, x, 5); __atomic_fetch_max(&c, x, 5);
  __atomic_fetch_min(&u, x, 5); __atomic_fetch_max(&u, x, 5);
}
"""


def test_atomic_operations_are_llvms(tmp_path: Path) -> None:
    program, text = _made(tmp_path, ATOMICS)
    words = re.findall(r"atomicrmw (\w+)", text)
    spelling = {"xchg": RmwOp.EXCHANGE}
    expected = [spelling[w] if w in spelling else RmwOp[w.upper()] for w in words]
    assert [RmwOp(int(program.instrs.aux[i])) for i in _rows(program, "f", Op.ATOMIC_RMW)] == (
        expected
    )
    assert len(set(expected)) == 11


SWITCH = """
int f(__int128 x) {
  switch (x) {
  case 0: return 10;
  case 5: return 11;
  case (__int128)1 << 100: return 12;
  case -1: return 13;
  }
  return 9;
}
"""


def test_wide_switch_cases(tmp_path: Path) -> None:
    program, _ = _made(tmp_path, SWITCH)
    [row] = _rows(program, "f", Op.SWITCH)
    block, blocks = int(program.instrs.block[row]), program.blocks
    edges = range(int(blocks.edge_start[block]), int(blocks.edge_start[block + 1]))
    kinds = [EdgeKind(int(blocks.edge_kind[e])) for e in edges]
    assert kinds == [EdgeKind.DEFAULT, EdgeKind.CASE, *[EdgeKind.INDIRECT] * 3]
    assert [constant_number(program, v) for v in program.operands(row)[1:]] == [5, 1 << 100, -1]


FLAGS = """
int add(int a, int b) { return a + b; }
unsigned plain(unsigned a, unsigned b) { return a + b; }
long distance(int *a, int *b) { return a - b; }
char *step(char *p, int i) { return p + i; }
struct s { int a, b; }; int *member(struct s *p) { return &p->b; }
int aligned(void (*use)(void *)) { _Alignas(64) char room[3]; use(room); return room[0]; }
_Alignas(32) short spaced = 3;
"""


def test_flags_and_alignments(tmp_path: Path) -> None:
    program, text = _made(tmp_path, FLAGS, "-fno-sanitize=all")
    instrs = program.instrs
    assert instrs.aux2[_rows(program, "add", Op.ADD)].tolist() == [ArithFlag.NO_SIGNED_WRAP]
    assert instrs.aux2[_rows(program, "plain", Op.ADD)].tolist() == [0]
    assert instrs.aux2[_rows(program, "distance", Op.SDIV)].tolist() == [ArithFlag.EXACT]
    assert "align 64" in text
    assert instrs.aux2[_rows(program, "aligned", Op.ALLOCA)].tolist() == [64]
    assert program.globals.align.tolist() == [32]
    for name in ("step", "member"):
        [row] = _rows(program, name, Op.GEP)
        assert not instrs.operand_number[instrs.operand_start[row]]
    wrapping, _ = _made(tmp_path, FLAGS, "-fno-sanitize=all", "-fwrapv", "-fwrapv-pointer")
    [row] = _rows(wrapping, "step", Op.GEP)
    assert wrapping.instrs.operand_number[wrapping.instrs.operand_start[row]] == GepFlag.MAY_LEAVE
    assert wrapping.instrs.aux2[_rows(wrapping, "add", Op.ADD)].tolist() == [0]


PASSING = """
struct big { long a[8]; }; struct wide { long double a[2]; };
struct big out(int, struct big, ...);
long f(struct big *b, struct wide *w) { return out(1, *b, 2, *w, 3).a[0]; }
"""


def test_arguments_that_are_copied(tmp_path: Path) -> None:
    program, _ = _made(tmp_path, PASSING)
    instrs = program.instrs
    [row] = [i for i in _rows(program, "f", Op.CALL) if not _is_intrinsic(program, i)]
    start, end = int(instrs.operand_start[row]), int(instrs.operand_start[row + 1])
    numbers = instrs.operand_number[start:end].tolist()
    assert numbers[1] == STRUCT_RETURN_NUMBER
    assert [by_value_argument(number) for number in numbers] == [
        *(None, None, None),
        (64, 8),
        *(None, (32, 16), None),
    ]


def _is_intrinsic(program: Program, instr: int) -> bool:
    return program.func_name(program.direct_callee(instr)).startswith("llvm.")
