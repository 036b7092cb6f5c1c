"""C text without a parser: blank what is not code, match parentheses, split at operators."""

from __future__ import annotations

import re

_NOT_CODE = re.compile(
    r"""//(?:[^\n\\]|\\\r?\n|\\.)*          # line comment, continued by a backslash
      | /\*.*?(?:\*/|\Z)                    # block comment
      | "(?:[^"\\\n]|\\.)*"                 # string
      | '(?:[^'\\\n]|\\.)*'                 # character
    """,
    re.S | re.X,
)


def mask(text: str) -> str:
    """The text at the same offsets, with comments blanked and literals filled with `0`."""
    return _NOT_CODE.sub(_blank, text)


def _blank(found: re.Match[str]) -> str:
    fill = " " if found[0][0] == "/" else "0"
    return "\n".join(fill * len(line) for line in found[0].split("\n"))


def comments(text: str) -> list[tuple[int, str]]:
    """Every comment with its offset."""
    return [(found.start(), found[0]) for found in _NOT_CODE.finditer(text) if found[0][0] == "/"]


def matching(code: str, opening: int) -> int:
    """The offset of the parenthesis that closes the one at `opening`; -1 if none does."""
    depth = 0
    for position in range(opening, min(len(code), opening + 10_000)):
        if code[position] == "(":
            depth += 1
        elif code[position] == ")":
            depth -= 1
            if not depth:
                return position
    return -1


def split_operands(
    code: str, start: int, end: int, operators: tuple[str, ...]
) -> list[tuple[int, int]]:
    """Spans between the operators that stand outside of all brackets; each ends at its operator."""
    spans, depth, position = [], 0, start
    while position < end:
        char = code[position]
        depth += (char in "([{") - (char in ")]}")
        found = "" if depth else next((o for o in operators if code.startswith(o, position)), "")
        if found:
            spans.append((start, position))
            start = position = position + len(found)
        else:
            position += 1
    return [*spans, (start, end)]


def unwrap(code: str, start: int, end: int) -> tuple[int, int, int]:
    """Strip blanks, outer parentheses and leading `!`; the last number counts the `!`."""
    negations = 0
    while True:
        while start < end and code[start].isspace():
            start += 1
        while end > start and code[end - 1].isspace():
            end -= 1
        if code[start:end].startswith("!") and _is_unary(code, start + 1, end):
            start, negations = start + 1, negations + 1
        elif code[start:end].startswith("(") and matching(code, start) == end - 1:
            start, end = start + 1, end - 1
        else:
            return start, end, negations


_STEPS = ("++", "--")


def _is_prefix(char: str) -> bool:
    return char in "!~*&" or char.isspace()


def _is_unary(code: str, start: int, end: int) -> bool:
    """Does a `!` before `start` negate all of the span? Not in `!a == b`, nor in `!a && b`."""
    position = start
    while position < end and (_is_prefix(code[position]) or code.startswith(_STEPS, position)):
        position += 2 if code.startswith(_STEPS, position) else 1
    while position < end:
        if code[position] in "([":
            position = _closing(code, position)
            if position < 0:
                return False
        elif code.startswith(("->", *_STEPS), position):
            position += 1
        elif not (code[position].isalnum() or code[position] in "_." or code[position].isspace()):
            return False
        position += 1
    return True


def _closing(code: str, opening: int) -> int:
    if code[opening] == "(":
        return matching(code, opening)
    return code.find("]", opening)
