"""Measure all phases on real programs, against the compiler in the same run.

    python -m benchmarks.whole BUILD...

BUILD is a directory with a compile_commands.json. Each is measured in a process of its own, with one
job and an empty cache: CPU seconds of the compiler, of the rest of the front end and of each phase, the
leak phase (with replay) and the total of everything but the compiler as shares of the compiler's
CPU, findings, and the peak memory of the process.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from heapflow.config import Config
from heapflow.frontend.inputs import find_inputs
from heapflow.frontend.load import FrontendSettings, load_program
from heapflow.models.load import load_models
from heapflow.pipeline import find_leaks
from heapflow.report.source import Sources
from heapflow.support.collector import without_collector
from heapflow.support.run import Run

PHASES = (
    "models",
    "beliefs",
    "points-to",
    "memory SSA",
    "value flow",
    "leaks",
    "properties",
    "invariants",
    "replay",
    "clients",
    "report",
)
HEAD = (
    "program",
    "compiler s",
    "front end s",
    *(f"{phase} s" for phase in PHASES),
    "leaks / compiler",
    "total / compiler",
    "findings",
    "peak MB",
)


class EndOfMeasuring(Exception):
    """All phases that were asked for have been measured."""


class _MeasuredRun(Run):
    """Notes the peak of memory after each phase; can end before one."""

    def __init__(self, end_before: str) -> None:
        super().__init__()
        self.end_before = end_before
        self.peaks: dict[str, float] = {}

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        if name == self.end_before:
            raise EndOfMeasuring
        with super().phase(name):
            yield
        self.peaks[name] = _peak_mb()


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(path: str, replay: bool = True) -> dict[str, Any]:
    """One program, in this process."""
    run = _MeasuredRun("" if replay else "replay")
    begin = time.process_time() + _of_children()
    with tempfile.TemporaryDirectory() as empty:
        settings = FrontendSettings(cache_directory=Path(empty), jobs=1)
        with without_collector():  # as `heapflow check` does
            loaded = load_program(find_inputs([path]), settings)
    front = time.process_time() + _of_children() - begin
    assert loaded.program is not None, f"{path}: nothing could be read"
    config = Config(frontend=settings)  # one job in all phases
    findings = 0
    with suppress(EndOfMeasuring):
        found = find_leaks(loaded.program, load_models(), config, run, Sources(Path.cwd()))
        findings = len(found.findings)
    return {
        "program": Path(path).name,
        "compiler": loaded.costs.compiler,
        "front end": front - loaded.costs.compiler,
        "seconds": {phase.name: phase.cpu_seconds for phase in run.phases},
        "findings": findings,
        "instructions": len(loaded.program.instrs),
        "peaks": run.peaks,
        "peak": _peak_mb(),
    }


def _of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def row(found: dict[str, Any]) -> list[str]:
    seconds, compiler = found["seconds"], found["compiler"]
    detection = seconds["leaks"] + seconds["replay"]
    total = found["front end"] + sum(seconds[phase] for phase in PHASES)
    return [
        found["program"],
        f"{compiler:.1f}",
        f"{found['front end']:.1f}",
        *(f"{seconds[phase]:.1f}" for phase in PHASES),
        f"{detection / compiler:.2f}",
        f"{total / compiler:.2f}",
        str(found["findings"]),
        f"{found['peak']:.0f}",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("builds", nargs="+")
    parser.add_argument("--once", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.once:
        print(json.dumps(measure(options.builds[0])))
        return
    print("| " + " | ".join(HEAD) + " |")
    print("|---" * len(HEAD) + "|")
    for build in options.builds:
        call = [sys.executable, "-m", "benchmarks.whole", "--once", build]
        done = subprocess.run(call, stdout=subprocess.PIPE, check=False)
        if done.returncode:
            print(f"| {Path(build).name} | failed |", flush=True)
            continue
        print("| " + " | ".join(row(json.loads(done.stdout))) + " |", flush=True)


if __name__ == "__main__":
    main()
