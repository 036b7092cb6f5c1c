"""`--new-since REF`: analyse the program as it was, so that only what the change introduced counts.

The commit where the current branch left REF is written into a temporary directory and analysed with
the same commands. Headers that the build generates are not in git: the include directories of the
present tree follow those of the old one. What the old tree has is known; the rest is new.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from heapflow.api import Analysed
from heapflow.cli.said import tell
from heapflow.frontend.inputs import Inputs
from heapflow.frontend.units import SourceUnit, UnitKind
from heapflow.report.baseline import known
from heapflow.report.document import KnownFinding
from heapflow.report.grouping import group_findings
from heapflow.report.places import relative_to, rename_files
from heapflow.report.wording import count
from heapflow.support.errors import UserError

_INCLUDES = ("-I", "-iquote", "-isystem", "-idirafter")


def findings_at(
    ref: str, inputs: Inputs, analyse: Callable[[Inputs], Analysed], root: Path
) -> tuple[KnownFinding, ...]:
    """What was found in the program as it was at the point where we left `ref`."""
    top = Path(_git("rev-parse", "--show-toplevel").strip())
    commit = _fork_point(ref)
    with tempfile.TemporaryDirectory(prefix="heapflow-") as directory:
        old = Path(directory).resolve() / "tree"
        _write_tree(commit, old)
        units = tuple(
            moved for unit in inputs.units if (moved := _move(unit, top, old)) is not None
        )
        if not units:
            return ()
        analysed = analyse(replace(inputs, units=units, named=(*inputs.named, old)))
        if analysed.summary.failed:
            lost = count(len(analysed.summary.failed), "file")
            tell(f"note: {lost} of {ref} could not be analysed: findings in them are new")
        return _known(analysed, root.resolve(), top, old)


def _known(analysed: Analysed, root: Path, top: Path, old: Path) -> tuple[KnownFinding, ...]:
    """The old findings, with files named as the same files are now."""
    in_old = relative_to(old / root.relative_to(top) if root.is_relative_to(top) else old)
    in_present = relative_to(root)

    def rename(name: str) -> str:
        return in_old(name) if Path(name).is_relative_to(old) else in_present(name)

    renamed = (rename_files(finding, rename) for finding in analysed.findings)
    return tuple(known(finding) for finding in group_findings(renamed))


def _fork_point(ref: str) -> str:
    try:
        _git("rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}")
    except UserError:
        raise UserError(f"--new-since {ref}: git knows no such commit") from None
    try:
        return _git("merge-base", ref, "HEAD").strip()
    except UserError:  # unrelated histories: the ref itself
        return _git("rev-parse", f"{ref}^{{commit}}").strip()


def _write_tree(commit: str, target: Path) -> None:
    """Write a commit's files, through an index of our own: the user's stays as it is."""
    target.mkdir()
    environ = os.environ | {"GIT_INDEX_FILE": str(target.parent / "index")}
    _git("read-tree", commit, environ=environ)
    top = _git("rev-parse", "--show-toplevel").strip()
    _git("checkout-index", "--all", "--force", f"--prefix={target}/", environ=environ, cwd=top)


def _move(unit: SourceUnit, top: Path, old: Path) -> SourceUnit | None:
    """The unit in the old tree; None if the file is new since then."""
    source = unit.path.resolve()
    if unit.kind is not UnitKind.C or not source.is_relative_to(top):
        return unit
    if not (old / source.relative_to(top)).is_file():
        return unit if _is_ignored(source) else None
    directory = Path(unit.directory).resolve()
    inside = directory.is_relative_to(top)
    moved = old / directory.relative_to(top) if inside else directory
    moved.mkdir(parents=True, exist_ok=True)

    def moved_flags(flags: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(flag.replace(f"{top}/", f"{old}/") for flag in flags)

    return replace(
        unit,
        source=str(old / source.relative_to(top)),
        directory=str(moved),
        flags=moved_flags(unit.flags),
        own_flags=(*moved_flags(unit.own_flags), *_present_includes(unit)),
    )


def _present_includes(unit: SourceUnit) -> list[str]:
    """The unit's include directories as they are now, to be searched last."""
    found = [unit.directory]
    words = iter(unit.all_flags)
    for word in words:
        option = next((name for name in _INCLUDES if word.startswith(name)), None)
        if option is not None:
            named = word.removeprefix(option) or next(words, "")
            found.append(os.path.normpath(Path(unit.directory) / named))
    return [part for directory in dict.fromkeys(found) for part in ("-idirafter", directory)]


def _is_ignored(path: Path) -> bool:
    """Generated by the build, as far as git can tell."""
    command = ["git", "check-ignore", "--quiet", str(path)]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def _git(*arguments: str, environ: dict[str, str] | None = None, cwd: str | None = None) -> str:
    # The repository's own hooks and monitors are no business of ours.
    options = ["-c", f"core.hooksPath={os.devnull}", "-c", "core.fsmonitor=false"]
    try:
        done = subprocess.run(
            ["git", *options, *arguments],
            capture_output=True,
            text=True,
            env=environ,
            cwd=cwd,
            check=False,
        )
    except OSError:
        raise UserError("--new-since needs git, which cannot be run") from None
    if done.returncode:
        raise UserError(f"git {arguments[0]} failed: {done.stderr.strip() or 'no reason given'}")
    return done.stdout
