"""Juliet's CWE590 (free of memory that is not on the heap), C cases, by function.

python -m benchmarks.juliet_extra DIRECTORY [--sample N] [--tool heapflow|gcc|clang|cppcheck]

DIRECTORY has testcases/, testcasesupport/ and support.c. One case is one functional variant × one
flow variant, with all of its files (`_51a.c`, `_51b.c`). A finding in a function named `bad` is right,
in one named `good` is wrong; a case counts once for its bad half, and once for its good half. CWE762
has no case in C: all of its files are C++.
"""

from __future__ import annotations

import argparse
import random
import re
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

_CASE = re.compile(r"(CWE\d+_.*_\d+)[a-z]?\.c$")
_PLACE = re.compile(r"^(\S+?\.c):(\d+)[:,]")
Found = set[str]  # functions in which something was found


def find_cases(root: Path) -> dict[str, list[Path]]:
    """Files by case."""
    found: dict[str, list[Path]] = defaultdict(list)
    for file in sorted(root.glob("testcases/CWE590*/**/*.c")):
        match = _CASE.search(file.name)
        if match:
            found[match[1]].append(file)
    return dict(found)


def by_heapflow(root: Path, files: list[Path]) -> Found:
    from heapflow.api import check

    names = [str(file) for file in (*files, root / "support.c")]
    flags = [f"-I{root / 'testcasesupport'}"]
    report = check(*names, cflags=flags, root=root, select=["invalid-free"], jobs=1)
    return {
        place.function
        for finding in report.findings
        for place in (finding.primary, *(step.place for step in finding.steps))
    }


def _by_command(command: list[str], wanted: str) -> Callable[[Path, list[Path]], Found]:
    def run(root: Path, files: list[Path]) -> Found:
        """Findings by line, as the functions that they lie in. All files of a case are one unit: these
        tools see one file at a time."""
        with tempfile.TemporaryDirectory() as directory:
            unit = Path(directory, "unit.c")
            unit.write_text("".join(f'#include "{file}"\n' for file in files))
            argv = [*command, f"-I{root / 'testcasesupport'}", str(unit)]
            said = subprocess.run(argv, capture_output=True, text=True, cwd=directory).stderr
        places = [_PLACE.match(line) for line in said.splitlines() if re.search(wanted, line)]
        return {_function_at(Path(place[1]), int(place[2])) for place in places if place}

    return run


def _function_at(file: Path, line: int) -> str:
    name = ""
    for text in file.read_text(errors="replace").splitlines()[:line]:
        start = re.match(r"^(?:static )?\w[\w *]*?(\w+)\([^;]*$", text)
        name = start[1] if start else name
    return name


TOOLS: dict[str, Callable[[Path, list[Path]], Found]] = {
    "heapflow": by_heapflow,
    "gcc": _by_command(["gcc", "-fanalyzer", "-c", "-o", "/dev/null"], "free-of-non-heap"),
    "clang": _by_command(
        ["clang", "--analyze", "-Xclang", "-analyzer-output=text"],
        "not memory allocated by|not pointing to the start|memory not allocated",
    ),
    "cppcheck": _by_command(
        ["cppcheck", "--template={file}:{line}: {id}", "--quiet"], "autovarInvalidDeallocation"
    ),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--tool", choices=sorted(TOOLS), default="heapflow")
    options = parser.parse_args()
    root = options.directory.resolve()
    cases = find_cases(root)
    names = sorted(cases)
    if options.sample:
        names = sorted(random.Random(1).sample(names, min(options.sample, len(names))))
    hit = missed = wrong = 0
    for name in names:
        found = TOOLS[options.tool](root, cases[name])
        is_bad = any("bad" in function.lower() for function in found)
        is_good = any("good" in function.lower() for function in found)
        hit, missed, wrong = hit + is_bad, missed + (not is_bad), wrong + is_good
        if not is_bad or is_good:
            print(f"{name}: {'found' if is_bad else 'missed'}{', false' if is_good else ''}")
    precision = 100 * hit / max(hit + wrong, 1)
    print(f"{len(names)} cases: {hit} found, {missed} missed, {wrong} with a false report")
    print(f"precision {precision:.1f}, recall {100 * hit / max(len(names), 1):.1f}")


if __name__ == "__main__":
    main()
