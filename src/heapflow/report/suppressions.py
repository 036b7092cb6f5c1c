"""Comments in the source that say: this finding is known and meant.

    p = malloc(8);  // heapflow: ignore[never-freed] lives as long as the program
    /* heapflow: ignore-function[conditional-leak] freed by the signal handler */

`ignore` holds for findings whose allocation or loss is on its line or in the statement that ends on it,
or, if the comment stands alone, on the next line with code. `ignore-function` stands in or
directly before a function and holds for what is allocated or lost in it. Without a list it holds for
all rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Set
from dataclasses import dataclass, replace
from difflib import get_close_matches

from heapflow.report.ctext import comments
from heapflow.report.document import UnusedSuppression
from heapflow.report.finding import Finding, Place, Rule, SuppressedBy, Suppression
from heapflow.report.source import SourceFile, Sources

_IGNORE = re.compile(
    r"heapflow:\s*(?P<verb>[\w-]+)\s*(?:\[(?P<rules>[^\]]*)\])?\s*[:,-]?\s*(?P<reason>.*)", re.S
)
_NAMES = [rule.value for rule in Rule]


@dataclass(frozen=True, slots=True)
class Comment:
    """A suppression as written, and the lines that it holds for."""

    place: Place
    text: str
    rules: frozenset[Rule]  # empty: none of its names is a rule
    first: int
    last: int
    reason: str
    hint: str = ""

    def holds_for(self, finding: Finding) -> bool:
        return finding.rule in self.rules and any(
            place.file == self.place.file and self.first <= place.line <= self.last
            for place in (finding.allocation, finding.lost)
        )


def apply_suppressions(
    findings: Iterable[Finding],
    sources: Sources,
    files: Iterable[str],
    selected: Set[Rule] = frozenset(Rule),
) -> tuple[tuple[Finding, ...], tuple[UnusedSuppression, ...]]:
    """Mark suppressed findings; list comments in `files` that nothing needed.

    A comment for rules that were not selected is not called unused.
    """
    findings = tuple(findings)
    named = {place.file for one in findings for place in (one.allocation, one.lost)}
    all_comments = [
        comment for file in sorted(named | set(files)) for comment in find_comments(file, sources)
    ]
    by_file: dict[str, list[Comment]] = {}
    for comment in all_comments:
        by_file.setdefault(comment.place.file, []).append(comment)
    used: set[Place] = set()
    marked = tuple(_mark(finding, by_file, used) for finding in findings)
    unused = tuple(
        UnusedSuppression(comment.place, comment.text, comment.hint)
        for comment in all_comments
        if comment.place not in used and (comment.hint or comment.rules & selected)
    )
    return marked, unused


def _mark(finding: Finding, by_file: dict[str, list[Comment]], used: set[Place]) -> Finding:
    files = dict.fromkeys((finding.allocation.file, finding.lost.file))
    for comment in (comment for file in files for comment in by_file.get(file, ())):
        if comment.holds_for(finding):
            used.add(comment.place)
            return replace(
                finding,
                suppressed=Suppression(SuppressedBy.COMMENT, comment.reason, comment.place),
            )
    return finding


def find_comments(name: str, sources: Sources) -> list[Comment]:
    """The suppressions in a file, in order."""
    file = sources.file(name)
    if "heapflow:" not in file.text:
        return []
    found = []
    for offset, text in comments(file.text):
        match = _IGNORE.match(_inner(text))
        if match is not None:
            found.append(_comment(name, file, offset, text, match))
    return found


def _inner(comment: str) -> str:
    return comment[2:].removesuffix("*/").strip(" \t*/!")


def _comment(name: str, file: SourceFile, offset: int, text: str, match: re.Match[str]) -> Comment:
    line = file.line_of(offset)
    place = Place(name, line, offset - file.starts[line - 1] + 1)
    verb, listed = match["verb"], match["rules"]
    written = f"{verb}[{listed}]" if listed is not None else verb
    rules, hint = _rules(listed)
    first, last = line, line
    if verb == "ignore-function":
        first, last = function_lines(file, offset)
        hint = hint or ("" if first else "it stands in no function")
    elif verb == "ignore":
        first, last = _held_lines(file, offset, offset + len(text))
    else:
        rules, hint = frozenset(), f"`{verb}` is unknown; write `ignore` or `ignore-function`"
    reason = " ".join(match["reason"].split())
    return Comment(place, written, rules, first, last, reason, hint)


def _rules(listed: str | None) -> tuple[frozenset[Rule], str]:
    if listed is None:
        return frozenset(Rule), ""
    names = [name.strip() for name in listed.split(",") if name.strip()]
    wrong = [name for name in names if name not in _NAMES]
    known = frozenset(Rule(name) for name in names if name in _NAMES)
    if not names:
        return known, "it names no rule"
    if not wrong:
        return known, ""
    close = get_close_matches(wrong[0], _NAMES, 1)
    meant = f"; did you mean `{close[0]}`?" if close else ""
    return known, f"there is no rule `{wrong[0]}`{meant}"


def _held_lines(file: SourceFile, start: int, end: int) -> tuple[int, int]:
    """The comment's own line, or the next line with code if it stands alone."""
    line = file.line_of(start)
    last = file.line_of(end - 1)
    before = file.code[file.starts[line - 1] : start]
    after = file.code[end : file.starts[last] - 1]
    if before.strip() or after.strip():
        return _statement_line(file, start, line), last
    for number in range(last + 1, len(file.lines) + 1):
        if file.code[file.starts[number - 1] : file.starts[number] - 1].strip():
            return line, number
    return line, last


def _statement_line(file: SourceFile, comment: int, line: int) -> int:
    """The first line of the statement that ends before a comment, if one does."""
    code = file.code[:comment].rstrip()
    if not code.endswith(";"):
        return line
    start = max(code.rfind(char, 0, len(code) - 1) for char in ";{}") + 1
    return min(file.line_of(start + _blanks(code, start)), line)


def function_lines(file: SourceFile, offset: int) -> tuple[int, int]:
    """First and last line of the function around or right after an offset; (0, 0) if there is none.

    Braces are counted; a `}` in the first column ends a function whatever the preprocessor left open.
    """
    start = depth = 0
    is_function = False
    for found in re.finditer(r"^\}|[{};]", file.code, re.M):
        closes_all = found.start() in file.starts and found[0] == "}"
        if found[0] == "{":
            if not depth:
                is_function = file.code[start : found.start()].rstrip().endswith(")")
            depth += 1
        elif found[0] == "}":
            depth = 0 if closes_all else max(depth - 1, 0)
        if depth:
            continue
        if start <= offset < found.end() and is_function:
            return file.line_of(start + _blanks(file.code, start)), file.line_of(found.start())
        start, is_function = found.end(), False
    return 0, 0


def _blanks(code: str, start: int) -> int:
    return len(code[start:]) - len(code[start:].lstrip())
