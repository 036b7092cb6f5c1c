"""Where the functions of a C text begin and end, without a parser.

In:    the text of a file.     Out: `Span`s of its function definitions, in order.
Guarantees: a span is a body in braces with what stands before it, back to the end of the declaration
       before.
Not modelled: braces that only balance under some conditions of the preprocessor: of `#if … #else …
#endif` the first branch is read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

_DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(\w+)(?:[^\n\\]|\\.|\\\n)*", re.M)
_NOT_CODE = re.compile(
    r"//[^\n]*|/\*.*?(?:\*/|\Z)|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'", re.S
)
_PARENTHESIS = re.compile(r"([A-Za-z_]\w*)?\s*\(|\)")
_WORD = re.compile(r"\w+")
_NOT_NAMES = frozenset(
    "if while for switch return sizeof defined __attribute__ __declspec typeof __typeof__ _Alignas "
    "alignas __asm__ asm".split()
)


@dataclass(frozen=True, slots=True)
class Span:
    """One function: offsets of its declaration, its body's braces; its first and last line."""

    name: str
    start: int
    opening: int
    closing: int
    first: int
    last: int


@lru_cache(maxsize=64)
def code_of(text: str) -> str:
    """The text with comments, literals, directives and all but first branches blanked."""
    masked = _NOT_CODE.sub(lambda found: _blank(found[0]), text)
    return _without_branches(masked)


def _blank(text: str) -> str:
    return "".join("\n" if one == "\n" else " " for one in text)


def _without_branches(text: str) -> str:
    parts: list[str] = []
    hidden: list[bool] = []  # for each open conditional: whether its present branch is blanked
    position = 0
    for found in _DIRECTIVE.finditer(text):
        piece = text[position : found.start()]
        parts.append(_blank(piece) if any(hidden) else piece)
        parts.append(_blank(found[0]))
        position = found.end()
        match found[1]:
            case "if" | "ifdef" | "ifndef":
                hidden.append(found[0].split()[-1] == "0" and found[1] == "if")
            case "else" | "elif" if hidden:
                hidden[-1] = (
                    not hidden[-1] if found[0].split()[-1] == "else" and hidden[-1] else True
                )
            case "endif" if hidden:
                hidden.pop()
    piece = text[position:]
    parts.append(_blank(piece) if any(hidden) else piece)
    return "".join(parts)


def function_spans(text: str) -> list[Span]:
    """The functions that a text defines."""
    return list(_function_spans(text))


@lru_cache(maxsize=64)
def _function_spans(text: str) -> tuple[Span, ...]:
    code = code_of(text)
    found: list[Span] = []
    depth, start, opening = 0, 0, 0
    lines = _Lines(text)
    for match in re.finditer(r"[{};]", code):
        at, char = match.start(), match[0]
        if char == "{":
            if depth == 0:
                opening = at
            elif _restarts(code, at):  # a brace was lost between two branches
                start, opening, depth = _line_before(code, at), at, 0
            depth += 1
        elif char == "}":
            depth = max(depth - 1, 0)
            if depth == 0:
                name = _function_name(code[start:opening])
                if name:
                    begin = start + len(code[start:opening]) - len(code[start:opening].lstrip())
                    found.append(Span(name, begin, opening, at, lines.of(begin), lines.of(at)))
                    start = at + 1
                elif not code[start:opening].strip():
                    start = at + 1
        elif depth == 0 and not _is_old_style(code[start:at]):
            start = at + 1
    return tuple(found)


def _restarts(code: str, at: int) -> bool:
    """An opening brace in the first column begins a function, whatever came before."""
    near = code[max(0, at - 200) : at]
    return near.endswith("\n") and near.rstrip().endswith(")")


def _line_before(code: str, at: int) -> int:
    return code.rfind("\n\n", 0, at - 1) + 1


def _is_old_style(text: str) -> bool:
    """`int f(a) int a;`: the semicolon does not end the declaration."""
    return (
        re.search(r"\)\s+[A-Za-z_][\w\s*]*\w", text) is not None
        and "=" not in text
        and (re.search(r"\)\s*__attribute__", text) is None)
        and re.search(r"\(\s*[A-Za-z_]\w*\s*(,\s*[A-Za-z_]\w*\s*)*\)\s+[A-Za-z_]", text) is not None
    )


def _function_name(head: str) -> str:
    """The name of the function that a text before a brace declares; "" if it declares none."""
    head = " ".join(head.split())  # what was blanked may be long
    if "(" not in head or re.search(r"(^|[^=!<>])=([^=]|$)", head):
        return ""
    if re.match(r"\s*(typedef|struct|union|enum)\b[^()]*$", head):
        return ""
    names = [one for one in _called(head) if one not in _NOT_NAMES]
    # `API(int) name(void) UNUSED(x)`: macros are written in capitals.
    ordinary = [one for one in names if one.upper() != one]
    return (ordinary or names or [""])[-1]


def _called(head: str) -> list[str]:
    """The words before parentheses that are in no others."""
    found, depth = [], 0
    for match in _PARENTHESIS.finditer(head):
        if match[0] == ")":
            depth = max(depth - 1, 0)
            continue
        if depth == 0 and match[1]:
            found.append(match[1])
        depth += 1
    return found


class _Lines:
    """Line numbers of offsets."""

    def __init__(self, text: str) -> None:
        self.starts = [0, *(found.end() for found in re.finditer("\n", text))]

    def of(self, offset: int) -> int:
        from bisect import bisect_right

        return bisect_right(self.starts, offset)


_GUARD = re.compile(
    r"#[ \t]*(?:ifdef[ \t]+|(?:if|elif)\b.*?defined[ \t(]*|if[ \t(]+)([A-Za-z_]\w*)"
)
_DEFINED = re.compile(r"(?<!!)(?<![!][ \t])\bdefined[ \t(]*([A-Za-z_]\w*)")
_MISSING = re.compile(r"#[ \t]*(?:ifndef[ \t]+|if[ \t]+!.*?)(HAVE_\w+)")
_SYSTEM = re.compile(
    r"_*(WIN|MSDOS|DOS|OS2|VMS|APPLE|MAC|\w*BSD|DragonFly|sun|SUN|SOLARIS|AIX|hpux|HPUX|CYGWIN|MINGW|MSC"
    r"|ANDROID|TEST|HAIKU|QNX|EMSCRIPTEN|arm|aarch64|mips|powerpc|riscv|ARDUINO|ESP)",
    re.I,
)


def guards_at(text: str, offset: int) -> list[str]:
    """Macros that have to be defined for a place to be compiled, outermost first."""
    stack: list[list[str]] = []
    for found in _DIRECTIVE.finditer(text, 0, offset):
        match found[1]:
            case "if" | "ifdef" | "ifndef":
                missing = _MISSING.match(found[0].strip())
                positive = _asked(found[0].strip())
                stack.append([f"!{missing[1]}"] if missing else positive)
            case "else" | "elif" if stack:
                stack[-1] = _asked(found[0].strip())
            case "endif" if stack:
                stack.pop()
    return [one for asked in stack for one in asked]


def _asked(directive: str) -> list[str]:
    """The macros that a condition asks for; of alternatives the first."""
    every = _DEFINED.findall(directive)
    if "||" not in directive and ("!" in directive or len(every) > 1):
        return every
    guard = _GUARD.match(directive) if "!" not in directive else None
    return [guard[1]] if guard else []


def is_of_a_system(macro: str) -> bool:
    """Whether a macro says for which system something is: by name, or since that lacks something."""
    return macro.startswith("!") or _SYSTEM.match(macro) is not None


def without_bodies(text: str, spans: list[Span]) -> str:
    """The text with some definitions as declarations, on the same lines."""
    for span in sorted(spans, key=lambda one: -one.start):
        head = text[span.start : span.opening]
        old_style = re.search(r"\)\s+[A-Za-z_][^()]*;\s*$", head)
        kept = head[: old_style.start() + 1] if old_style else head.rstrip()
        gone = text[span.start + len(kept) : span.closing + 1]
        text = text[: span.start] + kept + ";" + _only_directives(gone) + text[span.closing + 1 :]
    return text


def prototype_of(text: str, span: Span) -> str:
    """The declaration that a definition begins with, on one line."""
    head = code_of(text)[span.start : span.opening]
    head = re.sub(r"\)\s+[A-Za-z_][^()]*;\s*$", ")", head)  # old style
    head = re.sub(r"\(\s*(?!void\b)\w+(\s*,\s*\w+)*\s*\)\s*$", "()", head)
    return f"{' '.join(head.split())};"


def without_definitions(text: str, spans: list[Span]) -> str:
    """The text without some functions at all."""
    for span in sorted(spans, key=lambda one: -one.start):
        gone = text[span.start : span.closing + 1]
        text = text[: span.start] + _only_directives(gone) + text[span.closing + 1 :]
    return text


def called_only_there(text: str, spans: list[Span], gone: list[Span]) -> list[Span]:
    """Static functions that what is taken out names: a compiler would leave them out as well."""
    code = code_of(text)
    named = {word for one in gone for word in _WORD.findall(code[one.opening : one.closing])}
    return [
        one
        for one in spans
        if one.name in named
        and one not in gone
        and "static" in _WORD.findall(code[one.start : one.opening])
    ]


def as_used(text: str, span: Span) -> str:
    """The text with a function that stays in although nobody calls it; all on the same lines."""
    return f"{text[: span.start]}__attribute__((used)) {text[span.start :]}"


def declaration_at(text: str, line: int) -> range:
    """The lines of the declaration outside of functions that a line belongs to."""
    code, lines = code_of(text), _Lines(text)
    depth, start, opening = 0, 0, 0
    for match in re.finditer(r"[{};]", code):
        if match[0] == "{":
            opening = opening if depth else match.start()
            depth += 1
            continue
        depth = max(depth - (match[0] == "}"), 0)
        if depth or (match[0] == "}" and not _function_name(code[start:opening])):
            continue
        if lines.of(match.start()) >= line:
            declared = code[start : match.start()]
            begin = start + len(declared) - len(declared.lstrip())
            return range(min(lines.of(begin), line), lines.of(match.start()) + 1)
        start = match.end()
    return range(line, line + 1)


def member_at(text: str, line: int) -> range:
    """The lines of the member of a struct that a line belongs to; empty if it is in none."""
    whole = declaration_at(text, line)
    code, lines = code_of(text), _Lines(text)
    begin, end = lines.starts[whole.start - 1], lines.starts[line - 1]
    before = code[begin:end]
    if before.count("{") <= before.count("}"):
        return range(0)
    start = begin + max(before.rfind(one) for one in "{};") + 1
    after = re.compile(r"[{};]").search(code, end)
    if after is None or after[0] != ";":
        return range(0)
    declared = code[start : after.start()]
    first = lines.of(start + len(declared) - len(declared.lstrip()))
    return range(first, lines.of(after.start()) + 1)


def without_lines(text: str, lines: set[int]) -> str:
    """The text with some lines blanked."""
    if not lines:
        return text
    parts, kept = text.split("\n"), _comment_ends(text)
    return "\n".join(
        kept.get(number, "") if number in lines and not _CONDITIONAL.match(part) else part
        for number, part in enumerate(parts, 1)
    )


def _comment_ends(text: str) -> dict[int, str]:
    """By line, what begins or ends a comment of several lines there."""
    ends: dict[int, str] = {}
    lines = _Lines(text)
    for found in _NOT_CODE.finditer(text):
        first, last = lines.of(found.start()), lines.of(found.end() - 1)
        if found[0].startswith("/*") and first != last:
            ends[first] = ends.get(first, "") + "/*"
            ends[last] = "*/"
    return ends


_CONDITIONAL = re.compile(r"[ \t]*#[ \t]*(if|ifdef|ifndef|else|elif|endif)\b")


def _only_directives(text: str) -> str:
    """Conditionals stay, since their other ends may lie outside."""
    lines = text.split("\n")
    return "\n".join(line if _CONDITIONAL.match(line) else "" for line in lines)
