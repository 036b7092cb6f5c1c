"""What execution says of what is known to be true or false.

    python -m benchmarks.outcomes                              every annotated function of tests/c/leaks
    python -m benchmarks.outcomes --judged NAME=REPORT.json…   judged findings of a program, joined by
                                                               file and line with a run's JSON (--all)

A function (a judged finding) counts once, by the best of its candidates: confirmed, then not confirmed,
then none within the bound of turns. What is in no report was refuted, or was no candidate.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from pathlib import Path

from heapflow.config import Config
from heapflow.frontend.inputs import find_inputs
from heapflow.pipeline import analyse
from heapflow.report.finding import Finding
from heapflow.support.run import Run
from tests.leaks.sources import Unit, find_units

JUDGED = Path(__file__).resolve().parent.parent / "docs" / "accuracy-findings.md"
ORDER = ("confirmed", "not confirmed", "none within the bound of turns")
NOTHING = "refuted, or no candidate"
_ROW = re.compile(r"\| (?P<file>\S+?):(?P<line>\d+) \| (?P<rule>[\w-]+) \| (?P<verdict>\w+)")


def of_unit(unit: Unit) -> Counter[tuple[str, str]]:
    """Truth and outcome of every function of one program."""
    marked = {(m.file.name, m.line) for m in unit.marks() if m.kind in ("LEAK", "FN")}
    inputs = find_inputs([str(file) for file in unit.files])
    by_function: dict[str, list[Finding]] = {}
    for finding in analyse(inputs, Config(), Run()).findings:
        for name in {finding.lost.function, finding.allocation.function}:
            by_function.setdefault(name, []).append(finding)
    counts: Counter[tuple[str, str]] = Counter()
    for function in unit.functions():
        is_true = function.leaks or (function.name == "main" and bool(marked))
        best = _best([one.outcome for one in by_function.get(function.name, ())])
        counts["true" if is_true else "false", best] += 1
    return counts


def _best(outcomes: list[str]) -> str:
    return next((one for one in ORDER if one in outcomes), NOTHING)


def judged_findings(program: str) -> dict[tuple[str, int], str]:
    """Verdicts by file and line, from the program's section."""
    found: dict[tuple[str, int], str] = {}
    inside = False
    for line in JUDGED.read_text().splitlines():
        if line.startswith("## "):
            inside = line.removeprefix("## ").lower().startswith(program.lower())
        elif inside and (row := _ROW.match(line)):
            found[row["file"], int(row["line"])] = row["verdict"]
    return found


def of_report(program: str, report: Path) -> Counter[tuple[str, str]]:
    """Verdicts of a program against the outcomes in a report of it."""
    outcomes: dict[tuple[str, int], list[str]] = {}
    for finding in json.loads(report.read_text())["findings"]:
        places = [finding["allocation"], *finding.get("call_chain", ()), *finding["also_at"]]
        places += finding.get("lost_with", ())
        for place in places:
            outcomes.setdefault((place["file"], place["line"]), []).append(finding["outcome"])
    counts: Counter[tuple[str, str]] = Counter()
    for (file, line), verdict in judged_findings(program).items():
        same = [v for (f, n), v in outcomes.items() if n == line and _is_same(f, file)]
        counts[verdict, _best([one for found in same for one in found])] += 1
    return counts


def _is_same(one: str, other: str) -> bool:
    """Files are named relative to different directories: one name ends with the other."""
    return f"/{one}".endswith(f"/{other}") or f"/{other}".endswith(f"/{one}")


def table(counts: Counter[tuple[str, str]]) -> str:
    columns = (*ORDER, NOTHING)
    lines = ["| | " + " | ".join(columns) + " | all |", "|---|" + "---|" * (len(columns) + 1)]
    for truth in sorted({truth for truth, _ in counts}, reverse=True):
        numbers = [counts[truth, outcome] for outcome in columns]
        cells = [f"{n} ({100 * n / sum(numbers):.0f} %)" for n in numbers]
        lines.append(f"| {truth} | " + " | ".join(cells) + f" | {sum(numbers)} |")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--judged", nargs="+", metavar="NAME=REPORT")
    arguments = parser.parse_args()
    total: Counter[tuple[str, str]] = Counter()
    if arguments.judged:
        for one in arguments.judged:
            name, report = one.split("=", 1)
            counts = of_report(name, Path(report))
            print(f"{name}\n\n{table(counts)}\n")
            total += counts
    else:
        for unit in find_units():
            total += of_unit(unit)
    print(table(total))
    return 0


if __name__ == "__main__":
    sys.exit(main())
