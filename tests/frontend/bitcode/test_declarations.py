"""What the tables say of functions that are only declared."""

from __future__ import annotations

from pathlib import Path

import pytest

from heapflow.frontend.bitcode import read_module
from heapflow.frontend.canonical import canonicalise
from heapflow.frontend.compiler import compile_unit, find_compiler
from heapflow.frontend.link import Unit, link_programs
from heapflow.frontend.outline import without_bodies
from heapflow.frontend.units import SourceUnit
from heapflow.ir.check import check_program
from heapflow.ir.kinds import CTypeKind, FuncFlag, Op, ParamFlag
from heapflow.ir.program import Program

SOURCE = Path(__file__).parents[2] / "c" / "frontend" / "declarations.c"
# Which LLVM parameters point at something const; the length is the number of LLVM parameters.
CONST = {
    "take": (True, False, True, False, True, False),
    "through_typedefs": (True, True, True, True, False),
    "named": (False,),
    "large_result": (False, True, False),
    "pure_one": (True,),
    "const_one": (False,),
    "called": (True,),
    "checked": (False, False),
    "strcmp": (True, True),
    "strdup": (True,),
}


def _compiled(source: Path, workplace: Path) -> Program:
    """With the flags of every run."""
    workplace.mkdir()
    unit = SourceUnit(str(source), str(source.parent), ())
    data = compile_unit(find_compiler(), unit, workplace).data
    program = read_module(canonicalise(data), source.name)
    assert program.unread == () and check_program(program) == []
    return program


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    return _compiled(SOURCE, tmp_path_factory.mktemp("declarations") / "one")


def _func(program: Program, name: str) -> int:
    [found] = [f for f in range(len(program.functions)) if program.func_name(f) == name]
    return found


def _is_const(program: Program, name: str) -> tuple[bool, ...]:
    func = _func(program, name)
    starts, type_id = program.types.field_start, int(program.functions.type[func])
    count = int(starts[type_id + 1] - starts[type_id])
    return tuple(program.is_const_pointee(func, position) for position in range(count))


@pytest.mark.parametrize("name", CONST)
def test_const_pointees(program: Program, name: str) -> None:
    assert _is_const(program, name) == CONST[name]


def test_result_is_const(program: Program) -> None:
    assert program.functions.const_pointees[_func(program, "named")] == 1
    assert not program.functions.const_pointees[_func(program, "make")] & 1


def test_parameters_that_are_split_are_not_guessed(program: Program) -> None:
    func = _func(program, "split_struct")
    assert program.functions.const_pointees[func] == 1 << 2
    assert [program.c_parameter(func, position) for position in range(3)] == [-1, -1, -1]


def test_prototypes(program: Program) -> None:
    ctypes, functions = program.ctypes, program.functions
    prototype = int(functions.prototype[_func(program, "take")])
    begin, end = ctypes.member_start[prototype], ctypes.member_start[prototype + 1]
    kinds = [CTypeKind(int(ctypes.kind[m])) for m in ctypes.member_type[begin:end].tolist()]
    assert kinds == [*[CTypeKind.POINTER] * 5, CTypeKind.BASE]
    node = int(ctypes.elem[ctypes.member_type[begin]])
    assert program.strings[ctypes.name[node]] == "node"
    # Only what is called is described; what has a body is described as before.
    assert functions.prototype[_func(program, "only_address")] == -1
    called = _func(program, "called")
    assert functions.prototype[called] == functions.ctype[called] >= 0
    assert functions.ctype[_func(program, "take")] == -1


def test_linking_takes_the_prototype_from_where_it_is(program: Program, tmp_path: Path) -> None:
    other = tmp_path / "other.c"
    [line] = [text for text in SOURCE.read_text().splitlines() if text.startswith("int take")]
    other.write_text(f"struct node;\n{line}\nvoid *kept = take;\n")
    first = _compiled(other, tmp_path / "other")
    assert first.functions.prototype[_func(first, "take")] == -1
    linked = link_programs([Unit(first), Unit(program)])
    assert check_program(linked) == []
    for name, expected in CONST.items():
        if name not in ("called",):
            assert _is_const(linked, name) == expected, name
    outlined = without_bodies(linked, [_func(linked, "called")])
    assert check_program(outlined) == [] and _is_const(outlined, "called") == (True,)


def test_flags(program: Program) -> None:
    flags = {
        program.func_name(f): int(program.functions.flags[f]) for f in range(len(program.functions))
    }
    assert flags["make"] & FuncFlag.RESULT_NOT_NULL and flags["make"] & FuncFlag.RESULT_NO_ALIAS
    assert not flags["strdup"] & FuncFlag.RESULT_NOT_NULL
    writes, reads = FuncFlag.WRITES_NOTHING, FuncFlag.READS_NOTHING
    assert flags["pure_one"] & (writes | reads) == writes
    assert flags["const_one"] & (writes | reads) == writes | reads
    assert not flags["take"] & (writes | reads)
    first = int(program.functions.param_start[_func(program, "checked")])
    params = program.params.flags[first : first + 2].tolist()
    assert [bool(p & ParamFlag.NOT_NULL) for p in params] == [False, True]


def test_attributes_of_optimised_bitcode() -> None:
    params = "ptr returned %a, ptr captures(none) readonly %b, ptr readnone %c"
    text = f"define ptr @f({params}) {{\n  ret ptr %a\n}}\n"
    program = read_module(canonicalise(text.encode(), is_text=True), "a.ll")
    assert [ParamFlag(flags) for flags in program.params.flags.tolist()] == [
        ParamFlag.RETURNED,
        ParamFlag.NOT_CAPTURED | ParamFlag.READ_ONLY,
        ParamFlag.READ_ONLY,
    ]


def test_code_is_as_plain_as_without_optimisation(program: Program) -> None:
    """No hints, no markers; what must be inlined is, as compilers always do."""
    names = {program.func_name(f) for f in range(len(program.functions))}
    assert "doubled" not in names and "called" in names
    called = {
        program.func_name(program.direct_callee(instr))
        for instr in range(len(program.instrs))
        if program.instrs.op[instr] == Op.CALL
    }
    assert not {name for name in called if name.startswith(("llvm.expect", "llvm.lifetime"))}
    func = _func(program, "expected")
    copies = [i for i in program.instr_range(func) if program.instrs.op[i] == Op.FREEZE]
    assert len(copies) == 2
