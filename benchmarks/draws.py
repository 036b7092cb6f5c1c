"""What whole programs cost, beside their compiler, over their size: builds in, a table out.

    python -m benchmarks.draws [--limit SECONDS] [--without-replay] [--keep FILE] BUILD...

BUILD is a directory with a compile_commands.json. Each is measured in a process of its own, one job,
empty cache, all phases. CPU seconds; the compiler is heapflow's own. `KB per instruction` is the peak
of the whole process over the program's IR instructions. A line is printed as soon as a program is
measured; one that fails or does not end costs its own line only. With `--keep`, what was measured is
also appended to a file, one JSON object per line, and what is in the file already is not measured
again. Then the table, smallest programs first; the last lines are the share of programs within three
and six times the compiler's CPU and within 6 KB per instruction, replay's share of the CPU, and per
phase the exponent e of CPU ~ instructions^e, fitted over all programs: 1 is linear.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from benchmarks.measured import run_measured
from benchmarks.whole import PHASES, measure

HEAD = (
    "program",
    "instructions",
    "compiler s",
    "front end s",
    *(f"{phase} s" for phase in PHASES),
    "total / compiler",
    "without replay / compiler",
    "replay's share",
    "peak MB",
    "KB per instruction",
)
REPLAY = ("replay", "clients", "report")
MOST_KB = 6  # per instruction, the aim


def total(found: dict[str, Any], without: Sequence[str] = ()) -> float:
    """CPU beyond the compiler's, over the compiler's."""
    seconds = sum(cpu for phase, cpu in found["seconds"].items() if phase not in without)
    return float((found["front end"] + seconds) / max(found["compiler"], 0.01))


def kb_per_instruction(found: dict[str, Any]) -> float:
    return float(found["peak"] * 1024 / max(found["instructions"], 1))


def replays_share(found: dict[str, Any]) -> float:
    """Of all CPU but the compiler's."""
    return float(1 - total(found, REPLAY) / max(total(found), 0.01))


def row(found: dict[str, Any]) -> list[str]:
    if "failed" in found:
        return [found["program"], found["failed"], *["-"] * (len(HEAD) - 2)]
    seconds = found["seconds"]
    return [
        found["program"],
        f"{found['instructions']:,}",
        f"{found['compiler']:.1f}",
        f"{found['front end']:.1f}",
        *(f"{seconds[phase]:.1f}" if phase in seconds else "-" for phase in PHASES),
        f"{total(found):.1f}" if "replay" in seconds else "-",
        f"{total(found, REPLAY):.1f}",
        f"{replays_share(found):.0%}" if "replay" in seconds else "-",
        f"{found['peak']:.0f}",
        f"{kb_per_instruction(found):.1f}",
    ]


def exponent(points: Sequence[tuple[float, float]]) -> float:
    """e of y ~ x^e by least squares over logarithms; points at 0 say nothing."""
    logs = [(math.log(x), math.log(y)) for x, y in points if x > 0 and y > 0]
    if len({x for x, _ in logs}) < 2:
        return math.nan
    mean_x = sum(x for x, _ in logs) / len(logs)
    mean_y = sum(y for _, y in logs) / len(logs)
    slope = sum((x - mean_x) * (y - mean_y) for x, y in logs)
    return slope / sum((x - mean_x) ** 2 for x, _ in logs)


def closing(measured: Sequence[dict[str, Any]]) -> list[str]:
    """What the table comes to."""
    if not measured:
        return []
    whole = [found for found in measured if "replay" in found["seconds"]]
    lines = []
    for what, rows, without in (("all phases", whole, ()), ("without replay", measured, REPLAY)):
        ratios = [total(found, without) for found in rows]
        within = [sum(ratio <= most for ratio in ratios) for most in (3, 6)]
        if ratios:
            lines.append(
                f"{what}: {within[0]} of {len(ratios)} programs within 3 times the compiler's CPU, "
                f"{within[1]} within 6; the largest {max(ratios):.1f}"
            )
    small = sum(kb_per_instruction(found) <= MOST_KB for found in measured)
    most = max(map(kb_per_instruction, measured))
    lines.append(
        f"memory: {small} of {len(measured)} programs within {MOST_KB} KB per instruction; "
        f"the largest {most:.1f}"
    )
    if whole:
        shares = sorted(map(replays_share, whole))
        lines.append(
            f"replay's share of the CPU: {shares[0]:.0%} to {shares[-1]:.0%}, "
            f"median {shares[len(shares) // 2]:.0%}"
        )
    exponents = [
        f"{phase} {exponent([(f['instructions'], f['seconds'].get(phase, 0)) for f in measured]):.2f}"
        for phase in PHASES
    ]
    lines.append("exponents over size: " + ", ".join(exponents))
    return lines


def run_one(build: str, limit: float, without_replay: bool) -> dict[str, Any]:
    """One program in a process of its own; if that fails, how."""
    call = [sys.executable, "-m", "benchmarks.draws", "--once", build]
    call += ["--without-replay"] if without_replay else []
    run = run_measured(call, limit=limit)
    if run.status == 0:
        with suppress(json.JSONDecodeError):
            return {"build": build, **json.loads(run.stdout)}
    how = "did not end" if run.timed_out else "failed"
    print(run.stderr[-2000:], file=sys.stderr)
    return {
        "build": build,
        "program": Path(build).name,
        "failed": f"{how}: {run.cpu_seconds:.0f} s, {run.peak_mb:.0f} MB",
    }


def kept_in(file: Path | None) -> dict[str, dict[str, Any]]:
    """What was measured before, by build."""
    if file is None or not file.exists():
        return {}
    lines = (json.loads(line) for line in file.read_text().splitlines() if line)
    return {found["build"]: found for found in lines}


def line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("builds", nargs="+", metavar="BUILD")
    parser.add_argument("--limit", type=float, default=1800.0, help="seconds for one program")
    parser.add_argument("--without-replay", action="store_true", help="end before replay")
    parser.add_argument("--keep", type=Path, metavar="FILE", help="append measurements, and go on")
    parser.add_argument("--once", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.once:
        print(json.dumps(measure(options.builds[0], replay=not options.without_replay)))
        return
    found = kept_in(options.keep)
    for build in options.builds:
        if build in found:
            continue
        found[build] = run_one(build, options.limit, options.without_replay)
        print(line(row(found[build])), file=sys.stderr, flush=True)
        if options.keep is not None:
            with options.keep.open("a") as file:
                file.write(json.dumps(found[build]) + "\n")
    measured = [one for one in found.values() if "failed" not in one]
    measured.sort(key=lambda one: int(one["instructions"]))
    print(line(HEAD) + "\n" + "|---" * len(HEAD) + "|")
    for one in [*measured, *(one for one in found.values() if "failed" in one)]:
        print(line(row(one)))
    print("\n" + "\n".join(closing(measured)))


if __name__ == "__main__":
    main()
