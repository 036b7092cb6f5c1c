"""What was and was not analysed, for the end of a run (on stderr) and `--verbose`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from heapflow.frontend.guesses import joined
from heapflow.report.document import Report, by_level
from heapflow.report.finding import Finding, Summary
from heapflow.report.wording import count
from heapflow.support.visible import visible

_SHOWN = 5


def render_summary(report: Report, verbose: bool = False) -> str:
    """A few lines; with `verbose` every undecided allocation, failed file and phase."""
    summary = report.summary
    lines = [_verdict(report), *_gaps(report, verbose)]
    if report.fixed is not None:
        lines.append(
            f"against the baseline: {report.introduced} introduced, {len(report.fixed)} fixed, "
            f"{report.unchanged} unchanged"
        )
    if verbose:
        lines += _details(report)
    elif summary.unmodelled:
        lines += _unmodelled(summary)
    return "".join(f"{visible(line)}\n" for line in lines)


def _verdict(report: Report) -> str:
    summary = report.summary
    if summary.stopped and not (summary.decided or report.findings):
        return f"nothing was decided, {summary.stopped}; this is not a clean result"
    if report.nothing_analysed:
        return (
            f"nothing was analysed: no function with a body in {count(summary.files, 'file')}; "
            "this is not a clean result"
        )
    found = _levels(one for one in report.active if not one.in_tests)
    looked = (
        f"{count(summary.files - len(summary.failed), 'file')}, "
        f"{count(summary.functions, 'function')}"
    )
    seconds = sum(phase.wall_seconds for phase in summary.phases)
    took = f" in {seconds:.1f} s" if summary.phases else ""
    none = "no leaks found" if report.fixed is None else "no new leaks found"
    if summary.undecided or summary.given_up or summary.failed or summary.stopped:
        none = "nothing was found in what could be decided"
    elif report.left_open:
        none = "nothing was confirmed"
    if not summary.allocations and not found:
        return f"no allocation in {looked}: there was nothing to check{took}"
    followed = max(summary.followed, summary.allocations)
    return (
        f"{found or none} ({looked}, {count(followed, 'block')} followed){took}{_in_tests(report)}"
    )


def _levels(findings: Iterable[Finding]) -> str:
    return ", ".join(count(number, level.label) for level, number in by_level(findings))


def _in_tests(report: Report) -> str:
    found = _levels(one for one in report.active if one.in_tests)
    return f"; in tests: {found}" if found else ""


def _gaps(report: Report, verbose: bool) -> list[str]:
    summary = report.summary
    lines = []
    if summary.stopped and (summary.decided or report.findings):
        lines.append(f"not everything was analysed, {summary.stopped}")
    if summary.failed:
        names = ", ".join(one.file for one in summary.failed[:_SHOWN])
        more = len(summary.failed) - _SHOWN
        lines.append(
            f"not analysed: {len(summary.failed)} of {count(summary.files, 'file')}: {names}"
            + (f" and {more} more" if more > 0 else "")
        )
    if summary.other_languages:
        lines.append(f"left out, not C: {_languages(summary)}")
    lines += _guessed(report)
    if summary.undecided:
        limits = Counter(one.limit for one in summary.undecided)
        shown = ", ".join(f"{limit} ({number})" for limit, number in sorted(limits.items()))
        lines.append(
            f"undecided: {count(len(summary.undecided), 'place')} where memory comes from hit a "
            f"limit: {shown}" + ("" if verbose else "; --verbose lists them")
        )
    if summary.given_up:
        what = ", ".join(f"{limit} ({number})" for limit, number in summary.given_up)
        lines.append(
            f"pointers that may lead to too many places were given up: {what}; blocks that only "
            "they lead to count as held"
        )
    if report.left_open:
        lines.append(
            f"{count(report.left_open, 'candidate')} left open: bounds ended the search for an "
            "execution; --all shows them"
        )
    suppressed = len(report.findings) - len(report.active) - report.unchanged
    if suppressed > 0:
        lines.append(f"{count(suppressed, 'finding')} suppressed by comments")
    if report.hidden and verbose:
        lines.append(f"{count(report.hidden, 'finding')} left out by rule or path settings")
    return lines


def _guessed(report: Report) -> list[str]:
    """What was guessed for files without a build, all together."""
    guessed = report.summary.guessed
    if not guessed:
        return []
    total = joined(one.guesses for one in guessed)
    lines = [f"compiled without a build: {count(len(guessed), 'file')}: {total.sentence()}"]
    if total.inactive:
        off = count(len(total.inactive), "function")
        lines.append(f"{off} not compiled, under conditions that the guesses make false")
    return lines


def _languages(summary: Summary) -> str:
    shown = (f"{count(number, 'file')} in {name}" for name, number in summary.other_languages)
    return ", ".join(shown)


def _unmodelled(summary: Summary) -> list[str]:
    """How much could not be seen, which functions matter most, and what to give."""
    ranked = sorted(summary.unmodelled, key=lambda one: (-one.allocations, one.function))
    shown = ", ".join(f"{one.function} ({one.allocations})" for one in ranked[:_SHOWN])
    which = "" if len(ranked) <= _SHOWN else f"the first {_SHOWN} of {len(ranked)}: "
    blocks = count(max(summary.allocations, summary.unseen), "block")
    return [
        f"{summary.unseen} of {blocks} went into functions that are not known and may keep them: "
        f"{which}{shown}",
        "  give the files that define them too, or a build (`heapflow capture -- make`), or models",
    ]


def _details(report: Report) -> list[str]:
    summary = report.summary
    lines = []
    for failed in summary.failed:
        first = failed.error.strip().splitlines()
        lines.append(f"  not analysed  {failed.file}: {first[0] if first else 'unknown reason'}")
    for guess in summary.guessed:
        if guess.guesses:
            lines.append(f"  guessed       {guess.file}: {guess.guesses.sentence()}")
    for one in summary.undecided:
        lines.append(f"  undecided     {one.allocation}: `{one.allocator}` hit {one.limit}")
    for external in sorted(summary.unmodelled, key=lambda one: (-one.allocations, one.function)):
        lines.append(
            f"  no model      {external.function}: {count(external.allocations, 'allocation site')}"
        )
    for gone in report.fixed or ():
        lines.append(f"  fixed         {gone.file}: {gone.rule} in `{gone.function}`")
    for phase in summary.phases:
        lines.append(f"  {phase.wall_seconds:8.2f} s ({phase.cpu_seconds:.2f} s CPU)  {phase.name}")
    return lines
