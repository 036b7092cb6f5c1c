"""Points-to over programs of growing size: CPU, memory, set sizes, as absolute figures and ratios.

    python benchmarks/pointsto.py DIRECTORY...     # each holds the bitcode files (*.bc) of one program

A file `cpu.txt` beside the bitcode with a line `cpu SECONDS` gives the compiler's CPU for the ratio.
The last column is CPU per instruction relative to the first program: near-linear means near 1.
"""

from __future__ import annotations

import resource
import sys
import time
from pathlib import Path

import numpy as np

from heapflow.frontend.bitcode.module import read_module
from heapflow.frontend.canonical import canonicalise
from heapflow.frontend.link import Unit, link_programs
from heapflow.ir.program import Program
from heapflow.models.load import load_models
from heapflow.pointsto.analyse import analyse_points_to
from heapflow.pointsto.config import PointsToConfig

HEADER = (
    f"{'program':12} {'instrs':>8} {'CPU s':>7} {'of compiler':>11} {'MB':>5} {'sets':>7} "
    f"{'mean':>6} {'median':>6} {'p99':>5} {'max':>5} {'by value':>9} {'open':>5} {'growth':>6}"
)


def main() -> None:
    print(HEADER)
    first = 0.0
    for name in sys.argv[1:]:
        directory = Path(name)
        program = _read(directory)
        begun = time.process_time()
        analysis = analyse_points_to(program, load_models(), PointsToConfig())
        cpu = time.process_time() - begun
        per_instr = cpu / max(len(program.instrs), 1)
        first = first or per_instr
        sizes = analysis.points_to.set_sizes()
        median, p99 = np.percentile(sizes, [50, 99]) if len(sizes) else (0, 0)
        compiler = _compiler_seconds(directory)
        share = f"{cpu / compiler:11.2f}" if compiler else f"{'?':>11}"
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        by_value = int(np.count_nonzero(analysis.calls.indirect))
        print(
            f"{directory.name:12} {len(program.instrs):8} {cpu:7.2f} {share} {memory:5} "
            f"{len(sizes):7} {sizes.mean():6.2f} {median:6.0f} {p99:5.0f} {sizes.max():5} "
            f"{by_value:9} {len(analysis.calls.unresolved()):5} {per_instr / first:6.2f}",
            flush=True,
        )


def _read(directory: Path) -> Program:
    units = [
        Unit(read_module(canonicalise(path.read_bytes()), path.name))
        for path in sorted(directory.glob("*.bc"))
    ]
    return link_programs(units)


def _compiler_seconds(directory: Path) -> float:
    report = directory / "cpu.txt"
    if not report.exists():
        return 0.0
    rows = (line.split() for line in report.read_text().splitlines())
    return next((float(row[1]) for row in rows if row[0] == "cpu"), 0.0)


if __name__ == "__main__":
    main()
