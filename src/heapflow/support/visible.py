"""Text that shows every character: what would act instead of being seen is written out.

Escape sequences move the cursor and rewrite lines, marks of direction reorder them, and both come from
sources and file names that somebody else wrote.
Guarantees: the result has no control character, format character (marks of direction among them), line
       separator, half of a surrogate pair or number that is no character, except those in `keep`.
"""

from __future__ import annotations

import re
import unicodedata

_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
# Colours come before a name, too.
_COMMAND = re.compile(r"^((?:\s|\x1b\[[\d;]*m)*)(::|##\[)", re.M)
_BYTE = range(0xDC80, 0xDD00)  # how Python writes a byte that is no UTF-8


def is_hidden(char: str) -> bool:
    """Whether a character acts instead of being seen."""
    return unicodedata.category(char) in _HIDDEN_CATEGORIES or _is_no_character(ord(char))


def _is_no_character(code: int) -> bool:
    """Whether Unicode has set a number aside that never means a character, as U+FFFE."""
    return code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF


def visible(text: str, keep: str = "") -> str:
    """The text with hidden characters written out: `\\x1b`, `\\u202e`."""
    for char in _hidden_in(text, keep):
        text = text.replace(char, _written(char))
    return text


def no_command(text: str) -> str:
    """The text without lines that a runner of jobs takes for its commands (`::error::…`, `##[error]…`):
    a file's name may begin so, and means the same behind `./`."""
    return _COMMAND.sub(r"\1./\2", text)


def escape_json(text: str) -> str:
    """JSON text with hidden characters as `\\uXXXX`: the same value, and harmless to look at."""
    for char in _hidden_in(
        text, "\n"
    ):  # line breaks are between values, in values JSON escapes them
        text = text.replace(char, _json_escape(ord(char)))
    return text


def _hidden_in(text: str, keep: str) -> list[str]:
    if text.isprintable():
        return []
    return sorted(char for char in set(text) if char not in keep and is_hidden(char))


def _json_escape(code: int) -> str:
    if code < 0x10000:
        return f"\\u{code:04x}"
    high, low = divmod(code - 0x10000, 0x400)
    return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"


def _written(char: str) -> str:
    code = ord(char)
    if char in _SHORT:
        return _SHORT[char]
    if code in _BYTE:
        return f"\\x{code - 0xDC00:02x}"
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
