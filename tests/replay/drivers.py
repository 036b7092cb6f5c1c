"""Call what a finding says is a call that loses a block, under LeakSanitizer.

In:    a unit of tests/c/leaks, its findings.     Out: per finding, which source lines lost a block.
`python -m tests.replay.drivers [UNIT …]` runs all drivers and prints those that lose nothing.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from heapflow.api import check
from heapflow.report.finding import Finding, Rule
from tests.leaks.sources import Function, Param, Unit, find_units

_CALL = re.compile(r"(\w+)\((.*)\)$")
_ARGUMENT = re.compile(r'"(?:[^"\\]|\\.)*"|[^,\s]+')
_FRAME = re.compile(r"^\s+#\d+ 0x[0-9a-f]+ .*\((/.*)\+(0x[0-9a-f]+)\)")
_NUMBERS = ("int", "long", "size_t", "unsigned", "unsigned int", "char", "short", "unsigned char")
_OPTIONS = (
    "symbolize=0:exitcode=99:detect_leaks=1:leak_check_at_exit=0:malloc_context_size=16"
    ":fast_unwind_on_malloc=0:allocator_may_return_null=1"
)
_MAIN = """
static void wipe(void) { volatile char a[1 << 16]; for (int i = 0; i < (1 << 16); i++) a[i] = 0; }
#undef main
int main(int argc, char **argv) {
  run(atoi(argv[1]));
  wipe();
  return __lsan_do_recoverable_leak_check() ? 99 : 0;
}
"""


@dataclass(frozen=True)
class Driver:
    """A finding, and the function that its call names."""

    finding: Finding
    function: Function
    arguments: tuple[str, ...]


def drivers_of(unit: Unit) -> list[Driver]:
    """Confirmed findings whose inputs are numbers and texts, and that lose a block while the program
    goes on."""
    if unit.not_run:
        return []
    functions = {f.name: f for f in unit.functions() if f.not_run is None}
    found = []
    for finding in check(*unit.files, root=unit.files[0].parent).findings:
        parsed = _CALL.match(finding.call)
        if not finding.is_confirmed or parsed is None or finding.rule is Rule.LEAK_AT_EXIT:
            continue
        function = functions.get(parsed[1])
        if function is not None and all(map(_is_plain, function.params)):
            found.append(Driver(finding, function, tuple(_ARGUMENT.findall(parsed[2]))))
    return found


def _is_plain(param: Param) -> bool:
    kind = " ".join(param.type.replace("const", "").split())
    return kind in _NUMBERS or kind in ("char *", "char*", "int *", "unsigned char *")


def run_drivers(unit: Unit, drivers: Sequence[Driver], work: Path) -> list[set[str]]:
    """For each driver the lines ("file.c:12") on the stacks of the blocks that it lost."""
    source = work / "driver.c"
    source.write_text(_source(drivers))
    program = work / "program"
    command = ["gcc", "-std=gnu11", "-g1", "-O0", "-w", "-fno-omit-frame-pointer"]
    command += ["-fsanitize=address", "-Dmain=program_main", "-pthread"]
    command += [str(source), *map(str, unit.files), "-o", str(program), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [_run(program, number) for number in range(len(drivers))]


def _source(drivers: Sequence[Driver]) -> str:
    lines = ["#include <stdbool.h>", "#include <stdlib.h>", "#include <wchar.h>"]
    lines.append("int __lsan_do_recoverable_leak_check(void);")
    lines.append("void *volatile kept;")
    lines += sorted({driver.function.prototype + ";" for driver in drivers})
    lines.append("static __attribute__((noinline)) void run(int number) {\n  switch (number) {")
    for number, driver in enumerate(drivers):
        lines.append(f"  case {number}: {{")
        names = []
        for position, (param, value) in enumerate(
            zip(driver.function.params, driver.arguments, strict=True)
        ):
            if value.startswith('"'):
                lines.append(f"    static _Alignas(8) char a{position}[] = {value};")
                names.append(f"({param.type})a{position}")
            else:
                names.append(value)
        call = f"{driver.function.name}({', '.join(names)})"
        lines.append(f"    {'kept = ' if '*' in driver.function.result else ''}{call};")
        lines.append("    break;\n  }")
    return "\n".join([*lines, "  }", "}", _MAIN])


def _run(program: Path, number: int) -> set[str]:
    environment = {**os.environ, "ASAN_OPTIONS": _OPTIONS}
    command = [str(program), str(number)]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, errors="replace", timeout=60,
        check=False, stdin=subprocess.DEVNULL, cwd=program.parent,
    )  # fmt: skip
    frames = [_FRAME.match(line) for line in done.stderr.splitlines()]
    addresses = [f[2] for f in frames if f is not None and Path(f[1]).name == program.name]
    if done.returncode != 99 or not addresses:
        return set()
    where = ["addr2line", "-e", str(program), *addresses]
    text = subprocess.run(where, capture_output=True, text=True, check=True).stdout
    return {line.split(" (")[0].rsplit("/", 1)[-1] for line in text.splitlines()}


def loses(driver: Driver, lines: set[str]) -> bool:
    """Whether a block was lost that was made where the finding says."""
    place = driver.finding.allocation
    return f"{Path(place.file).name}:{place.line}" in lines


def main(names: list[str]) -> int:
    wrong = total = 0
    for unit in find_units():
        if names and unit.name not in names:
            continue
        drivers = drivers_of(unit)
        if not drivers:
            continue
        with tempfile.TemporaryDirectory() as work:
            for driver, lines in zip(drivers, run_drivers(unit, drivers, Path(work)), strict=True):
                total += 1
                if not loses(driver, lines):
                    wrong += 1
                    place = driver.finding.allocation
                    print(f"{unit.name}:{place.line} {driver.finding.call} loses {sorted(lines)}")
    print(f"{total} drivers, {total - wrong} lose the block")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
