"""Published leak fixes: what is found before the fix, and what is still reported after it.

    python -m benchmarks.published SET --mirror DIR --work DIR [--alone] [--only ID]... [--keep FILE]

SET is a file of benchmarks/fixes. Below the mirror, OWNER+NAME/repo (or OWNER+NAME) is a project's git
directory. Each version is unpacked below the work directory and its files are checked without a build
(`--buildless`): the changed files, and, unless `--alone`, the further ones that define what they call.
A row's `prepare` is a command that is executed in the tree first (a project's `configure`), its `flags`
are the compiler's.
Found: a finding that is shown by default, whose allocation or loss is within three lines of the one
that is written down; where the set names a rule, a finding of that rule. Solved: and none at that
allocation after the fix. A line per fix is printed at once; with `--keep` it is appended to a file,
too, and what is in the file is not run again.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.measured import run_measured

_LONGEST_PREPARATION = 900.0  # seconds
_SHARE = 0.9  # of the time of a run, after which heapflow ends by itself
NEAR = 3  # lines between what is written down and what is reported
Row = dict[str, Any]
_MISUSES = {"double-free", "use-after-free"}


def git_directory(mirror: Path, project: str) -> Path | None:
    """Where a project's history lies; None if it is not there."""
    folder = mirror / project.replace("/", "+")
    for one in (folder / "repo", folder):
        if (one / "HEAD").is_file():
            return one
    return None


def unpack(git: Path, revision: str, into: Path) -> None:
    """All files of one version; a mirror may lack the largest ones."""
    shutil.rmtree(into, ignore_errors=True)
    into.mkdir(parents=True)
    absent = [f":(exclude,literal){path}" for path in _absent(git, revision)]
    archive = subprocess.Popen(
        ["git", f"--git-dir={git}", "archive", revision, "--", ".", *absent], stdout=subprocess.PIPE
    )
    subprocess.run(["tar", "x", "-C", str(into)], stdin=archive.stdout, check=True)
    if archive.wait():
        raise FileNotFoundError(f"{git} has no {revision}")


def _absent(git: Path, revision: str) -> list[str]:
    """Files of a version that the mirror does not have."""
    run = ["git", f"--git-dir={git}"]
    listed = subprocess.run(
        [*run, "ls-tree", "-r", "-z", revision], capture_output=True, text=True, check=True
    )
    files = [one.split("\t", 1) for one in listed.stdout.split("\0") if " blob " in one]
    asked = "".join(f"{about.split()[2]}\n" for about, _ in files)
    known = subprocess.run(
        [*run, "cat-file", "--batch-check"], input=asked, capture_output=True, text=True, check=True
    )
    answers = zip(files, known.stdout.splitlines(), strict=True)
    return [path for (_, path), answer in answers if answer.endswith(" missing")]


def prepare(tree: Path, case: Row) -> None:
    """Execute what a row says makes its headers; what fails leaves the tree without them."""
    if not (command := case.get("prepare")):
        return
    done = run_measured(["sh", "-c", command], tree, _LONGEST_PREPARATION)
    if done.status:
        print(f"{case['id']}: `{command}` ended with {done.status}", file=sys.stderr, flush=True)


def findings_of(
    tree: Path, files: Sequence[str], limit: float, flags: Sequence[str] = ()
) -> tuple[list[Row] | None, float]:
    """What is shown by default, and the CPU seconds; None: no report."""
    there = [file for file in files if (tree / file).is_file()]
    report = tree.parent / f"{tree.name}.json"
    report.unlink(missing_ok=True)
    heapflow = (
        sys.executable,
        "-m",
        "heapflow",
        "check",
        "--buildless",
        "--no-config",
        "--no-cache",
    )
    # A little sooner than the run is ended: what is done by then is reported.
    own = ("--time-limit", str(int(_SHARE * limit)))  # whole seconds are asked for
    given = [*there, "--", *flags] if flags else there
    done = run_measured([*heapflow, *own, "-j1", "--format", f"json:{report}", *given], tree, limit)
    if not report.is_file():
        return None, done.cpu_seconds
    return json.loads(report.read_text())["findings"], done.cpu_seconds


def is_near(place: Row | None, other: Row | None) -> bool:
    """Whether a reported place is the one that is written down, or next to it."""
    if not place or not other:
        return False
    same = Path(place["file"]).name == Path(other["file"]).name
    return same and abs(int(place["line"]) - int(other["line"])) <= NEAR


def of_rule(findings: Iterable[Row], case: Row) -> list[Row]:
    """Findings of the rule that a fix is about, if it says so; a double free may show as a use."""
    rule = case.get("rule")
    meant = _MISUSES if rule in _MISUSES else {rule}
    return [one for one in findings if rule is None or one["rule"] in meant]


def is_found(findings: Iterable[Row], case: Row) -> bool:
    return any(
        is_near(one["allocation"], case["alloc"]) or is_near(one["lost"], case["loss"])
        for one in of_rule(findings, case)
    )


def is_still_there(findings: Iterable[Row], case: Row) -> bool:
    return any(
        is_near(one["allocation"], case.get("alloc_after")) for one in of_rule(findings, case)
    )


def run_case(case: Row, git: Path, work: Path, alone: bool, limit: float) -> Row:
    """`found`, `still` and `seconds` of one fix; `failed` if there was no report."""
    files = [*case["files"], *([] if alone else case["more"])]
    before = work / case["id"] / "before"
    unpack(git, case["parent"], before)
    prepare(before, case)
    flags = case.get("flags", ())
    findings, seconds = findings_of(before, files, limit, flags)
    row: Row = {"id": case["id"], "kind": case["kind"], "alone": alone, "seconds": seconds}
    if findings is None:
        return {**row, "found": False, "still": False, "failed": True}
    found, still = is_found(findings, case), False
    if found and case.get("alloc_after"):
        after = work / case["id"] / "after"
        unpack(git, case["commit"], after)
        prepare(after, case)
        still = is_still_there(findings_of(after, files, limit, flags)[0] or [], case)
        shutil.rmtree(after)
    shutil.rmtree(before)
    return {**row, "found": found, "still": still, "failed": False}


def table(rows: Sequence[Row]) -> str:
    """Counts, altogether and by kind."""
    found, still = sum(row["found"] for row in rows), sum(row["still"] for row in rows)
    failed = sum(row["failed"] for row in rows)
    share = 100 * found / max(len(rows), 1)
    lines = [
        f"{found} of {len(rows)} found ({share:.0f} %), {still} still reported, {failed} no report"
    ]
    kinds = Counter(row["kind"] for row in rows)
    for kind, count in kinds.most_common():
        lines.append(f"  {kind}: {sum(r['found'] for r in rows if r['kind'] == kind)} of {count}")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("set", type=Path)
    parser.add_argument("--mirror", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--alone", action="store_true", help="the changed files only")
    parser.add_argument("--only", action="append", default=[], help="this fix; several times")
    parser.add_argument("--limit", type=float, default=300.0, help="seconds for one run")
    parser.add_argument("--keep", type=Path, help="a file of results, to go on with later")
    options = parser.parse_args()
    cases = [json.loads(line) for line in options.set.read_text().splitlines() if line]
    known = options.keep.read_text().splitlines() if options.keep and options.keep.exists() else []
    done = {(row["id"], row["alone"]): row for row in map(json.loads, known)}
    rows = []
    for case in cases:
        if options.only and case["id"] not in options.only:
            continue
        row = done.get((case["id"], options.alone))
        git = git_directory(options.mirror, case["project"])
        if row is None and git is None:
            print(f"{case['id']}: {case['project']} is not in the mirror", flush=True)
            continue
        if row is None:
            assert git is not None
            row = run_case(case, git, options.work, options.alone, options.limit)
            print(json.dumps(row), flush=True)
            if options.keep:
                with options.keep.open("a") as kept:
                    kept.write(json.dumps(row) + "\n")
        rows.append(row)
    print(table(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
