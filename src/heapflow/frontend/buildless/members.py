"""Members that a struct of the tree lacks under the guessed conditions: written into a copy.

In:    the text of a file, the name of a struct (its tag or a typedef), members as declarations.
Out:   the text with them, on the same lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from heapflow.frontend.buildless.functions import code_of

_FLEXIBLE = re.compile(r"\[\s*0?\s*\]\s*;\s*$")


def defines_struct(text: str, name: str) -> bool:
    """Whether a text says what is in a struct."""
    return name in text and bool(_bodies(code_of(text), name))


def alias_of(text: str, name: str) -> str:
    """The tag that a typedef of a struct names; "" if it is none."""
    if name not in text:
        return ""
    found = re.search(rf"\btypedef\s+(?:struct|union)\s+(\w+)\s+{re.escape(name)}\s*;", text)
    return found[1] if found else ""


def with_members(text: str, name: str, members: Iterable[str]) -> str:
    """Put declarations at the end of a struct; before what has to be last."""
    code, more = code_of(text), " ".join(f"{one};" for one in members)
    for opening, closing in sorted(_bodies(code, name), reverse=True):
        flexible = _FLEXIBLE.search(code[opening + 1 : closing]) is not None
        at = opening + 1 if flexible else closing
        text = f"{text[:at]} {more} {text[at:]}"
    return text


def _bodies(code: str, name: str) -> list[tuple[int, int]]:
    """Offsets of the braces of the definitions of a struct."""
    word = re.escape(name)
    found: dict[tuple[int, int], None] = {}
    for match in re.finditer(rf"\b(?:struct|union)\b[^;{{}}()=]*\b{word}\b[^;{{}}()=]*\{{", code):
        if (closing := _partner(code, match.end() - 1, 1)) >= 0:
            found[match.end() - 1, closing] = None
    for match in re.finditer(rf"\}}(?=[^;{{}}=]*\b{word}\b[^;{{}}=]*;)", code):
        opening = _partner(code, match.start(), -1)
        head = code[max(0, code.rfind(";", 0, max(opening, 0))) : max(opening, 0)]
        if opening >= 0 and re.search(r"\btypedef\s+(?:struct|union)\b", head):
            found[opening, match.start()] = None
    return list(found)


def _partner(code: str, at: int, step: int) -> int:
    depth = 0
    while 0 <= at < len(code):
        depth += (code[at] == "{") - (code[at] == "}")
        if depth == 0:
            return at
        at += step
    return -1
