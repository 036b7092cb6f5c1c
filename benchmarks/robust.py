"""Does heapflow come through: no crash, no hang, the same findings twice?

    python -m benchmarks.robust [--csmith N] [--keep DIR] [--whole] [BUILD...]
    make robust CSMITH=300 BUILDS="BUILD..."

N random programs (csmith's, with allocations put in), and every C file of each BUILD alone, with its
flags; with --whole each BUILD as one program, too. Each is checked twice, with -j1 and no cache, then
with -j2 and a cache. An input passes if both runs end in time with status 0 or 1, without a traceback,
and their JSON is the same but for the timing. Status 3 is counted apart: it does not compile, or there
is no function in it. What did not pass is described in DIR, one line each in problems.txt; the exit
status is 1 if there is any.
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.generated import csmith_flags, csmith_program
from benchmarks.measured import Measured, run_measured
from heapflow.frontend.inputs import find_inputs

PASSED = ("clean", "findings", "no function", "does not compile")
FAILED = ("differs", "timeout", "traceback", "bad status")
OUTCOMES = (*PASSED, *FAILED)


@dataclass(frozen=True, slots=True)
class Case:
    """One thing to check: a name, and what follows `heapflow check`."""

    group: str
    name: str
    arguments: tuple[str, ...]
    flags: tuple[str, ...] = ()


def outcome_of(runs: list[tuple[Measured, str]]) -> str:
    """The outcome of the runs of one case; each comes with the JSON that it wrote."""
    for run, _ in runs:
        if run.timed_out:
            return "timeout"
        if "Traceback (most recent call last)" in run.stderr:
            return "traceback"
        if run.status not in (0, 1, 3):
            return "bad status"
    if len({(run.status, without_timing(text)) for run, text in runs}) > 1:
        return "differs"
    run, text = runs[0]
    if run.status == 3:
        return "does not compile" if json.loads(text)["summary"]["failed"] else "no function"
    return "findings" if run.status else "clean"


def without_timing(text: str) -> str:
    """A JSON report less what no two runs share."""
    report = json.loads(text) if text else {}
    report.get("summary", {}).pop("phases", None)
    return json.dumps(report, sort_keys=True)


def check_twice(case: Case, limit: float) -> tuple[str, list[tuple[Measured, str]]]:
    """Both runs of a case, or the first alone if that did not end well."""
    runs: list[tuple[Measured, str]] = []
    with tempfile.TemporaryDirectory() as scratch:
        environment = {"HEAPFLOW_CACHE_DIR": f"{scratch}/cache", "HEAPFLOW_DEBUG": "1"}
        for number, how in enumerate((("-j", "1", "--no-cache"), ("-j", "2"))):
            report = Path(scratch, f"{number}.json")
            command = [sys.executable, "-m", "heapflow", "check", *case.arguments, *how]
            command += ["--no-config", "--format", f"json:{report}", "--", *case.flags]
            run = run_measured(command, ".", limit, environment)
            runs.append((run, report.read_text() if report.exists() else ""))
            if outcome_of(runs) not in PASSED:
                break
    return outcome_of(runs), runs


def csmith_cases(count: int, first_seed: int, place: Path) -> Iterator[Case]:
    flags = tuple(csmith_flags()) if count else ()
    for seed in range(first_seed, first_seed + count):
        source = place / f"csmith-{seed}.c"
        source.write_text(csmith_program(seed))
        yield Case("csmith", source.name, (str(source),), flags)
        source.unlink()


def build_cases(build: str, whole: bool) -> Iterator[Case]:
    name = Path(build).resolve().name
    if whole:
        yield Case(f"{name}, whole", name, (build,))
        return
    for path in dict.fromkeys(unit.path.resolve() for unit in find_inputs([build]).units):
        yield Case(name, str(path), ("-p", build, str(path)))


def keep(case: Case, outcome: str, runs: list[tuple[Measured, str]], place: Path) -> None:
    """Enough to see it again: the generated source, what was written, and a line of summary."""
    place.mkdir(parents=True, exist_ok=True)
    stem = f"{case.group}-{Path(case.name).stem}".replace(", ", "-")
    for number, (run, text) in enumerate(runs):
        (place / f"{stem}.{number}.err").write_text(run.stderr)
        (place / f"{stem}.{number}.json").write_text(text)
    if case.group == "csmith":
        (place / case.name).write_bytes(Path(case.arguments[0]).read_bytes())
    last = (runs[-1][0].stderr.strip().splitlines() or [""])[-1]
    call = shlex.join(["heapflow", "check", *case.arguments, "--", *case.flags])
    run = runs[-1][0]
    line = f"{outcome}: {call}: status {run.status}, {run.cpu_seconds:.1f} s of CPU: {last}\n"
    with (place / "problems.txt").open("a") as problems:
        problems.write(line)
    print(line, end="", file=sys.stderr, flush=True)


def all_cases(options: argparse.Namespace, place: Path) -> Iterator[Case]:
    yield from csmith_cases(options.csmith, options.seed, place)
    for build in options.builds:
        if options.files:
            yield from build_cases(build, whole=False)
        if options.whole:
            yield from build_cases(build, whole=True)


def table(counts: dict[str, Counter[str]], slowest: dict[str, float]) -> str:
    rows = [f"| inputs | number | {' | '.join(OUTCOMES)} | slowest, CPU s |"]
    rows.append("|---" * (len(OUTCOMES) + 3) + "|")
    for group, outcomes in counts.items():
        cells = " | ".join(str(outcomes[outcome]) for outcome in OUTCOMES)
        rows.append(f"| {group} | {outcomes.total()} | {cells} | {slowest[group]:.1f} |")
    return "\n".join(rows)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("builds", nargs="*", metavar="BUILD")
    parser.add_argument("--csmith", type=int, default=0, metavar="N", help="random programs")
    parser.add_argument("--seed", type=int, default=1, help="seed of the first one")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds for one run")
    parser.add_argument("--whole", action="store_true", help="each build as one program, too")
    parser.add_argument("--no-files", dest="files", action="store_false", help="no file alone")
    parser.add_argument("--keep", default="robust-problems", metavar="DIR")
    options = parser.parse_args()
    counts: dict[str, Counter[str]] = {}
    slowest: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as scratch:
        for case in all_cases(options, Path(scratch)):
            outcome, runs = check_twice(case, options.limit)
            counts.setdefault(case.group, Counter())[outcome] += 1
            spent = max(run.cpu_seconds for run, _ in runs)
            slowest[case.group] = max(slowest.get(case.group, 0.0), spent)
            if outcome not in PASSED:
                keep(case, outcome, runs, Path(options.keep))
    print(table(counts, slowest))
    return int(any(outcomes[bad] for outcomes in counts.values() for bad in FAILED))


if __name__ == "__main__":
    sys.exit(main())
