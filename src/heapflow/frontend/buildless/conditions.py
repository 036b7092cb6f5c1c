"""What the preprocessor's conditions ask for: why an `#error` is met, why a definition is not seen.

In:    texts of files.      Out: names of macros, with values where the condition names one.
Not modelled: conditions beyond `defined`, comparisons with numbers, and their `&&` and `||`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from heapflow.frontend.buildless.functions import guards_at, is_of_a_system

_DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(\w+)((?:[^\n\\]|\\.|\\\n)*)", re.M)
_UNDEFINED = re.compile(
    r"![ \t]*defined[ \t]*\(?[ \t]*([A-Za-z_]\w*)|^[ \t]*!(?!defined\b)([A-Za-z_]\w*)"
)
_BELOW = re.compile(r"\b([A-Za-z_]\w*)[ \t]*(<=?)[ \t]*(\d+)\b")
_COMPILERS = re.compile(r"__cplusplus|_MSC_VER|__GNUC|__clang|__STDC|__has_")


def demands_at(text: str, line: int) -> dict[str, int | None]:
    """Macros that have to be defined, and how large at least, for a line not to be reached."""
    offset = _offset(text, line)
    stack: list[str] = []
    for found in _DIRECTIVE.finditer(text, 0, offset):
        match found[1]:
            case "if" | "elif":
                stack[len(stack) - (found[1] == "elif" and bool(stack)) :] = [found[2]]
            case "ifdef":
                stack.append("")
            case "ifndef":
                stack.append(f"!defined({found[2].strip()})")
            case "else" if stack:
                stack[-1] = ""
            case "endif" if stack:
                stack.pop()
    asked: dict[str, int | None] = {}
    for one, other in _UNDEFINED.findall(stack[-1] if stack else ""):
        asked.setdefault(one or other)
    for name, sign, number in _BELOW.findall(stack[-1] if stack else ""):
        asked[name] = int(number) + (sign == "<=")
    return {
        name: least
        for name, least in asked.items()
        if not is_of_a_system(name) and not _COMPILERS.match(name)
    }


def choices_at(text: str, line: int) -> list[str]:
    """`#ifdef A … #elif defined B … #else` before a line: the macros of which one has to be defined."""
    stack: list[
        tuple[list[str], bool]
    ] = []  # those of earlier branches; whether it is the last one
    for found in _DIRECTIVE.finditer(text, 0, _offset(text, line)):
        match found[1]:
            case "if" | "ifdef" | "ifndef":
                stack.append((_positive(found[1], found[2]), False))
            case "elif" if stack:
                stack[-1] = ([*stack[-1][0], *_positive("if", found[2])], False)
            case "else" if stack:
                stack[-1] = (stack[-1][0], True)
            case "endif" if stack:
                stack.pop()
    return stack[-1][0] if stack and stack[-1][1] else []


def _positive(directive: str, condition: str) -> list[str]:
    """The macro that a condition asks for, if it asks for one of the tree's, and for nothing else."""
    pattern = (
        r"\s*(\w+)\s*" if directive == "ifdef" else r"\s*defined[ \t]*\(?[ \t]*(\w+)[ \t]*\)?\s*"
    )
    found = re.fullmatch(pattern, condition) if directive != "ifndef" else None
    reserved = found is None or found[1].startswith("__")  # the compiler's, the processor's
    return [] if found is None or reserved else list(_features([found[1]]))


def _offset(text: str, line: int) -> int:
    position = 0
    for _ in range(line - 1):
        position = text.find("\n", position) + 1
        if not position:
            return len(text)
    return position


def hidden_by(
    name: str, files: Iterable[str], read: Callable[[str], str], is_function: bool = False
) -> tuple[str, ...]:
    """Macros under which a name is defined in some files, or such a file is included."""
    files = tuple(files)
    pattern = _prototype_of(name) if is_function else _definition_of(name)
    for file in files:
        text = read(file)
        found = pattern.search(text) if name in text else None
        if found is None:
            continue
        guards = _features(guards_at(text, found.end()))
        return guards or _hidden_include(file.rpartition("/")[2], files, read)
    return ()


def _definition_of(name: str) -> re.Pattern[str]:
    word = re.escape(name)
    return re.compile(
        rf"^[ \t]*#[ \t]*define[ \t]+{word}\b|\b(?:struct|union|enum)\s+{word}\s*\{{"
        rf"|\}}[\s*]*{word}\s*;|\btypedef\b[^;{{}}]*\b{word}\s*\)?\s*[;(\[]"
        rf"|\bextern\b[^;()]*\b{word}\s*[;\[]",
        re.M,
    )


def _prototype_of(name: str) -> re.Pattern[str]:
    return re.compile(rf"^[A-Za-z_][\w \t*]*[ \t*]{re.escape(name)}\s*\([^;{{}}]*\)\s*;", re.M)


def missing_at(text: str, line: int) -> str:
    """The `HAVE_…` for want of which a line is compiled; "" if there is none."""
    guards = guards_at(text, _offset(text, line))
    return guards[-1][1:] if guards and guards[-1].startswith("!") else ""


def hidden_member(name: str, text: str) -> tuple[str, ...]:
    """Macros under which a struct in a text has a member of this name."""
    word = re.escape(name)
    pattern = re.compile(rf"^[ \t]+[A-Za-z_][^;{{}}()#]*[\s*]{word}\s*(?:[;,\[:])", re.M)
    found = pattern.search(text) if name in text else None
    return _features(guards_at(text, found.end())) if found else ()


def _hidden_include(last: str, files: Iterable[str], read: Callable[[str], str]) -> tuple[str, ...]:
    pattern = re.compile(
        rf'^[ \t]*#[ \t]*include[ \t]*["<](?:[^">\n]*/)?{re.escape(last)}[">]', re.M
    )
    for file in files:
        text = read(file)
        found = pattern.search(text) if last in text else None
        if found and (guards := _features(guards_at(text, found.start()))):
            return guards
    return ()


def _features(guards: Iterable[str]) -> tuple[str, ...]:
    return tuple(one for one in guards if not is_of_a_system(one) and not _COMPILERS.match(one))
