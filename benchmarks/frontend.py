"""Measure the front end on real builds.

    python benchmarks/frontend.py BUILD...

BUILD is a directory with a compile_commands.json (`heapflow capture -- make` writes one). For each, in
processes of its own and with an empty cache: files read and failed with the compiler's reasons, CPU
seconds of the compiler, CPU beyond the compiler's own (verification, SROA, reading, linking) and its
ratio, the second run with nothing changed as a share of the first, and the peak memory.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from heapflow.frontend.inputs import find_inputs
from heapflow.frontend.load import FrontendSettings, load_program


def measure_once(build: str, cache: Path, jobs: int) -> dict[str, Any]:
    """One run of the front end in this process."""
    wall, cpu = time.perf_counter(), _cpu()
    loaded = load_program(find_inputs([build]), FrontendSettings(jobs=jobs, cache_directory=cache))
    program = loaded.program
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return {
        "files": loaded.units,
        "read": loaded.units - len(loaded.failures),
        "failures": [failure.error for failure in loaded.failures],
        "dropped": len(loaded.dropped_flags),
        "compiler": loaded.costs.compiler,
        "reading": loaded.costs.reading,
        "linking": loaded.costs.linking,
        "wall": time.perf_counter() - wall,
        "cpu": _cpu() - cpu,
        "peak_mb": own / 1024,
        "child_peak_mb": children / 1024,
        "functions": len(program.functions) if program else 0,
        "instructions": len(program.instrs) if program else 0,
        "targets": len({t for unit in find_inputs([build]).units for t in unit.targets}),
    }


def _cpu() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def measure(build: str, jobs: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """The first and the second run, each in a fresh process."""
    with tempfile.TemporaryDirectory() as cache:
        first, second = (_in_process(build, cache, jobs) for _ in range(2))
    return first, second


def _in_process(build: str, cache: str, jobs: int) -> dict[str, Any]:
    call = [sys.executable, __file__, "--once", cache, "-j", str(jobs), build]
    run = subprocess.run(call, stdout=subprocess.PIPE, check=True)
    found: dict[str, Any] = json.loads(run.stdout)
    return found


def report(build: str, first: dict[str, Any], second: dict[str, Any]) -> str:
    beyond = first["cpu"] - first["compiler"]
    row = (
        f"| {Path(build).name} | {first['read']}/{first['files']} | {first['targets']} | "
        f"{first['functions']} | {first['instructions']} | {first['compiler']:.1f} | {beyond:.1f} | "
        f"{beyond / max(first['compiler'], 1e-9):.2f} | {second['cpu'] / first['cpu']:.3f} | "
        f"{second['wall'] / first['wall']:.3f} | {max(first['peak_mb'], second['peak_mb']):.0f} |"
    )
    reasons = [f"    {reason}" for reason in first["failures"]]
    return "\n".join([row, *reasons])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("builds", nargs="+")
    parser.add_argument("-j", dest="jobs", type=int, default=0)
    parser.add_argument("--once", metavar="CACHE", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.once:
        print(json.dumps(measure_once(options.builds[0], Path(options.once), options.jobs)))
        return
    print(
        "| program | files read | targets | functions | instructions | compiler CPU s | "
        "beyond it s | ratio | 2nd run CPU | 2nd run wall | peak MB |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for build in options.builds:
        print(report(build, *measure(build, options.jobs)), flush=True)


if __name__ == "__main__":
    main()
