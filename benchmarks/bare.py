"""Measure how much of source trees without a build can be compiled.

    python -m benchmarks.bare [--failures] TREE...

TREE is an unconfigured source tree. Per tree: C files outside of tests and examples that define
functions (files that are for another system, by their conditions or names, are counted apart if they
do not compile as a whole); how many of them
yield their functions (they compile, none is left out, and at least one is not switched off);
functions kept, left out and switched off, and those for which the C library's are taken (neither
kept nor left out); headers, macros and types that were invented. Nothing is analysed.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path

from heapflow.frontend.buildless.functions import function_spans, guards_at, is_of_a_system
from heapflow.frontend.buildless.tree import is_beside_the_program, is_for_another_system, read_text
from heapflow.frontend.guesses import Guesses
from heapflow.frontend.inputs import Search, find_inputs
from heapflow.frontend.load import FrontendSettings, load_program
from heapflow.frontend.units import display_path

COLUMNS = (
    "files, other systems, yield, kept, left out, switched off, library's, empty, macros, types"
)
HEAD = f"| tree | {COLUMNS.replace(', ', ' | ')} |"


@dataclass(slots=True)
class Score:
    """What came of one tree."""

    name: str
    files: int = 0
    elsewhere: int = 0
    good: int = 0
    kept: int = 0
    dropped: int = 0
    inactive: int = 0
    replaced: int = 0
    invented: Counter[str] = field(default_factory=Counter)
    bad: list[str] = field(default_factory=list)

    def add(self, file: str, guesses: Guesses | None, why: str) -> None:
        """One file; `guesses` is None if it did not compile."""
        written = list(dict.fromkeys(one.name for one in function_spans(read_text(file))))
        if not written:
            return
        self.files += 1
        if (guesses is None or guesses.dropped) and is_for_another_system(self.relative(file)):
            self.files, self.elsewhere = self.files - 1, self.elsewhere + 1
            return
        if guesses is None:
            self.dropped += len(written)
            self.bad.append(f"{display_path(Path(file))}: {why}")
            return
        if len(guesses.inactive) >= len(written) and _is_for_another_system(file):
            self.files, self.elsewhere = self.files - 1, self.elsewhere + 1
            return
        dropped, inactive = len(guesses.dropped), len(guesses.inactive)
        kept = max(len(written) - dropped - inactive - len(guesses.replaced), 0)
        self.replaced += len(guesses.replaced)
        self.kept, self.dropped = self.kept + kept, self.dropped + dropped
        self.inactive += inactive
        if kept and not dropped:
            self.good += 1
        else:
            names = ", ".join(guesses.dropped) if dropped else "all switched off"
            self.bad.append(f"{display_path(Path(file))}: {names}")
        for kind in ("invented", "macros", "types"):
            self.invented[kind] += len(getattr(guesses, kind))

    def relative(self, file: str) -> str:
        return file.partition(f"/{self.name}/")[2]

    def row(self) -> str:
        functions = self.kept + self.dropped
        cells = (
            self.name,
            self.files,
            self.elsewhere,
            f"{self.good} ({_percent(self.good, self.files)})",
            f"{self.kept} ({_percent(self.kept, functions)})",
            self.dropped,
            self.inactive,
            self.replaced,
            *(self.invented[kind] for kind in ("invented", "macros", "types")),
        )
        return "| " + " | ".join(map(str, cells)) + " |"


def _is_for_another_system(file: str) -> bool:
    text = read_text(file)
    spans = function_spans(text)
    return any(is_of_a_system(one) for one in guards_at(text, spans[0].start))


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "-"


def measure(tree: Path, jobs: int, most: int) -> Score:
    """One tree, or `most` of its files, with an empty cache."""
    inputs = find_inputs([str(tree)], search=Search.BUILDLESS)
    root = tree.resolve()
    own = [
        unit
        for unit in inputs.units
        if not is_beside_the_program(str(unit.path.relative_to(root)))
        and function_spans(read_text(str(unit.path)))
    ]
    step = max(1, -(-len(own) // most)) if most else 1
    inputs = replace(inputs, units=tuple(own[::step]))
    with tempfile.TemporaryDirectory() as empty:
        loaded = load_program(inputs, FrontendSettings(cache_directory=Path(empty), jobs=jobs))
    guesses = dict(loaded.guesses)
    errors = {one.name: one.error for one in loaded.failures}
    score = Score(tree.name)
    for unit in inputs.units:
        score.add(str(unit.path), guesses.get(str(unit.path)), errors.get(unit.name, ""))
    return score


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("trees", nargs="+", type=Path)
    parser.add_argument("--failures", action="store_true", help="name the files that do not yield")
    parser.add_argument("--most", type=int, default=0, help="files of each tree, evenly spread")
    parser.add_argument("-j", type=int, default=2)
    options = parser.parse_args()
    total = Score("all")
    print(HEAD, "|" + "---|" * 11, sep="\n", flush=True)
    for tree in options.trees:
        score = measure(tree, options.j, options.most)
        print(score.row(), flush=True)
        for line in score.bad if options.failures else ():
            print(f"    {line}", flush=True)
        for name in ("files", "elsewhere", "good", "kept", "dropped", "inactive", "replaced"):
            setattr(total, name, getattr(total, name) + getattr(score, name))
        total.invented.update(score.invented)
    print(total.row())


if __name__ == "__main__":
    main()
