"""Linking on the tables: the rules of a Unix linker, and several programs in one database."""

from __future__ import annotations

from pathlib import Path

from heapflow.frontend.bitcode import read_module
from heapflow.frontend.canonical import canonicalise
from heapflow.frontend.link import Unit, link_programs
from heapflow.ir.check import check_program
from heapflow.ir.kinds import FuncFlag, GlobalFlag, Op
from heapflow.ir.program import Program
from tests.frontend.bitcode.compile import compile_to_bitcode


def link(
    tmp_path: Path,
    *texts: str,
    targets: tuple[tuple[str, ...], ...] = (),
    folders: tuple[str, ...] = (),
    whole: tuple[bool, ...] = (),
) -> Program:
    units = []
    for number, text in enumerate(texts):
        source = tmp_path / f"unit{number}.c"
        source.write_text(text)
        bitcode = canonicalise(compile_to_bitcode(source, tmp_path))
        named = targets[number] if targets else ()
        folder = folders[number] if folders else "."
        is_whole = whole[number] if whole else False
        units.append(Unit(read_module(bitcode, f"{folder}/{source.name}"), named, is_whole))
    program = link_programs(units)
    assert check_program(program) == []
    return program


def functions(program: Program, name: str) -> list[int]:
    return [f for f in range(len(program.functions)) if program.func_name(f) == name]


def flags(program: Program, func: int) -> FuncFlag:
    return FuncFlag(int(program.functions.flags[func]))


def callees(program: Program, caller: str) -> list[int]:
    """The functions called directly by all definitions of a name, in order."""
    found = []
    for func in functions(program, caller):
        for instr in program.instr_range(func):
            if program.instrs.op[instr] == Op.CALL:
                found.append(program.direct_callee(instr))
    return found


def unit_of(program: Program, func: int) -> int:
    return int(program.functions.module[func])


def meant(program: Program, func: int) -> list[int]:
    """Units of the definitions that a function row stands for."""
    start = program.functions.alternative_start
    listed = program.functions.alternative[start[func] : start[func + 1]].tolist()
    return [unit_of(program, f) for f in listed] or [unit_of(program, func)]


def test_a_call_means_the_definition_in_the_other_file(tmp_path: Path) -> None:
    program = link(
        tmp_path, "int g(int); int f(void) { return g(1); }", "int g(int x) { return x; }"
    )
    [callee] = callees(program, "f")
    assert not flags(program, callee) & FuncFlag.DECLARATION
    assert meant(program, callee) == [1]
    assert functions(program, "g") == [callee]


def test_static_functions_stay_apart(tmp_path: Path) -> None:
    text = "static int g(int x) { return x; } int f%d(void) { return g(1); }"
    program = link(tmp_path, text % 0, text % 1, "int g(int x) { return -x; } ")
    assert [meant(program, c) for c in callees(program, "f0") + callees(program, "f1")] == [
        [0],
        [1],
    ]
    assert len(functions(program, "g")) == 3


def test_a_strong_definition_beats_a_weak_one(tmp_path: Path) -> None:
    program = link(
        tmp_path,
        "__attribute__((weak)) int g(void) { return 1; } int f(void) { return g(); }",
        "int g(void) { return 2; }",
    )
    assert [meant(program, c) for c in callees(program, "f")] == [[1]]
    discarded = [f for f in functions(program, "g") if flags(program, f) & FuncFlag.DISCARDED]
    assert [unit_of(program, f) for f in discarded] == [0]


def test_a_definition_that_lost_keeps_its_parts(tmp_path: Path) -> None:
    weak = "__attribute__((weak)) int f(int n) { int m = n * 2; return m; }\n"
    program = link(
        tmp_path, weak + "int a(void) { return f(1); }\n", "int f(int n) { return n; }\n"
    )
    lost, chosen = functions(program, "f")
    assert flags(program, lost) & FuncFlag.DISCARDED and callees(program, "a") == [chosen]
    assert program.params.func.tolist() == [lost, chosen]
    variables = program.variables
    owners = {program.strings[n]: f for n, f in zip(variables.name, variables.func, strict=True)}
    assert owners["m"] == lost


def test_inline_copies_of_headers(tmp_path: Path) -> None:
    """A copy serves where nobody defines the function; else the definition does."""
    inline, use = "inline int f(int n) { return n + 1; }\n", "int a(void) { return f(1); }\n"
    alone = link(tmp_path, inline + use)
    assert callees(alone, "a") == functions(alone, "f")
    assert not flags(alone, functions(alone, "f")[0]) & FuncFlag.DECLARATION
    program = link(tmp_path, inline + use, inline + "extern int f(int n);\n")
    copy, definition = functions(program, "f")
    assert flags(program, copy) & FuncFlag.DISCARDED and callees(program, "a") == [definition]


def test_alias_across_files(tmp_path: Path) -> None:
    program = link(
        tmp_path,
        "int other(int); int f(void) { return other(1); }",
        'int real(int x) { return x; } int other(int x) __attribute__((alias("real")));',
    )
    assert [program.func_name(c) for c in callees(program, "f")] == ["real"]
    [other] = functions(program, "other")
    assert functions(program, "real") == [int(program.functions.aliasee[other])]
    assert flags(program, other) & FuncFlag.ALIAS


def test_a_second_name_that_lost_has_no_row(tmp_path: Path) -> None:
    weak = 'int other(int x) __attribute__((weak, alias("real")));'
    program = link(
        tmp_path,
        "int real(int x) { return x; }" + weak,
        "int other(int x) { return -x; } int f(void) { return other(1); }",
    )
    assert [meant(program, c) for c in callees(program, "f")] == [[1]]
    assert functions(program, "other") == callees(program, "f")


def test_undefined_functions_are_external_and_inherit_noreturn(tmp_path: Path) -> None:
    program = link(
        tmp_path,
        "void die(void); int f(int x) { if (x) die(); return x; }",
        "__attribute__((noreturn)) void die(void); void g(void) { die(); }",
    )
    [row] = functions(program, "die")
    assert flags(program, row) & FuncFlag.DECLARATION
    assert flags(program, row) & FuncFlag.NO_RETURN


def test_common_and_extern_variables_are_one(tmp_path: Path) -> None:
    program = link(
        tmp_path,
        "__attribute__((common)) int shared; int *f(void) { return &shared; }",
        "extern int shared; int g(void) { return shared; }",
        "__attribute__((common)) int shared[4]; int h(void) { return shared[3]; }",
    )
    rows = [
        g
        for g in range(len(program.globals))
        if program.global_name(g) == "shared"
        and not program.globals.flags[g] & GlobalFlag.DISCARDED
    ]
    assert len(rows) == 1
    assert program.types.size[program.globals.type[rows[0]]] == 16


MAIN = "int helper(void); int main(void) { return helper(); }"
HELPER = "int helper(void) { return %d; }"


def test_several_programs_without_targets_may_mean_any(tmp_path: Path) -> None:
    program = link(tmp_path, MAIN, HELPER % 1, MAIN, HELPER % 2)
    assert len(functions(program, "main")) == 2
    for callee in callees(program, "main"):
        assert flags(program, callee) & FuncFlag.DECLARATION
        assert meant(program, callee) == [1, 3]


def test_without_targets_the_definition_next_to_the_unit_or_above_it_is_meant(
    tmp_path: Path,
) -> None:
    """As in a shell with its own `xmalloc`, and a library with one for use without the shell."""
    caller = "int helper(void); int from%d(void) { return helper(); }"
    program = link(
        tmp_path,
        HELPER % 0,
        HELPER % 1,
        *(caller % number for number in range(2, 6)),
        folders=("/src", "/src/lib/line", "/src", "/src/lib/line/keys", "/src/lib/sh", "/other"),
    )
    found = [meant(program, callee) for n in range(2, 6) for callee in callees(program, f"from{n}")]
    assert found == [[0], [1], [0], [0, 1]]  # from /other both are equally far


def test_without_targets_siblings_come_before_what_is_further_away(tmp_path: Path) -> None:
    caller = "int helper(void); int from(void) { return helper(); }"
    folders = ("/src/tool/common", "/src/daemon", "/src/tool/main")
    program = link(tmp_path, HELPER % 0, HELPER % 1, caller, folders=folders)
    assert [meant(program, callee) for callee in callees(program, "from")] == [[0]]


def test_a_file_that_is_compiled_twice_defines_one_function(tmp_path: Path) -> None:
    units = []
    for text, name in ((HELPER % 1, "tree.c"), (HELPER % 2, "tree.c"), (MAIN, "main.c")):
        (tmp_path / name).write_text(text)
        bitcode = canonicalise(compile_to_bitcode(tmp_path / name, tmp_path))
        units.append(Unit(read_module(bitcode, name)))
    program = link_programs(units)
    assert check_program(program) == []
    assert [meant(program, callee) for callee in callees(program, "main")] == [[0]]


def test_several_programs_with_targets_are_told_apart(tmp_path: Path) -> None:
    program = link(
        tmp_path,
        MAIN,
        HELPER % 1,
        MAIN,
        HELPER % 2,
        "int helper(void); int shared(void) { return helper(); }",
        targets=(("one",), ("one",), ("two",), ("two",), ("one", "two")),
    )
    assert [meant(program, c) for c in callees(program, "main")] == [[1], [3]]
    assert [meant(program, c) for c in callees(program, "shared")] == [[1, 3]]
    names = [program.strings[int(t)] for t in program.modules.target]
    assert names == ["one", "one", "two", "two", "one", "two"]


def test_a_module_means_what_the_program_that_loads_it_exports(tmp_path: Path) -> None:
    host = "int list; int find(int x) { return list + x; } int main(void) { return find(1); }"
    module = "extern int list; int find(int); int run(void) { return list + find(2); }"
    texts, targets = (host, module), (("host",), ("module.so",))
    program = link(tmp_path, *texts, targets=targets)
    assert callees(program, "run") == functions(program, "find")
    assert [program.functions.module[f] for f in functions(program, "find")] == [0]
    assert len(program.globals) == 1


def test_a_program_that_exports_nothing_gives_modules_nothing(tmp_path: Path) -> None:
    host = "int find(int x) { return x; } int main(void) { return find(1); }"
    module = "int find(int); int run(void) { return find(2); }"
    texts, targets = (host, module), (("host",), ("module.so",))
    program = link(tmp_path, *texts, targets=targets, whole=(True, False))
    (callee,) = callees(program, "run")
    assert flags(program, callee) & FuncFlag.DECLARATION


def test_what_two_programs_export_is_not_chosen_from(tmp_path: Path) -> None:
    host = "int find(int x) { return x; } int main(void) { return find(1); }"
    module = "int find(int); int run(void) { return find(2); }"
    targets = (("one",), ("two",), ("module.so",))
    program = link(tmp_path, host, host, module, targets=targets)
    (callee,) = callees(program, "run")
    assert flags(program, callee) & FuncFlag.DECLARATION


def test_a_program_does_not_take_its_names_from_another(tmp_path: Path) -> None:
    one = "int getopt(int x) { return x; } int main(void) { return getopt(1); }"
    two = "int getopt(int); int main(void) { return getopt(2); }"
    program = link(tmp_path, one, two, targets=(("one",), ("two",)))
    assert len(functions(program, "getopt")) == 2


def test_equal_structs_get_one_id(tmp_path: Path) -> None:
    head = "struct s { int a; char *name; struct s *next; };"
    program = link(
        tmp_path,
        head + "char *f(struct s *p) { return p->name; }",
        head + "struct s *g(struct s *p) { return p->next; }",
        "struct s; struct s *g(struct s *); void *h(struct s *p) { return g(p); }",
    )
    structs = [
        t
        for t in range(len(program.types))
        if program.strings[int(program.types.name[t])] == "struct.s"
    ]
    assert len(structs) == 1
    named = [
        c for c in range(len(program.ctypes)) if program.strings[int(program.ctypes.name[c])] == "s"
    ]
    assert len(named) == 1
    start = program.ctypes.member_start
    assert start[named[0] + 1] - start[named[0]] == 3
