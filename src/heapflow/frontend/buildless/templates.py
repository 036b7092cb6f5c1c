"""Headers that a configure step would generate, made from their templates.

In:    a template (autoheader's, CMake's, meson's), `Macros`.     Out: the header's text.
No template: what the sources ask for by `HAVE_…`, decided in the same way.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from heapflow.frontend.buildless.inventions import HEADER_OF
from heapflow.frontend.buildless.macros import Macros

_UNDEF = re.compile(r"^[ \t]*#[ \t]*undef[ \t]+(\w+)[ \t]*$")
_DEFINE01 = re.compile(r"^[ \t]*#[ \t]*(?:cmakedefine01|mesondefine01)[ \t]+(\w+)")
_CMAKE = re.compile(r"^[ \t]*#[ \t]*(?:cmakedefine|mesondefine)[ \t]+(\w+)[ \t]*(.*)$")
_SLOT = re.compile(r"@(\w+)@|\$\{(\w+)\}")
_IN_COMMENT = re.compile(r"/\*|\*/|//|^\s*\*")
_CONDITION = re.compile(r"^[ \t]*#[ \t]*(if|elif)\b")
_INCLUDED = re.compile(r"^[ \t]*#[ \t]*include[ \t]*[\"<]")
_TYPEDEF = re.compile(r"^[ \t]*typedef[ \t]+(?:@\w+@|\$\{\w+\})[ \t]+(\w+)[ \t]*;")
_DEFINITION = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+(.*)$")
_OPENS = re.compile(r"^[ \t]*#[ \t]*if", re.M)
_CLOSES = re.compile(r"^[ \t]*#[ \t]*endif", re.M)
CONFIGURES = re.compile(r"(^|[-_/])(auto)?conf(ig(uration)?)?([-_.]|$)", re.I)  # names of headers
NAMES = re.compile(r"\b(?:(?:[A-Z][A-Z0-9]*_+){0,2}HAVE|SIZEOF)_[A-Z0-9_]+\b")
_ORDERS = re.compile(
    r"\b(?:[A-Z][A-Z0-9]*_)?(?:IS|HOST|CPU|TARGET|ARCH)_(?:IS_)?(?:LITTLE|BIG)_?ENDIAN\b"
)
_ENUMERATOR = re.compile(r"HAVE_[A-Z0-9_]+[ \t]*=(?!=)")  # begins with a literal: it is fast


def fill_template(text: str, macros: Macros) -> str:
    """The header; every line stays a line."""
    filled = "\n".join(_line(line, macros) for line in text.split("\n"))
    opened, closed = len(_OPENS.findall(filled)), len(_CLOSES.findall(filled))
    return filled + "\n#endif" * max(opened - closed, 0)  # what is put in may end it


def names_in_template(text: str) -> set[str]:
    """Names on which a template depends."""
    found = set(NAMES.findall(text))
    for line in text.split("\n"):
        for pattern in (_UNDEF, _DEFINE01, _CMAKE):
            if match := pattern.match(line):
                found.add(match[1])
        found.update(one or other for one, other in _SLOT.findall(line))
    return found


def _line(line: str, macros: Macros) -> str:
    if match := _UNDEF.match(line):
        return _defined(match[1], macros.value(match[1]))
    if match := _DEFINE01.match(line):
        value = macros.value(match[1])
        return _defined(match[1], str(int(value not in (None, "0"))))
    if match := _CMAKE.match(line):
        value = macros.value(match[1])
        if value in (None, "0"):
            return f"/* #undef {match[1]} */"
        rest = _filled(match[2], macros, match[1])
        return _defined(match[1], rest or value)
    if _INCLUDED.match(line):
        return line  # `#include "lib@API@/a.h"`: the overlay has the file that the name means
    if "@" in line or "${" in line:
        if _CONDITION.match(line):
            return _SLOT.sub(lambda slot: _number(slot[1] or slot[2], macros), line)
        if (match := _DEFINITION.match(line)) and _is_of_the_language(match[1]):
            return ""
        if match:
            return f"#define {match[1]} {_filled(match[2], macros, match[1])}"
        if match := _TYPEDEF.match(line):
            return f"typedef long {match[1]};"
        return _SLOT.sub("0", line) if _IN_COMMENT.search(line) or not _SLOT.search(line) else ""
    return line


def _filled(text: str, macros: Macros, name: str) -> str:
    """A macro's value with its slots filled: text in quotes, a number elsewhere."""
    parts = re.split(r'("(?:[^"\\]|\\.)*")', text)
    for number, part in enumerate(parts):
        quoted = number % 2 == 1
        parts[number] = _SLOT.sub(
            lambda slot, quoted=quoted: (
                "0" if quoted else _number(slot[1] or slot[2], macros, name)
            ),
            part,
        )
    return "".join(parts)


def _is_of_the_language(name: str) -> bool:
    """`#define int32_t @INT32@`, `#define inline @INLINE@`: for compilers that have none."""
    return name in HEADER_OF or name in ("inline", "const", "restrict", "volatile", "signed")


def _number(slot: str, macros: Macros, name: str = "") -> str:
    if "inline" in slot.lower():
        return "inline"
    if slot.endswith("_TYPE") or name.endswith("_t"):
        return "long"
    for one in (slot, name):
        value = macros.value(one) if one.startswith(("HAVE_", "SIZEOF_", "RETSIG")) else None
        if value is not None:
            return value
    return "0"


def _defined(name: str, value: str | None) -> str:
    return (
        f"/* #undef {name} */"
        if value is None
        else f"#ifndef {name}\n#define {name} {value}\n#endif"
    )


def derived_header(names: Iterable[str], macros: Macros) -> str:
    """A configuration header for sources that ask for these names."""
    known = ((name, macros.value(name)) for name in sorted(set(names)))
    return "".join(_defined(name, value) + "\n" for name, value in known if value is not None)


def names_in(text: str) -> set[str]:
    """What a source asks a configure step for."""
    orders = _ORDERS.findall(text) if "ENDIAN" in text else ()
    return {*NAMES.findall(text), *orders}


def enumerators_in(text: str) -> set[str]:
    """Names that look like that, and are enumerators: `enum { HAVE_FORM = 1 }`."""
    found: set[str] = set()
    for one in _ENUMERATOR.finditer(text):
        line = text.rfind("\n", 0, one.start()) + 1
        before = re.fullmatch(r"[ \t]*\{?[ \t]*((?:\w+_)?)", text[line : one.start()])
        if before is not None:
            found.add(before[1] + one[0].rstrip("= \t"))
    return found
