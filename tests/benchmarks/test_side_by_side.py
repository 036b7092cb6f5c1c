"""The benchmark reads the output of other tools rightly; samples are what they write, cut short."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from benchmarks.measured import run_measured
from benchmarks.peers import PEERS, Peer, cppcheck_flags
from benchmarks.side_by_side import Row, read_report, table_row
from heapflow.frontend.units import SourceUnit

CLANG, GCC, CPPCHECK = PEERS

CLANG_SAYS = """\
a.c:3:50: warning: Potential leak of memory pointed to by 'p' [unix.Malloc]
int f(int n) { char *p = malloc(10); if (n) return 1;
                                            ^
a.c:3:50: note: Potential leak of memory pointed to by 'p'
lib/b.c:5:59: warning: Potential memory leak [unix.Malloc]
lib/b.c:9:5: warning: Use of memory after it is freed [unix.Malloc]
lib/b.c:10:5: warning: Value stored to 'leak' is never read [deadcode.DeadStores]
3 warnings generated.
"""
GCC_SAYS = """\
a.c: In function 'f':
a.c:3:50: warning: leak of 'p' [CWE-401] [-Wanalyzer-malloc-leak]
a.c:3:25: note: (1) allocated here
a.c:3:50: note: (2) 'p' leaks here; was allocated at (1)
a.c:4:64: warning: leak of FILE 'f' [CWE-775] [-Wanalyzer-file-leak]
/src/b.h:9:1: warning: leak of '<unknown>' [CWE-401] [-Wanalyzer-malloc-leak]
"""
CPPCHECK_SAYS = """\
a.c:3:43: memleak: Memory leak: p
a.c:5:22: memleakOnRealloc: Common realloc mistake: 'p' nulled but not freed upon failure
a.c:6:7: resourceLeak: Resource leak: f
nofile:0:0: missingInclude: memleak.h
b.c:7:9: leakReturnValNotUsed: Return value of allocation function 'malloc' is not stored.
"""


def test_clang() -> None:
    found = CLANG.leaks(CLANG_SAYS, "/src")
    assert {place[:3] for place in found} == {("/src/a.c", 3, 50), ("/src/lib/b.c", 5, 59)}


def test_gcc() -> None:
    found = GCC.leaks(GCC_SAYS, "/src")
    assert {place[:3] for place in found} == {("/src/a.c", 3, 50), ("/src/b.h", 9, 1)}


def test_cppcheck() -> None:
    found = CPPCHECK.leaks(CPPCHECK_SAYS, "/src")
    assert {place[:2] for place in found} == {("/src/a.c", 3), ("/src/a.c", 5), ("/src/b.c", 7)}


def test_a_leak_in_a_header_is_one() -> None:
    seen = [GCC.leaks(GCC_SAYS, directory) for directory in ("/src", "/src/lib")]
    assert len({place for found in seen for place in found if place[0] == "/src/b.h"}) == 1


def test_flags_for_cppcheck() -> None:
    flags = (
        "-DX=1",
        "-D",
        "Y",
        "-O2",
        "-Iinc",
        "-isystem",
        "sys",
        "-iquote.",
        "-Wall",
        "-std=gnu99",
    )
    assert cppcheck_flags((*flags, "-include", "config.h", "-fPIC")) == [
        *("-DX=1", "-DY", "-Iinc", "-Isys", "-I.", "--std=c99", "--include=config.h")
    ]


@pytest.mark.parametrize("peer", PEERS, ids=lambda peer: peer.name)
@pytest.mark.parametrize("leaks", [0, 1])
def test_really(peer: Peer, leaks: int, tmp_path: Path) -> None:
    """Where the tool is installed: its leak is counted, and a file without one has none."""
    program = peer.find()
    if program is None:
        pytest.skip(f"{peer.name} is not installed")
    (tmp_path / "a.c").write_text(
        "#include <stdlib.h>\n"
        "int f(int n) { char *p = malloc(8);\n"
        "#if LEAK\n"
        "  if (n) return 1;\n"
        "#endif\n"
        "  free(p); return n; }\n"
    )
    unit = SourceUnit("a.c", str(tmp_path), (f"-DLEAK={leaks}", "-O2", "-Wall"))
    run = run_measured(peer.command(program, unit), tmp_path)
    assert run.status == 0, run.stderr
    assert len(peer.leaks(run.stdout + run.stderr, str(tmp_path))) == leaks


def test_own_report() -> None:
    findings = [
        {"rule": "never-freed", "suppressed": None},
        {"rule": "leak-at-exit", "suppressed": None},
        {"rule": "never-freed", "suppressed": {"by": "comment"}},
    ]
    report = {"summary": {"failed": [{"file": "a.c"}]}, "findings": findings}
    assert read_report(json.dumps(report)) == (1, 2, 1)


def test_rows() -> None:
    row = Row("heapflow", 9, 1, 12, 3, 4.25, 5.0, 99.7)
    assert table_row("p", row) == "| p | heapflow | 9 | 1 | 12 (3 at exit) | 4.2 | 5.0 | 100 |"
    assert "did not finish" in table_row("p", Row("x", 1, 1, None, 0, 0, 0, 0))


def test_limit_and_cost() -> None:
    run = run_measured([sys.executable, "-c", "print(1); sum(range(10**6))"])
    assert (run.status, run.stdout, run.timed_out) == (0, "1\n", False)
    assert run.cpu_seconds > 0
    assert run.peak_mb > 1
    run = run_measured([sys.executable, "-c", "import time; time.sleep(60)"], limit=0.3)
    assert run.timed_out
    assert run.status == 128 + 9
