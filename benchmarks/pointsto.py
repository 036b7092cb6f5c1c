"""Points-to over programs of growing size: CPU, memory, set sizes, as absolute figures and ratios.

    python -m benchmarks.pointsto [--limit SECONDS] PROGRAM...

PROGRAM is a directory with a compile_commands.json, or one of bitcode files (*.bc). Each is measured
in a process of its own. A build is compiled first, one file at a time, with an empty cache and the
compiler that heapflow uses; the share is points-to's CPU over that compiler's. Of the two figures for
memory the first is the peak before points-to began, with the tables of the whole program. The last
column is CPU per instruction relative to the first program: near-linear means near 1.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measured import run_measured
from heapflow.frontend.inputs import find_inputs
from heapflow.frontend.load import FrontendSettings, load_program
from heapflow.modelled.take import take_models
from heapflow.models.load import load_models
from heapflow.pointsto.analyse import analyse_points_to
from heapflow.pointsto.config import PointsToConfig

HEADER = (
    "program",
    "files",
    "instructions",
    "CPU s",
    "compiler's CPU s",
    "of the compiler's",
    "MB before",
    "peak MB",
    "sets",
    "mean",
    "p99",
    "max",
    "calls through pointers / unresolved",
    "CPU per instruction, first = 1",
)


def measure(path: str) -> dict[str, Any]:
    """One program, in this process."""
    files = sorted(str(file) for file in Path(path).glob("*.bc")) or [path]
    with tempfile.TemporaryDirectory() as empty:
        settings = FrontendSettings(jobs=1, cache_directory=Path(empty))
        loaded = load_program(find_inputs(files), settings)
    program = loaded.program
    assert program is not None, f"{path}: nothing could be read"
    models, before = load_models(), _peak_mb()
    begun = time.process_time()
    modelled = take_models(program, models)
    analysis = analyse_points_to(modelled.program, modelled.models, PointsToConfig())
    cpu = time.process_time() - begun
    sizes = analysis.points_to.set_sizes()
    return {
        "files": loaded.units - len(loaded.failures),
        "instructions": len(program.instrs),
        "cpu": cpu,
        "compiler": loaded.costs.compiler if files == [path] else 0.0,
        "mb_before": before,
        "mb": _peak_mb(),
        "sets": len(sizes),
        "mean": float(sizes.mean()) if len(sizes) else 0.0,
        "p99": float(np.percentile(sizes, 99)) if len(sizes) else 0.0,
        "max": int(sizes.max()) if len(sizes) else 0,
        "indirect": int(np.count_nonzero(analysis.calls.indirect)),
        "unresolved": len(analysis.calls.unresolved()),
    }


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def row(name: str, found: dict[str, Any], first: float) -> list[str]:
    """`first` is the CPU per instruction of the first program."""
    compiler, cpu = found["compiler"], found["cpu"]
    return [
        name,
        f"{found['files']}",
        f"{found['instructions']:,}",
        f"{cpu:.1f}",
        f"{compiler:.1f}" if compiler else "-",
        f"{cpu / compiler:.2f}" if compiler else "-",
        f"{found['mb_before']:.0f}",
        f"{found['mb']:.0f}",
        f"{found['sets']:,}",
        f"{found['mean']:.1f}",
        f"{found['p99']:.0f}",
        f"{found['max']}",
        f"{found['indirect']} / {found['unresolved']}",
        f"{per_instruction(found) / first:.2f}",
    ]


def per_instruction(found: dict[str, Any]) -> float:
    return max(float(found["cpu"]), 1e-3) / max(int(found["instructions"]), 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("programs", nargs="+", metavar="PROGRAM")
    parser.add_argument("--limit", type=float, default=1800.0, help="seconds for one program")
    parser.add_argument("--once", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.once:
        print(json.dumps(measure(options.programs[0])))
        return
    print("| " + " | ".join(HEADER) + " |\n" + "|---" * len(HEADER) + "|", flush=True)
    first = 0.0
    for program in options.programs:
        name = Path(program).resolve().name
        call = [sys.executable, "-m", "benchmarks.pointsto", "--once", program]
        run = run_measured(call, limit=options.limit)
        if run.timed_out or run.status:
            reason = "did not finish" if run.timed_out else "failed"
            print(
                f"| {name} | {reason}: {run.cpu_seconds:.0f} s, {run.peak_mb:.0f} MB |", flush=True
            )
            print(run.stderr, file=sys.stderr)
            continue
        found = json.loads(run.stdout)
        first = first or per_instruction(found)
        print("| " + " | ".join(row(name, found, first)) + " |", flush=True)


if __name__ == "__main__":
    main()
