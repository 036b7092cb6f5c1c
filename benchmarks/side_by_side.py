"""heapflow and other leak checkers on the same files in one run: findings, CPU, memory.

    python -m benchmarks.side_by_side BUILD...      # or: make side-by-side BUILDS="BUILD..."

BUILD is a directory with a compile_commands.json (`heapflow capture -- make` writes one). The peers
take one file at a time, as they do in a build; their CPU is added up and their peak is that of the
largest file. heapflow takes the files as one program, with an empty cache; its CPU holds that of its
compiler. One process at a time everywhere. A tool that is not there is shown as such.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.measured import Measured, run_measured
from benchmarks.peers import PEERS, Peer, Place
from heapflow.frontend.inputs import find_inputs
from heapflow.frontend.units import SourceUnit

HEADER = (
    "| program | tool | files | not analysed | leaks | CPU s | wall s | peak MB |\n"
    "|---|---|---|---|---|---|---|---|"
)


@dataclass(frozen=True, slots=True)
class Row:
    """One tool on one program."""

    tool: str
    files: int
    failed: int
    leaks: int | None  # None: it did not come to an end
    at_exit: int  # those of `leaks` that the end of the program loses, where the tool tells
    cpu_seconds: float
    wall_seconds: float
    peak_mb: float


def measure_peer(peer: Peer, program: str, units: Iterable[SourceUnit], limit: float) -> Row:
    """Each unit in a process of its own."""
    found: set[Place] = set()
    runs: list[Measured] = []
    failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        for unit in units:
            # In the unit's own directory, since its flags have relative paths.
            run = run_measured(
                peer.command(program, unit), unit.directory, limit, {"TMPDIR": scratch}
            )
            runs.append(run)
            failed += run.timed_out or run.status != 0
            found |= peer.leaks(run.stdout + run.stderr, unit.directory)
    return _row(peer.name, runs, failed, len(found))


def measure_heapflow(build: str, files: int, limit: float) -> Row:
    """The whole program, from an empty cache."""
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch, "report.json")
        command = [sys.executable, "-m", "heapflow", "check", str(Path(build).resolve())]
        options = ["-j", "1", "--no-config", "-q", "--exit-zero", "--format", f"json:{report}"]
        environment = {"HEAPFLOW_CACHE_DIR": str(Path(scratch, "cache"))}
        run = run_measured([*command, *options], scratch, limit, environment)
        if run.timed_out or not report.exists():
            print(run.stderr, file=sys.stderr)
            return replace(_row("heapflow", [run], files, None), files=files)
        failed, leaks, at_exit = read_report(report.read_text())
    return replace(_row("heapflow", [run], failed, leaks), files=files, at_exit=at_exit)


def read_report(text: str) -> tuple[int, int, int]:
    """Failed files, leaks, and the leaks at exit among them, in heapflow's JSON."""
    report = json.loads(text)
    rules = [found["rule"] for found in report["findings"] if not found["suppressed"]]
    return len(report["summary"]["failed"]), len(rules), rules.count("leak-at-exit")


def _row(tool: str, runs: list[Measured], failed: int, leaks: int | None) -> Row:
    return Row(
        tool,
        len(runs),
        failed,
        leaks,
        0,
        sum(run.cpu_seconds for run in runs),
        sum(run.wall_seconds for run in runs),
        max((run.peak_mb for run in runs), default=0.0),
    )


def table_row(program: str, row: Row) -> str:
    leaks = "did not finish" if row.leaks is None else str(row.leaks)
    leaks += f" ({row.at_exit} at exit)" if row.at_exit else ""
    return (
        f"| {program} | {row.tool} | {row.files} | {row.failed} | {leaks} | "
        f"{row.cpu_seconds:.1f} | {row.wall_seconds:.1f} | {row.peak_mb:.0f} |"
    )


def compare(build: str, options: argparse.Namespace) -> None:
    """Print a row per tool as soon as it is there."""
    name = Path(build).resolve().name
    units = find_inputs([build]).units
    row = measure_heapflow(build, len(units), options.program_limit)
    print(table_row(name, row), flush=True)
    for peer in PEERS:
        program = peer.find()
        if program is None:
            print(f"| {name} | {peer.name} | not installed | | | | | |", flush=True)
            continue
        row = measure_peer(peer, program, units, options.file_limit)
        print(table_row(name, row), flush=True)


def versions() -> str:
    """Which tools these are: the first line in which each says so."""
    found = [(peer.name, peer.find()) for peer in PEERS]
    lines = [run_measured([sys.executable, "-m", "heapflow", "--version"]).stdout]
    lines += [run_measured([path, "--version"]).stdout for _, path in found if path]
    return "; ".join(text.splitlines()[0] for text in lines if text)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("builds", nargs="+", metavar="BUILD")
    parser.add_argument("--file-limit", type=float, default=300.0, help="seconds for one file")
    parser.add_argument("--program-limit", type=float, default=3600.0, help="seconds for heapflow")
    options = parser.parse_args()
    print(f"{versions()}\n\n{HEADER}", flush=True)
    for build in options.builds:
        compare(build, options)


if __name__ == "__main__":
    main()
