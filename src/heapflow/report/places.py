"""File names in findings: relative to the root where they lie below it, with forward slashes."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

from heapflow.report.finding import Finding, Place, Slice, Summary, Suppression

_Rename = Callable[[str], str]


def relative_to(root: Path) -> _Rename:
    """How a file below `root`, or relative to the current directory, is named in reports."""
    base = os.path.normpath(root.absolute())
    real = os.path.realpath(base)

    @cache
    def rename(name: str) -> str:
        if not name or name.startswith("<"):
            return name
        full = os.path.normpath(Path.cwd() / name)
        for prefix in (base, real):
            if full.startswith(prefix.rstrip(os.sep) + os.sep):
                return Path(full).relative_to(prefix).as_posix()
        return Path(full).as_posix()

    return rename


def rename_files(finding: Finding, rename: _Rename) -> Finding:
    """The finding with every file name replaced."""

    def at(place: Place) -> Place:
        return replace(place, file=rename(place.file))

    def all_at(places: tuple[Place, ...]) -> tuple[Place, ...]:
        return tuple(at(place) for place in places)

    return replace(
        finding,
        allocation=at(finding.allocation),
        lost=at(finding.lost),
        steps=tuple(replace(step, place=at(step.place)) for step in finding.steps),
        frees=all_at(finding.frees),
        elsewhere=all_at(finding.elsewhere),
        call_chain=all_at(finding.call_chain),
        also_at=all_at(finding.also_at),
        lost_with=all_at(finding.lost_with),
        suppressed=_suppression(finding.suppressed, at),
        slice=_slice(finding.slice, at),
    )


def _suppression(
    suppression: Suppression | None, at: Callable[[Place], Place]
) -> Suppression | None:
    if suppression is None or suppression.place is None:
        return suppression
    return replace(suppression, place=at(suppression.place))


def _slice(drawn: Slice | None, at: Callable[[Place], Place]) -> Slice | None:
    if drawn is None:
        return None
    nodes = tuple(
        replace(node, place=at(node.place)) if node.place is not None else node
        for node in drawn.nodes
    )
    return replace(drawn, nodes=nodes)


def rename_summary(summary: Summary, rename: _Rename) -> Summary:
    return replace(
        summary,
        failed=tuple(replace(one, file=rename(one.file)) for one in summary.failed),
        guessed=tuple(replace(one, file=rename(one.file)) for one in summary.guessed),
        undecided=tuple(
            replace(one, allocation=replace(one.allocation, file=rename(one.allocation.file)))
            for one in summary.undecided
        ),
    )
