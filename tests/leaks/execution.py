"""Run annotated functions under LeakSanitizer: which allocation lines leak, on some input.

In:    Unit.     Out: Observed, per function: the source lines on the stacks of leaked blocks.
A driver (driver.h) is generated from the functions' signatures; ints take -1..3, strings a few
texts, out-parameters and struct pointers zeroed memory of the caller's. Every function also runs
with its k-th allocation failing. Several inputs share one process, so what a function keeps in a
global must not be lost by calling it again.
"""

from __future__ import annotations

import itertools
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.leaks.sources import Function, Param, Unit

_HERE = Path(__file__).resolve().parent
_WRAPPED = "free malloc calloc realloc strdup strndup wcsdup vasprintf asprintf".split()
_INTS = ("-1", "0", "1", "2", "3")
_NATURALS = ("0", "1", "2", "3")
_TEXTS = ('""', '"a"', '"key=value;b=c"', '"a longer text, with: several, fields"')
_WIDE_TEXTS = ('L""', 'L"wide text"')
_FRAME = re.compile(r"^\s+#\d+ 0x[0-9a-f]+ .*\((/.*)\+(0x[0-9a-f]+)\)")
_ERROR = re.compile(r"ERROR: AddressSanitizer: ([\w-]+)")
_EVENT = re.compile(r"^@(begin|end|crash|exit) (\w+) (\d+)(.*)$")


@dataclass
class Observed:
    """What the runs of one function showed."""

    leaked: bool = False
    stacks: set[tuple[str, ...]] = field(default_factory=set)  # "file.c:12", innermost first
    direct: set[tuple[str, ...]] = field(default_factory=set)  # of stacks: nothing led to the block
    also_freed: set[tuple[str, ...]] = field(default_factory=set)  # of stacks: freed in other runs
    crashes: list[str] = field(default_factory=list)


def can_run() -> bool:
    return shutil.which("gcc") is not None and shutil.which("addr2line") is not None


def observe_leaks(unit: Unit, work: Path) -> dict[str, Observed]:
    functions = [f for f in unit.functions() if f.not_run is None]
    return observe_functions(unit.files, functions, work)


def observe_functions(
    files: Sequence[Path], functions: Sequence[Function], work: Path, ints: tuple[str, ...] = _INTS
) -> dict[str, Observed]:
    driver = work / "driver.c"
    driver.write_text(driver_source(functions, ints))
    program = compile_program([*files, driver], work / "program")
    report = run_program(program)
    return _read_report(report, program, functions)


def compile_program(files: list[Path], program: Path) -> Path:
    command = ["gcc", "-std=gnu11", "-g1", "-O0", "-w", "-fno-omit-frame-pointer"]
    command += ["-fsanitize=address", "-Dmain=program_main", f"-I{_HERE}", "-pthread"]
    command += [f"-Wl,--wrap={name}" for name in _WRAPPED]
    command += [*map(str, files), "-o", str(program), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{files[0]} does not compile:\n{done.stderr}"
    return program


def run_program(program: Path) -> str:
    options = "symbolize=0:exitcode=99:detect_leaks=1:allocator_may_return_null=1"
    options += ":detect_stack_use_after_return=0:quarantine_size_mb=1:malloc_context_size=16"
    options += ":fast_unwind_on_malloc=0:leak_check_at_exit=0"
    done = subprocess.run(
        [program],
        env={"ASAN_OPTIONS": options, "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        errors="replace",
        timeout=120,
        check=False,
        cwd=program.parent,
    )
    assert done.returncode == 0, f"{program} failed:\n{done.stderr[-2000:]}"
    return done.stderr


def driver_source(functions: Sequence[Function], ints: tuple[str, ...] = _INTS) -> str:
    lines = ['#include "driver.h"', ""]
    lines += sorted({f"struct {name};" for name in _structs(functions)})
    cases = []
    for function in functions:
        inputs = list(itertools.product(*(_values(p, ints) for p in function.params)))[:1024]
        name = "program_main" if function.name == "main" else function.name
        lines.append(function.prototype.replace(" main(", " program_main(") + ";")
        lines.append(f"static void call_{name}(int input) {{")
        lines.append("  switch (input) {")
        for number, values in enumerate(inputs):
            call = f"{name}({', '.join(values)})"
            if "*" in function.result:
                call = f"keep({call})"
            lines.append(f"  case {number}: {call}; break;")
        lines += ["  }", "}"]
        cases.append(f'  {{"{name}", {len(inputs)}, call_{name}}},')
    # This file is compiled with -Dmain=program_main like the others.
    lines += ["static const struct test_case cases[] = {", *cases, "};", "#undef main"]
    lines.append("int main(void) { return run_all(cases, sizeof cases / sizeof *cases); }")
    return "\n".join(lines) + "\n"


def _structs(functions: Sequence[Function]) -> set[str]:
    texts = [f.result for f in functions] + [p.type for f in functions for p in f.params]
    return {name for text in texts for name in re.findall(r"\bstruct (\w+)", text)}


def _values(param: Param, ints: tuple[str, ...]) -> tuple[str, ...]:
    kind = param.type.replace("const", "").replace(" ", "")
    if kind == "char*" and "const" in param.type:
        return _TEXTS
    if kind == "wchar_t*":
        return _WIDE_TEXTS
    if "*" in kind:
        return ("fresh()",)
    if kind in ("size_t", "unsigned", "unsignedint", "unsignedlong", "unsignedchar"):
        return _NATURALS
    return ints


def _read_report(report: str, program: Path, functions: Sequence[Function]) -> dict[str, Observed]:
    observed = {f.name: Observed() for f in functions}
    observed["program_main"] = observed.get("main", Observed())
    blocks: list[tuple[str, list[str]]] = []  # function, addresses of one stack
    direct: set[int] = set()  # numbers of blocks
    freed: list[tuple[str, list[str]]] = []
    current, failing, in_leak, error = "", "0", False, ""
    for line in report.splitlines():
        if found := _ERROR.search(line):
            error = found[1]
        if event := _EVENT.match(line):
            in_leak = False
            kind, current, failing, rest = event.groups()
            if kind == "end" and rest.strip() == "leaked":
                observed[current].leaked = True
            # A block that could not be had is used: that path ends there, and loses nothing.
            if kind == "crash" and (failing == "0" or error != "SEGV"):
                observed[current].crashes.append(f"{rest.strip()}, failing {failing}: {error}")
        elif line.startswith("@freed"):
            freed.append((current, line.split()[1:]))
        elif line.startswith(("Direct leak", "Indirect leak")):
            in_leak = True
            if line.startswith("Direct"):
                direct.add(len(blocks))
            blocks.append((current, []))
        elif in_leak and (frame := _FRAME.match(line)):
            if Path(frame[1]).name == program.name:
                blocks[-1][1].append(frame[2])
        elif not line.strip():
            in_leak = False
    places = _source_lines(program, sorted({a for _, stack in blocks + freed for a in stack}))
    freed_stacks = {(name, _in_program(stack, places)) for name, stack in freed}
    for number, (name, stack) in enumerate(blocks):
        addresses = _in_program(stack, places)
        lines = tuple(places[address] for address in addresses)
        observed[name].stacks.add(lines)
        if number in direct:
            observed[name].direct.add(lines)
        if (name, addresses) in freed_stacks:
            observed[name].also_freed.add(lines)
    return observed


def _in_program(stack: list[str], places: dict[str, str]) -> tuple[str, ...]:
    return tuple(a for a in stack if not places[a].startswith(("driver.", "?")))


def _source_lines(program: Path, addresses: list[str]) -> dict[str, str]:
    if not addresses:
        return {}
    command = ["addr2line", "-e", str(program), *addresses]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    names = [line.split(" (")[0].rsplit("/", 1)[-1] for line in text.splitlines()]
    return dict(zip(addresses, names, strict=True))
