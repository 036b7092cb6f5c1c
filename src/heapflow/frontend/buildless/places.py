"""What a text says around the place of an error.

In:    the text of a file, a line and a column.      Out: words, and the calls that they stand in.
Guarantees: nothing is parsed beyond balanced parentheses; "" where a place has no such word.
"""

from __future__ import annotations

import re

_MOST_LINES = 12  # before and behind a place
_NOT_CALLEES = frozenset("if while for switch return sizeof case else do defined".split())
_NAME_BEFORE = re.compile(r"([A-Za-z_]\w*)\s*$")
_CALL = re.compile(r"\s*(?:\w*\s*=|return\b)?\s*([A-Za-z_]\w*)\s*\(")


def around(text: str, line: int, column: int) -> tuple[str, str, str]:
    """The line before a place, the word at it, and what follows."""
    lines = text.split("\n")
    here = lines[line - 1] if 0 < line <= len(lines) else ""
    following = "\n".join(lines[line : line + 2])
    before, rest = here[: column - 1], here[column - 1 :]
    word = re.match(r"\w*", rest)
    name = word[0] if word else ""
    return before, name, rest[len(name) :] + "\n" + following


def text_before(text: str, line: int, column: int) -> str:
    """Some lines up to a place."""
    lines = text.split("\n")
    above = lines[max(0, line - 1 - _MOST_LINES) : line - 1]
    here = lines[line - 1] if 0 < line <= len(lines) else ""
    return "\n".join((*above, here[: column - 1]))


def callee_of_result(before: str) -> str:
    """`f(a, b)` just before a place: `f`."""
    before = before.rstrip()
    if not before.endswith(")"):
        return ""
    opening = _opening(before[:-1], 1)
    return _name_at(before, opening)


def callee_around(before: str) -> str:
    """The function or macro in whose arguments a place is."""
    return _name_at(before, _opening(before, 1))


def callee_behind(after: str) -> str:
    """`x = f(a)`, `return f(a)`, `f(a)` behind a place: `f`."""
    found = _CALL.match(after)
    return found[1] if found and found[1] not in _NOT_CALLEES else ""


def _opening(before: str, depth: int) -> int:
    """The offset of the parenthesis that is open; -1 if there is none in the same statement."""
    for at in range(len(before) - 1, -1, -1):
        if before[at] in ";{}":
            return -1
        depth += (before[at] == ")") - (before[at] == "(")
        if depth == 0:
            return at
    return -1


def _name_at(before: str, opening: int) -> str:
    found = _NAME_BEFORE.search(before[:opening]) if opening > 0 else None
    return found[1] if found and found[1] not in _NOT_CALLEES else ""
