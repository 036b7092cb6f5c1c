"""What whole programs cost, beside their compiler, over their size: builds in, a table out.

    python -m benchmarks.draws [--limit SECONDS] [--without-replay] BUILD...

BUILD is a directory with a compile_commands.json. Each is measured in a process of its own, one job,
empty cache, all phases. CPU seconds; the compiler is heapflow's own. `KB per instruction` is the peak
of the whole process over the program's IR instructions. Programs come smallest first. The last lines
are the share of programs within three and six times the compiler's CPU, and per phase the exponent
e of CPU ~ instructions^e, fitted over all programs: 1 is linear.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Sequence
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
    "peak MB",
    "KB per instruction",
)
REPLAY = ("replay", "clients", "report")


def total(found: dict[str, Any], without: Sequence[str] = ()) -> float:
    """CPU beyond the compiler's, over the compiler's."""
    seconds = sum(cpu for phase, cpu in found["seconds"].items() if phase not in without)
    return float((found["front end"] + seconds) / max(found["compiler"], 0.01))


def row(found: dict[str, Any]) -> list[str]:
    seconds = found["seconds"]
    return [
        found["program"],
        f"{found['instructions']:,}",
        f"{found['compiler']:.1f}",
        f"{found['front end']:.1f}",
        *(f"{seconds[phase]:.1f}" if phase in seconds else "-" for phase in PHASES),
        f"{total(found):.1f}" if "replay" in seconds else "-",
        f"{total(found, REPLAY):.1f}",
        f"{found['peak']:.0f}",
        f"{found['peak'] * 1024 / max(found['instructions'], 1):.1f}",
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
    exponents = [
        f"{phase} {exponent([(f['instructions'], f['seconds'].get(phase, 0)) for f in measured]):.2f}"
        for phase in PHASES
    ]
    lines.append("exponents over size: " + ", ".join(exponents))
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("builds", nargs="+", metavar="BUILD")
    parser.add_argument("--limit", type=float, default=1800.0, help="seconds for one program")
    parser.add_argument("--without-replay", action="store_true", help="end before replay")
    parser.add_argument("--once", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.once:
        print(json.dumps(measure(options.builds[0], replay=not options.without_replay)))
        return
    measured: list[dict[str, Any]] = []
    for build in options.builds:
        call = [sys.executable, "-m", "benchmarks.draws", "--once", build]
        call += ["--without-replay"] if options.without_replay else []
        run = run_measured(call, limit=options.limit)
        if run.status:
            how = "did not end" if run.timed_out else "failed"
            print(f"{Path(build).name}: {how}, {run.cpu_seconds:.0f} s, {run.peak_mb:.0f} MB")
            print(run.stderr, file=sys.stderr)
            continue
        measured.append(json.loads(run.stdout))
        print(f"{Path(build).name}: {run.cpu_seconds:.0f} s", file=sys.stderr, flush=True)
    measured.sort(key=lambda found: int(found["instructions"]))
    print("| " + " | ".join(HEAD) + " |\n" + "|---" * len(HEAD) + "|")
    for found in measured:
        print("| " + " | ".join(row(found)) + " |")
    print("\n" + "\n".join(closing(measured)))


if __name__ == "__main__":
    main()
