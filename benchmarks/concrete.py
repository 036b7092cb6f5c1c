"""Does replay's executor, without unknowns, do what compiled programs do?

    python -m benchmarks.concrete [--csmith N] [--first SEED] [--steps MOST] [--keep DIR] [-- OPTION...]
    make concrete CSMITH=300

N random programs (csmith's own: each prints a checksum of all its variables) are compiled and run, and
executed by replay. A program that does not compile, runs for more than a second, or takes more than
MOST instructions is replaced by that of the next seed. OPTIONs are csmith's. Any other difference is a
bug: its source stays in DIR. The last line has the counts and the time per instruction; the exit status
is 1 if there is a difference.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from benchmarks.generated import csmith_flags
from heapflow.frontend.inputs import find_inputs
from heapflow.frontend.load import FrontendSettings, load_program
from heapflow.models.load import Models, load_models
from heapflow.replay.concrete import Machine

_COMPILER = ("gcc", "-w", "-O0", "-fwrapv")


@dataclass(slots=True)
class Compared:
    """One program."""

    outcome: str  # same, different, replaced (by the next), not run
    detail: str = ""
    steps: int = 0
    seconds: float = 0.0


def expected_output(source: Path, flags: list[str], seconds: float) -> bytes | None:
    """What the compiled program prints; None: it takes too long, or does not compile."""
    program = source.with_suffix("")
    command = [*_COMPILER, *flags, str(source), "-o", str(program), "-lm"]
    if subprocess.run(command, check=False, capture_output=True).returncode:
        return None
    try:
        done = subprocess.run([program], capture_output=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return None
    return done.stdout


def compare(source: Path, flags: list[str], models: Models, most_steps: int) -> Compared:
    """Run both ways."""
    wanted = expected_output(source, flags, 1.0)
    if wanted is None:
        return Compared("replaced")
    settings = FrontendSettings(use_cache=False, jobs=1)
    program = load_program(find_inputs([str(source)], flags), settings).program
    if program is None:
        return Compared("replaced")
    machine = Machine(program, models)
    started = time.process_time()
    run = machine.run_main([str(source).encode()], most_steps=most_steps)
    spent = time.process_time() - started
    if run.end is None and run.why == "steps":
        return Compared("replaced", "", run.steps, spent)
    if run.end is None:
        return Compared("not run", run.why, run.steps, spent)
    if run.output != wanted:
        detail = f"{run.end.value} {run.why}: {run.output!r} for {wanted!r}"
        return Compared("different", detail, run.steps, spent)
    return Compared("same", "", run.steps, spent)


def csmith_source(seed: int, directory: Path, more: list[str]) -> Path:
    """The program of a seed, as csmith writes it."""
    command = ["csmith", "--seed", str(seed), *more]
    text = subprocess.run(command, capture_output=True, timeout=120, check=True).stdout
    source = directory / f"csmith{seed}.c"
    source.write_bytes(text)
    return source


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--csmith", type=int, default=300, metavar="N")
    parser.add_argument("--first", type=int, default=1, metavar="SEED")
    parser.add_argument("--steps", type=int, default=1_500_000, metavar="MOST")
    parser.add_argument("--keep", type=Path, metavar="DIR")
    parser.add_argument("more", nargs="*", metavar="OPTION")
    options = parser.parse_args()
    flags, models = csmith_flags(), load_models()
    counts: Counter[str] = Counter()
    steps, seconds, seed = 0, 0.0, options.first
    while counts["same"] + counts["different"] + counts["not run"] < options.csmith:
        with tempfile.TemporaryDirectory() as scratch:
            source = csmith_source(seed, Path(scratch), options.more)
            compared = compare(source, flags, models, options.steps)
            counts[compared.outcome] += 1
            if compared.outcome == "same":
                steps, seconds = steps + compared.steps, seconds + compared.seconds
            elif compared.outcome != "replaced":
                print(f"seed {seed}: {compared.outcome}: {compared.detail}", flush=True)
                if options.keep is not None:
                    options.keep.mkdir(parents=True, exist_ok=True)
                    (options.keep / source.name).write_bytes(source.read_bytes())
        seed += 1
    each = seconds / max(steps, 1) * 1e6
    told = ", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items()))
    print(f"{told}; {steps} instructions, {each:.2f} µs each")
    return int(counts["different"] + counts["not run"] > 0)


if __name__ == "__main__":
    sys.exit(main())
